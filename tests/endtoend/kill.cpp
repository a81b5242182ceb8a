// SIGKILL at random moments: what was recorded is in the file.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <random>
#include <thread>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::test;

namespace {

// A page shared with the victim.
class SharedClock {
 public:
  explicit SharedClock(const std::filesystem::path& path) {
    const int fd = open(path.c_str(), O_RDWR | O_CREAT, 0600);
    REQUIRE(fd >= 0);
    REQUIRE(ftruncate(fd, 4096) == 0);
    page_ = static_cast<volatile std::int64_t*>(mmap(nullptr, 4096, PROT_READ, MAP_SHARED, fd, 0));
    REQUIRE(page_ != MAP_FAILED);
    close(fd);
  }
  double seconds() const { return static_cast<double>(*page_) * 1e-9; }

 private:
  volatile std::int64_t* page_ = nullptr;
};

// Two victims at a time, one per core, each killed at its own moment.
void kill_often(int times, const std::string& kind, const std::string& hz) {
  std::mt19937 random(20240501);
  std::uniform_int_distribution<int> moment_ms(1, 260);
  for (int round = 0; round < times / 2; ++round) {
    TempDir temp;
    struct Victim {
      std::unique_ptr<SharedClock> clock;
      Running running;
      std::filesystem::path run;
    };
    std::vector<Victim> victims;
    for (int i = 0; i < 2; ++i) {
      const std::string name = std::to_string(i);
      auto clock = std::make_unique<SharedClock>(temp / ("clock" + name));
      Running running = Command::victim("kill_me", {(temp / ("clock" + name)).string(), kind})
                            .profiled(temp / ("run" + name))
                            .set("PROF_CPU", hz)
                            .start();
      victims.push_back({std::move(clock), std::move(running), temp / ("run" + name)});
    }
    for (Victim& victim : victims) {
      std::this_thread::sleep_for(std::chrono::milliseconds(moment_ms(random)));
      victim.running.kill(SIGKILL);
    }
    for (Victim& victim : victims) {
      const Outcome end = victim.running.wait();
      INFO(end);
      REQUIRE(end.signal == SIGKILL);
      const double used = victim.clock->seconds();
      INFO("round " << round << ": the victim had used " << used << " s of CPU time");
      if (logs_in(victim.run).empty()) {
        REQUIRE(used < 0.1);  // killed at birth
        continue;
      }
      const Outcome read = report_outcome(victim.run);
      INFO(read);
      if (read.exit_code != 0) {
        REQUIRE(read.exit_code == 1);  // the log has no beginning yet: prof says so, and must not crash
        REQUIRE(used < 0.02);
        continue;
      }
      const Json json = Json::parse(read.out);
      double seen = 0;
      for (const Json& f : json.at("functions")) {
        if (is_function(f.at("name").get<std::string>(), "main")) seen += f.at("cumtime_s").get<double>();
      }
      REQUIRE(seen > used - 0.1);
      REQUIRE(seen < used + 0.1);
      for (const Json& p : json.at("processes")) REQUIRE((p.at("end") == "killed" || p.at("end") == "unknown"));
    }
  }
}

}  // namespace

// Catches logs that are buffered, written at exit, or readable only when they were closed.
TEST_CASE("30 programs killed at random moments leave readable logs that miss 100 ms at most", "[alone]") {
  kill_often(30, "calm", "100");
}
TEST_CASE("20 programs killed amid threads and allocations leave readable logs that miss 100 ms at most", "[alone]") {
  kill_often(20, "busy", "1000");
}

TEST_CASE("the log of a running program can be read") {
  TempDir temp;
  SharedClock clock(temp / "clock");
  Running running = Command::victim("kill_me", {(temp / "clock").string(), "busy"}).profiled(temp / "run").start();
  REQUIRE(wait_until([&] { return clock.seconds() > 0.3; }, 20));
  double before = 0;
  for (int look = 0; look < 10; ++look) {
    const Report report = Report::of(temp / "run");
    CHECK(report.processes("kill_me").at(0).at("end") == "running");
    CHECK(report.cumtime("main") >= before);
    before = report.cumtime("main");
    CHECK(report.allocations() >= report.frees());
  }
  CHECK(before > 0.2);
  running.kill(SIGKILL);
  running.wait();
}
