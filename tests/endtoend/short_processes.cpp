// Processes that start and end at once: what they leave is small, and says all that is known of them.
#include <signal.h>

#include <algorithm>
#include <cstdint>
#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::test;

namespace {

constexpr std::uintmax_t kMostBytes = 8 << 10;

std::uintmax_t log_bytes(const std::filesystem::path& run) {
  std::uintmax_t bytes = 0;
  for (const auto& log : logs_in(run)) bytes += std::filesystem::file_size(log);
  return bytes;
}

}  // namespace

// Catches a log that is made for a long life: tens of kilobytes taken ahead, a description of the machine in each.
TEST_CASE("a process that starts and ends at once writes a log of 8 KiB") {
  // On a busy machine one may last so long that its memory is looked at: the shortest of some.
  TempDir temp;
  std::uintmax_t least = UINTMAX_MAX;
  for (int i = 0; i < 8 && least > kMostBytes; ++i) {
    const auto directory = temp / std::to_string(i);
    const Outcome run = Command({"/bin/true", "an argument", "another"}).profiled(directory).run();
    INFO(run);
    REQUIRE(run.ok());
    REQUIRE(logs_in(directory).size() == 1);
    least = std::min(least, log_bytes(directory));

    const auto processes = Report::of(directory).processes("true");
    REQUIRE(processes.size() == 1);
    const Json& process = processes[0];
    CHECK(process.at("pid").get<long>() == run.pid);
    CHECK(process.at("argv") == Json({"/bin/true", "an argument", "another"}));
    CHECK(process.at("end") == "exit");
    CHECK(process.at("exit_code") == 0);
    CHECK(process.at("wall_s").get<double>() > 0);
    CHECK(process.at("wall_s").get<double>() < run.wall_s);
    CHECK(process.at("cpu_s").get<double>() > 0);
    CHECK(process.at("peak_rss_bytes").get<long long>() > 100'000);
  }
  CHECK(least <= kMostBytes);
}

// Catches logs that come only with something to tell: whoever ran is listed, with what became of it.
TEST_CASE("each short process of a shell loop is in the report, with its end") {
  TempDir temp;
  const Outcome run =
      Command({"/bin/sh", "-c", "i=0; while [ $i -lt 20 ]; do /bin/true; /bin/false; i=$((i+1)); done; exit 7"})
          .profiled(temp / "run")
          .run();
  INFO(run);
  REQUIRE(run.exit_code == 7);
  const Report report = Report::of(temp / "run");
  const auto ended_with = [&](const std::string& exe, int code) {
    long count = 0;
    for (const Json& p : report.processes(exe)) {
      if (p.at("end") == "exit" && p.at("exit_code") == code && p.at("peak_rss_bytes").get<long long>() > 0) ++count;
    }
    return count;
  };
  CHECK(ended_with("true", 0) == 20);
  CHECK(ended_with("false", 1) == 20);
  // All of them, and the shell with what it did.
  CHECK(log_bytes(temp / "run") <= 40 * kMostBytes + (256 << 10));
}

// Catches a first page that waits for the end: who is killed while it does nothing has a log, and what grew is whole.
TEST_CASE("a process that is killed before it did anything has a log") {
  TempDir temp;
  Running running = Command({"/bin/sleep", "60"}).profiled(temp / "run").start();
  REQUIRE(wait_until([&] { return logs_in(temp / "run").size() == 1; }, 30));
  const auto log = logs_in(temp / "run")[0];
  REQUIRE(wait_until(
      [&] {
        std::ifstream file(log, std::ios::binary);
        return file.get() == 0x89;  // the magic comes last
      },
      30));
  running.kill(SIGKILL);
  const Outcome run = running.wait();
  INFO(run);
  CHECK(run.signal == SIGKILL);
  const auto processes = Report::of(temp / "run").processes("sleep");
  REQUIRE(processes.size() == 1);
  CHECK(processes[0].at("end") == "killed");
  CHECK(processes[0].at("argv") == Json({"/bin/sleep", "60"}));
}
