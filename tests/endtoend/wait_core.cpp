// Blocking calls: exact totals, contexts, CPU time in them, what the kernel says of their threads.
#include <filesystem>
#include <map>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/python_stacks.hpp"
#include "tests/support/wait_log.hpp"

using namespace prof;
using namespace prof::test;

// Catches times that count twice or not at all, contexts that are mixed up, and weights of short calls that do not add
// up to what they stand for.
TEST_CASE("sleeps have their number, their time and their contexts") {
  const Ran ran({"sleeps"});
  INFO(ran.run);
  REQUIRE(ran.run.ok());
  const LogTree log = ran.log();
  const log::WaitTotalWords here = total(log, "sleep/nanosleep"), there = total(log, "sleep/usleep");
  CHECK(here.calls == 10);
  CHECK(here.failed == 0);
  check_near(here.total_ns, ran.run.fact("here_ns"));
  CHECK(here.min_ns >= 20'000'000);
  CHECK(there.calls == 20);
  check_near(there.total_ns, ran.run.fact("there_ns"));
  CHECK(contexts(log, "sleep/nanosleep").size() == 1);
  CHECK(in_contexts(log, "sleep/nanosleep") == here.total_ns);
  CHECK(in_contexts(log, "sleep/usleep") == there.total_ns);
  CHECK(log.sum(log::RecordClass::Wait, &log::WaitWords::count, "sleep/usleep") == 20 * log::kCountUnit);

  const log::WaitTotalWords shortly = total(log, "sleep/clock_nanosleep");
  CHECK(shortly.calls == 2'000'000);
  CHECK(shortly.failed == 2'000'000);
  CHECK(shortly.total_ns < static_cast<std::uint64_t>(ran.run.fact("short_ns")));
  CHECK(static_cast<double>(in_contexts(log, "sleep/clock_nanosleep")) ==
        Approx(static_cast<double>(shortly.total_ns)).epsilon(0.15));
  CHECK(static_cast<double>(log.sum(log::RecordClass::Wait, &log::WaitWords::count, "sleep/clock_nanosleep")) ==
        Approx(static_cast<double>(shortly.calls) * static_cast<double>(log::kCountUnit)).epsilon(0.15));
  std::uint64_t spread = 0;
  for (const auto& row : log.rows<log::SpreadWords>(log::RecordClass::Spread)) {
    if (!row.below("sleep/nanosleep")) continue;
    for (const std::uint64_t count : row.words.count) spread += count;
  }
  CHECK(spread == here.calls);
}

// Catches waits of Python programs that stand on the interpreter's own code, or on the line that called the function.
TEST_CASE("what Python code waits for stands on its line") {
  // A tick in a call books there what passed since the one before; and a sleep may be over before the program goes on.
  constexpr double kLateTick = 20e6, kClocks = 1e6;
  for (const Interpreter& interpreter : interpreters()) {
    INFO(interpreter.program.string());
    TempDir temp;
    const Outcome run = python_victim(interpreter, "wait_lines.py").profiled(temp / "run").run();
    INFO(run);
    REQUIRE(run.ok());
    std::map<long, double> blocked;
    const Report report = Report::of(temp / "run");
    for (const Json& row : report.section("lines")) {
      if (row.at("file").is_string() && row.at("file").get<std::string>().ends_with("/wait_lines.py"))
        blocked[row.at("line").get<long>()] += row.at("blocked_s").get<double>() * 1e9;
    }
    CHECK(blocked[7] >= 5 * 40e6 - kLateTick);
    CHECK(blocked[7] <= static_cast<double>(run.fact("rest_ns")) + kClocks);
    CHECK(blocked[11] >= 150e6 - kLateTick);
    CHECK(blocked[11] <= static_cast<double>(run.fact("nap_ns")) + kClocks);
  }
}

// Catches events of calls that are too short to be seen, and thresholds that are not heard.
TEST_CASE("calls of the threshold and more are events of the trace") {
  for (const auto& [threshold, naps] : std::map<std::string, std::size_t>{{"3000000", 30}, {"1000000000", 0}}) {
    INFO(threshold);
    const Ran ran({"sleeps"}, {{"PROF_TRACE", "4M"}, {"PROF_OSRT_THRESHOLD", threshold}});
    INFO(ran.run);
    REQUIRE(ran.run.ok());
    const LogTree log = ran.log();
    std::size_t seen = 0;
    for (const std::string& content : log.file().chunks(log::ChunkType::Trace)) {
      const auto head = LogFile::entry<log::TraceHeader>(content, 0);
      for (std::size_t i = 0; i < std::min<std::uint64_t>(head.next, head.events); ++i) {
        const auto event = LogFile::entry<log::TraceEvent>(content, i, sizeof head);
        CHECK(event.kind == static_cast<std::uint32_t>(log::TraceKind::Wait));
        CHECK(event.end_ns - event.start_ns >= std::stoull(threshold));
        CHECK(event.tid == static_cast<std::uint32_t>(ran.run.pid));
        CHECK(event.node != 0);
        if (log.name(event.frame) != "sleep/clock_nanosleep") ++seen;
      }
    }
    CHECK(seen == naps);
  }
}

// Catches system time that shows below the call as code of libc, where it would be blocked time and CPU time at once.
TEST_CASE("CPU time inside of a call stands on the call's own frame") {
  const Ran ran({"cpu"});
  INFO(ran.run);
  REQUIRE(ran.run.ok());
  const LogTree log = ran.log();
  const double cpu = static_cast<double>(ran.run.fact("cpu_ns"));
  CHECK(total(log, "other/read").calls == 400);
  const auto on_frame = static_cast<double>(log.sum(log::RecordClass::Cpu, &log::CpuWords::ns, "other/read"));
  CHECK(on_frame == Approx(cpu).epsilon(0.15));
  const auto nodes = contexts(log, "other/read");
  REQUIRE(nodes.size() == 1);
  for (const auto& row : log.rows<log::CpuWords>(log::RecordClass::Cpu)) {
    if (row.below("other/read")) CHECK(row.node == nodes.begin()->first);
  }
}

TEST_CASE("PROF_WAIT=off records no blocking calls and no use of threads") {
  const Ran ran({"one_sleep", "20"}, {{"PROF_WAIT", "off"}});
  INFO(ran.run);
  REQUIRE(ran.run.ok());
  const LogTree log = ran.log();
  CHECK(log.rows<log::WaitTotalWords>(log::RecordClass::WaitTotal).empty());
  CHECK(log.rows<log::WaitWords>(log::RecordClass::Wait).empty());
  CHECK(uses(log).empty());
}

// Catches calls that are taken whole, or not at all, where a window opens or ends in their midst.
TEST_CASE("of a call the part within the window counts") {
  const Ran ran({"one_sleep", "700"}, {{"PROF_DELAY", "0.2"}, {"PROF_DURATION", "0.3"}});
  INFO(ran.run);
  REQUIRE(ran.run.ok());
  const LogTree log = ran.log();
  const log::WaitTotalWords words = total(log, "sleep/nanosleep");
  CHECK(words.calls == 1);
  check_near(words.total_ns, 300'000'000);
  CHECK(in_contexts(log, "sleep/nanosleep") == words.total_ns);
}

// Catches a distribution for each of thousands of threads.
TEST_CASE("many threads that wait once leave a small log") {
  const Ran ran({"short_threads"});
  INFO(ran.run);
  REQUIRE(ran.run.ok());
  const LogTree log = ran.log();
  CHECK(total(log, "sleep/nanosleep").calls == 2000);
  CHECK(log.file().header.tail < 2'000'000);
}

// Catches waiting for a CPU that is taken for blocked or left unsaid.
TEST_CASE("time in the run queue is known by thread") {
  const Ran ran({"crowded"});
  INFO(ran.run);
  REQUIRE(ran.run.ok());
  std::uint64_t queued = 0, threads = 0;
  for (const log::ThreadUseRecord& use : uses(ran.log())) {
    if ((use.known & log::kKnowsRunQueue) == 0 || use.run_queue_ns < 100'000'000) continue;
    queued += use.run_queue_ns;
    ++threads;
  }
  CHECK(threads == 2);
  CHECK(static_cast<double>(queued) > 0.8 * (2 * static_cast<double>(ran.run.fact("wall_ns")) - 600e6));
}

// Catches synchronising calls that are estimates, and time of theirs that counts again as a wait of the library's own.
TEST_CASE("what waits for a device is a blocking call on the frame of its API call") {
  TempDir temp;
  const Outcome run =
      with_gpu(Command::victim("gpu_work12", {"gaps", "30"}), temp / "ledger").profiled(temp / "run").run();
  INFO(run);
  REQUIRE(run.ok());
  const LogTree log(logs_in(temp / "run").at(0));
  std::map<std::uint32_t, log::WaitWords> waits;
  for (const auto& row : log.rows<log::WaitWords>(log::RecordClass::Wait)) {
    if (!row.below("CUDA runtime/cudaStreamSynchronize")) continue;
    CHECK(row.path.back() == "CUDA runtime/cudaStreamSynchronize");
    waits[row.node] = row.words;
  }
  std::uint64_t calls = 0;
  for (const auto& row : log.rows<log::ApiWords>(log::RecordClass::Api)) {
    if (!row.below("CUDA runtime/cudaStreamSynchronize")) continue;
    calls += row.words.calls;
    CHECK(waits[row.node].count == row.words.calls * log::kCountUnit);
    CHECK(waits[row.node].ns == row.words.total_ns);
  }
  CHECK(calls > 0);
  CHECK(static_cast<long long>(calls) == Ledger(temp / "ledger", run.pid).calls("cudaStreamSynchronize").count);
}
