// The window in which a program is recorded, and the trace of it.
#include <signal.h>

#include <algorithm>
#include <sstream>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/log_tree.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof;
using namespace prof::test;

namespace {

LogTree captured_log(Command command) {
  TempDir temp;
  const Outcome run = command.profiled(temp / "run").run();
  INFO(run);
  REQUIRE(run.ok());
  const auto logs = logs_in(temp / "run");
  REQUIRE(logs.size() == 1);
  return LogTree(logs[0]);
}

double cpu_ns(const LogTree& log) {
  double ns = 0;
  for (const auto& row : log.rows<log::CpuWords>(log::RecordClass::Cpu)) ns += static_cast<double>(row.words.ns);
  return ns;
}

// The windows as the log tells them: when each opened and closed.
std::vector<std::pair<std::uint64_t, std::uint64_t>> windows(const LogTree& log) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> found;
  for (const std::string& text : log.info(log::InfoKey::Window)) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const std::uint64_t ns = std::stoull(line.substr(line.find('=') + 1));
      if (line.rfind("open=", 0) == 0) found.emplace_back(ns, 0);
      if (line.rfind("close=", 0) == 0) found.back().second = ns;
    }
  }
  return found;
}

struct Ring {
  log::TraceHeader header;
  std::vector<log::TraceEvent> events;
};
Ring ring_of(const LogTree& log) {
  const auto chunks = log.file().chunks(log::ChunkType::Trace);
  REQUIRE(chunks.size() == 1);
  Ring ring{LogFile::entry<log::TraceHeader>(chunks[0], 0), {}};
  REQUIRE(ring.header.event_bytes == sizeof(log::TraceEvent));
  for (std::uint32_t i = 0; i < ring.header.events; ++i) {
    ring.events.push_back(LogFile::entry<log::TraceEvent>(chunks[0], i, sizeof(log::TraceHeader)));
  }
  return ring;
}

}  // namespace

// Catches samples before and after the window, CPU time of the closed part that the first sample inside takes with it,
// and windows that open late because nobody looked.
TEST_CASE("a window by time is recorded, and nothing outside it") {
  const LogTree log = captured_log(Command::victim("burn_shares", {"1500"})
                                       .set("PROF_DELAY", "0.3")
                                       .set("PROF_DURATION", "0.4")
                                       .set("PROF_HEAP", "off"));
  const auto open = windows(log);
  REQUIRE(open.size() == 1);
  CHECK(open[0].second - open[0].first == 400'000'000);
  CHECK(open[0].first - log.file().header.start_monotonic_ns == 300'000'000);
  CHECK(cpu_ns(log) <= 0.42e9);
  CHECK(cpu_ns(log) >= 0.1e9);
  // The program ran on outside, and its CPU time as a whole is known all the same.
  CHECK(static_cast<double>(log.file().header.cpu_ns) > cpu_ns(log) + 0.2e9);
}

TEST_CASE("a range opens the window whenever it is open") {
  const LogTree log = captured_log(Command::victim("ranges", {"window"}).set("PROF_CAPTURE_RANGE", "nvtx:wanted"));
  CHECK(windows(log).size() == 4);
  CHECK(log.sum(log::RecordClass::Range, &log::RangeWords::count, "unwanted") == 0);
  CHECK(log.sum(log::RecordClass::Range, &log::RangeWords::count, "wanted") == 8);
  for (const auto& row : log.rows<log::CpuWords>(log::RecordClass::Cpu))
    CHECK((row.below("wanted") || row.below(kOfProfiler)));
  CHECK(cpu_ns(log) > 0.12e9);
}

TEST_CASE("a range opens the window for as long as is asked for") {
  const LogTree log = captured_log(
      Command::victim("ranges", {"window"}).set("PROF_CAPTURE_RANGE", "nvtx:unwanted").set("PROF_DURATION", "0.02"));
  const auto open = windows(log);
  REQUIRE(open.size() == 1);
  CHECK(open[0].second - open[0].first == 20'000'000);
  CHECK(log.sum(log::RecordClass::Range, &log::RangeWords::count, "wanted") == 0);
}

TEST_CASE("a window that never opens leaves a log without samples") {
  const LogTree log =
      captured_log(Command::victim("ranges", {"window"}).set("PROF_CAPTURE_RANGE", "nvtx:wanted@other"));
  CHECK(windows(log).empty());
  CHECK(cpu_ns(log) == 0);
  CHECK(log.rows<log::RangeWords>(log::RecordClass::Range).empty());
}

// Catches windows that each process of a run counts from its own start.
TEST_CASE("child programs share the window of their run") {
  TempDir temp;
  const Outcome run = Command({"/bin/sh", "-c", "sleep 0.5; exec \"$0\" window", victim_path("ranges").string()})
                          .set("PROF_DELAY", "0.2")
                          .set("PROF_DURATION", "100")
                          .profiled(temp / "run")
                          .run();
  INFO(run);
  REQUIRE(run.ok());
  std::vector<std::uint64_t> opened;
  std::uint64_t first = UINT64_MAX;
  for (const auto& path : logs_in(temp / "run")) {
    const LogTree log(path);
    first = std::min(first, log.file().header.start_monotonic_ns);
    for (const auto& window : windows(log)) opened.push_back(window.first);
  }
  REQUIRE_FALSE(opened.empty());
  for (const std::uint64_t ns : opened) CHECK(ns - first == 200'000'000);
}

TEST_CASE("PROF_STOP_ON_EXIT ends the program with its window") {
  TempDir temp;
  const Outcome run = Command::victim("burn_shares", {"60000"})
                          .set("PROF_DURATION", "0.3")
                          .set("PROF_STOP_ON_EXIT", "on")
                          .limit(30)
                          .profiled(temp / "run")
                          .run();
  INFO(run);
  CHECK_FALSE(run.timed_out);
  CHECK(run.signal == SIGTERM);
  CHECK(run.error_lines().size() == 1);
  CHECK(run.wall_s < 20);
}

// Catches rings that stop when they are full, and events that are torn or out of order.
TEST_CASE("the trace keeps the last events") {
  const LogTree log = captured_log(Command::victim("ranges", {"many"}).set("PROF_TRACE", "64K"));
  const Ring ring = ring_of(log);
  CHECK(ring.header.events == 1024);
  CHECK(ring.header.next == 12'000);
  for (std::uint32_t i = 0; i < ring.events.size(); ++i) {
    const log::TraceEvent& e = ring.events[i];
    REQUIRE(e.sequence > 12'000 - 1024);
    REQUIRE((e.sequence - 1) % 1024 == i);
    REQUIRE(e.kind == static_cast<std::uint32_t>(log::TraceKind::Range));
    REQUIRE(e.end_ns >= e.start_ns);
    REQUIRE(e.tid == log.file().header.pid);
    REQUIRE(log.name(e.frame) != "?");
  }
}

TEST_CASE("the trace has the program's numbers, and what lies in the window alone") {
  const Ring domains = ring_of(captured_log(Command::victim("ranges", {"domains"}).set("PROF_TRACE", "64K")));
  std::vector<std::uint64_t> payloads;
  for (const log::TraceEvent& e : domains.events) {
    if (e.sequence != 0) payloads.push_back(e.bytes);
  }
  CHECK(payloads == std::vector<std::uint64_t>{42, 43, 42});
  const LogTree log = captured_log(
      Command::victim("ranges", {"window"}).set("PROF_TRACE", "64K").set("PROF_CAPTURE_RANGE", "nvtx:wanted"));
  const Ring narrowed = ring_of(log);
  CHECK(narrowed.header.next == 8);
  for (std::uint32_t i = 0; i < 8; ++i) CHECK(log.name(narrowed.events[i].frame) == (i % 2 == 0 ? "part" : "wanted"));
}

TEST_CASE("no trace is kept unless one is asked for") {
  const LogTree log = captured_log(Command::victim("ranges", {"nested"}));
  CHECK(log.file().chunks(log::ChunkType::Trace).empty());
}
