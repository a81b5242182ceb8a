// What the rules about lines that wait say of calls that hardly wait, and of programs that have nothing to do.
#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;
using test::lines_of;

namespace {

// 20,000 calls for files at line 12, which computes as well.
void stat_files(FindingsRun& run, std::uint64_t calls_ms, std::uint64_t cpu_ms) {
  run.wait(run.train(12), "stat64", "file", 20'000, calls_ms * kMs);
  if (cpu_ms > 0) run.log.cpu(run.train(12), cpu_ms / 10, cpu_ms * kMs);
  run.log.cpu(run.train(20), 20, 200 * kMs);
}

}  // namespace

TEST_CASE("findings: short calls for files, with what their line computes", "[findings]") {
  for (const std::uint64_t half : {1, 2}) {
    FindingsRun run;
    stat_files(run, 600 / half, 200 / half);
    const auto found = run.look("waiting-for-files");
    REQUIRE(found.size() == 1);
    CHECK(found.front().title == "The program asks the system about files again and again");
    CHECK(found.front().saves == Approx(0.4 / static_cast<double>(half)));
    CHECK(lines_of(found.front()) == std::vector<std::int64_t>{12});
    if (half == 1)
      CHECK(has(found.front().seen, "20,000 calls for files, 800 ms in all (40.0 % of the run's time), 40.0 us"));
  }
}

// Catches what a line computes for its own sake told as the price of its calls.
TEST_CASE("findings: a line that computes more than its calls take", "[findings]") {
  FindingsRun run;
  stat_files(run, 400, 800);
  const auto found = run.look("waiting-for-files");
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.2));
}

TEST_CASE("findings: long calls for files wait for them", "[findings]") {
  FindingsRun run;
  run.wait(run.train(12), "read", "file", 400, 800 * kMs);
  run.log.cpu(run.train(20), 20, 200 * kMs);
  const auto found = run.look("waiting-for-files");
  REQUIRE(found.size() == 1);
  CHECK(found.front().title == "The program waits for files");
  CHECK(has(found.front().seen, "400 calls waited for a file, 800 ms in all"));
}

TEST_CASE("findings: an idle program that polls has nobody who sends", "[findings]") {
  for (const auto& [cpu_ms, found] : {std::pair{5, 0}, std::pair{100, 1}}) {
    INFO(cpu_ms);
    FindingsRun run;
    run.log.header.cpu_ns = static_cast<std::uint64_t>(cpu_ms) * kMs;
    run.wait(run.train(12), "poll", "poll", 40, 1'800 * kMs);
    run.connects();
    CHECK(run.look("network-waits").size() == static_cast<std::size_t>(found));
  }
  // A socket with a time-out polls before it receives.
  FindingsRun limited;
  limited.log.header.cpu_ns = 5 * kMs;
  limited.wait(limited.train(12), "poll", "poll", 40, 1'800 * kMs);
  limited.wait(limited.train(12), "recv", "network", 40, 1 * kMs);
  limited.connects();
  CHECK(limited.look("network-waits").size() == 1);
  // Who receives has asked for it.
  FindingsRun receives;
  receives.log.header.cpu_ns = 5 * kMs;
  receives.connects();
  receives.wait(receives.train(12), "recv", "network", 40, 1'800 * kMs);
  CHECK(receives.look("network-waits").size() == 1);
}

// Catches servers and receivers of datagrams told that they should ask for more at once.
TEST_CASE("findings: waiting for the network of who asks, and of who is asked", "[findings]") {
  const auto found = [](std::initializer_list<const char*> calls, std::uint64_t half = 1) {
    FindingsRun run;
    run.log.header.cpu_ns = 200 * kMs;
    run.log.cpu(run.train(20), 20, 200 * kMs);
    run.wait(run.train(12), "recv", "network", 40, 1'600 / half * kMs);
    for (const char* call : calls) run.wait(run.train(14), call, "network", 40, 1 * kMs);
    return run.look("network-waits");
  };
  for (const std::uint64_t half : {1, 2}) {
    const auto asks = found({"connect"}, half);
    REQUIRE(asks.size() == 1);
    CHECK(asks.front().saves == Approx(0.8 / static_cast<double>(half)).epsilon(0.01));
  }
  CHECK(found({"sendto"}).size() == 1);
  CHECK(found({"accept4", "send", "connect"}).size() == 1);
  CHECK(found({"accept4", "send"}).empty());
  for (const auto& [socket, asks] : {std::pair{"udp *:5140", false}, std::pair{"udp (not connected)", false},
                                     std::pair{"tcp *:80 (accepted)", false}, std::pair{"unix (unnamed)", true}}) {
    INFO(socket);
    FindingsRun run;
    run.log.header.cpu_ns = 200 * kMs;
    run.wait(run.train(12), "recvfrom", "network", 40, 1'600 * kMs);
    run.wait(run.train(13), "sendto", "network", 40, 1 * kMs);
    log::FileWords words{};
    words.reads = words.writes = 40;
    const auto files = run.log.node(0, run.log.special(log::SpecialFrame::Files));
    run.log.record(log::RecordClass::File, run.log.node(files, run.log.named(log::NameKind::File, socket, "socket")),
                   words);
    CHECK(run.look("network-waits").size() == (asks ? 1U : 0U));
  }
  CHECK(found({}).empty());
}
