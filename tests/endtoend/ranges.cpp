// Ranges of the program's own: every metric below the range it belongs to, and nothing of them where nobody asks.
#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/log_tree.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof;
using namespace prof::test;
using Path = std::vector<std::string>;

namespace {

struct RangesRun {
  Outcome outcome;
  std::vector<LogTree> logs;
};

RangesRun run_of(Command command) {
  TempDir temp;
  RangesRun run{command.profiled(temp / "run").run(), {}};
  INFO(run.outcome);
  REQUIRE(run.outcome.ok());
  for (const auto& path : logs_in(temp / "run")) run.logs.emplace_back(path);
  return run;
}

LogTree ranges_log_of(Command command) {
  RangesRun run = run_of(std::move(command));
  REQUIRE(run.logs.size() == 1);
  return run.logs[0];
}

// Blocks of exact mode by the ranges that they were allocated in.
std::map<Path, std::uint64_t> blocks_by_range(const LogTree& log, std::uint64_t bytes) {
  std::map<Path, std::uint64_t> blocks;
  for (const auto& row : log.rows<log::HeapWords>(log::RecordClass::Heap)) {
    if (row.words.largest == bytes) blocks[row.path] += row.words.count / log::kCountUnit;
  }
  for (const auto& row : log.single_blocks()) {
    if (row.words == bytes) blocks[row.path] += 1;
  }
  return blocks;
}

std::map<Path, std::uint64_t> counts(const LogTree& log) {
  std::map<Path, std::uint64_t> counted;
  for (const auto& row : log.rows<log::RangeWords>(log::RecordClass::Range)) counted[row.path] += row.words.count;
  return counted;
}

}  // namespace

// Catches stacks that start at the root whatever is open, and samples that are booked on the range that ended last.
TEST_CASE("CPU time hangs below the range in which it passed") {
  const RangesRun run = run_of(Command::victim("ranges", {"nested"}).set("PROF_CPU", "200"));
  REQUIRE(run.logs.size() == 1);
  const LogTree& log = run.logs[0];
  const auto cpu = [&log](const std::string& below) {
    return static_cast<double>(log.sum(log::RecordClass::Cpu, &log::CpuWords::ns, below));
  };
  constexpr double two_ticks = 2 * 10e6;
  const auto inner = static_cast<double>(run.outcome.fact("inner_ns"));
  const auto outer = static_cast<double>(run.outcome.fact("outer_ns"));
  CHECK(cpu("inn\u00e9r") == Approx(inner).margin(two_ticks));
  CHECK(cpu("outer") == Approx(inner + outer).margin(two_ticks));
  for (const auto& row : log.rows<log::CpuWords>(log::RecordClass::Cpu)) {
    CHECK((row.path.empty() || row.below(kOfProfiler) || row.path == Path{"outer"} ||
           row.path == Path{"outer", "inn\u00e9r"}));
  }
  for (const auto& row : log.rows<log::RangeWords>(log::RecordClass::Range)) {
    CHECK(row.words.count == 1);
    CHECK(row.words.min_ns == row.words.max_ns);
    CHECK(row.words.total_ns == row.words.max_ns);
    CHECK(static_cast<double>(row.words.total_ns) >= inner + (row.path.size() == 1 ? outer : 0));
  }
  CHECK(log.loss(log::Loss::RangeUnbalanced) == 1);
}

// Catches a memo of the last stack that keeps its nodes when the range changes: the same line allocates in all of them.
TEST_CASE("in exact mode each block hangs below the ranges in which it was allocated") {
  const LogTree log = ranges_log_of(Command::victim("ranges", {"memory"}).set("PROF_HEAP", "exact"));
  CHECK(blocks_by_range(log, 100) == std::map<Path, std::uint64_t>{{{"even"}, 250}, {{"odd"}, 250}});
  CHECK(blocks_by_range(log, 1000) == std::map<Path, std::uint64_t>{{{"even", "inside"}, 25}, {{"odd", "inside"}, 25}});
  CHECK(blocks_by_range(log, 10) == std::map<Path, std::uint64_t>{{{"even"}, 25}, {{"odd"}, 25}});
  CHECK(blocks_by_range(log, 7777) == std::map<Path, std::uint64_t>{{{}, 50}});
  CHECK(counts(log) == std::map<Path, std::uint64_t>{
                           {{"even"}, 25}, {{"odd"}, 25}, {{"even", "inside"}, 25}, {{"odd", "inside"}, 25}});
}

// Catches one stack of ranges for all domains, and handles that mean something to one library alone.
TEST_CASE("domains end their own ranges") {
  const LogTree log = ranges_log_of(Command::victim("ranges", {"domains"}).set("PROF_HEAP", "exact"));
  CHECK(blocks_by_range(log, 100) == std::map<Path, std::uint64_t>{{{"A/of a", "B/of b"}, 8}, {{}, 7}});
  CHECK(counts(log)[{"A/of a"}] == 1);
  CHECK(counts(log)[{"A/of a", "B/of b"}] == 1);
  CHECK(log.loss(log::Loss::RangeUnbalanced) == 1);
}

// Catches roots that all threads share, and ranges of a thread that outlive it in the next one's state.
TEST_CASE("ranges are a thread's own, but for those that begin and end anywhere") {
  const LogTree log = ranges_log_of(Command::victim("ranges", {"threads"}).set("PROF_HEAP", "exact"));
  CHECK(blocks_by_range(log, 100) == std::map<Path, std::uint64_t>{{{"of the thread"}, 8}});
  const std::string open = "(" + std::to_string(static_cast<int>(log::SpecialFrame::OpenRanges)) + ")";
  CHECK(counts(log) ==
        std::map<Path, std::uint64_t>{{{open, "anywhere"}, 2}, {{"of main"}, 1}, {{"of main", "moment"}, 1}});
}

// Catches a log that grows with the number of different names.
TEST_CASE("numbered ranges share their names when there are many") {
  const LogTree log = ranges_log_of(Command::victim("ranges", {"many"}));
  std::uint64_t numbered = 0, others = 0, more = 0;
  std::size_t names = 0;
  for (const auto& [path, count] : counts(log)) {
    REQUIRE(path.size() == 1);
    ++names;
    if (path[0] == "(more ranges)")
      more += count;
    else
      (path[0].rfind("step ", 0) == 0 ? numbered : others) += count;
  }
  CHECK(numbered == 3000);
  CHECK(counts(log)[{"step #"}] == 3000 - 1024);
  CHECK(others + more == 9000);
  CHECK(more > 0);
  CHECK(names == 4097);
}

TEST_CASE("ranges deeper than the limit are counted and end where they began") {
  const LogTree log = ranges_log_of(Command::victim("ranges", {"deep"}));
  std::uint64_t total = 0;
  for (const auto& [path, count] : counts(log)) {
    CHECK(path.size() <= 64);
    total += count;
  }
  CHECK(total == 64);
  CHECK(log.loss(log::Loss::RangeUnbalanced) == 100 - 64 + 1);
}

// Catches nodes of the parent's log in the child's, and handles that the child no longer has.
TEST_CASE("a forked child has its own ranges") {
  const RangesRun run = run_of(Command::victim("ranges", {"forks"}).set("PROF_HEAP", "exact"));
  REQUIRE(run.logs.size() == 2);
  for (const LogTree& log : run.logs) {
    const bool child = log.file().header.origin == log::Origin::Forked;
    const Path expected = child ? Path{"D/in the child"} : Path{"before the fork"};
    CHECK(blocks_by_range(log, 100) == std::map<Path, std::uint64_t>{{expected, child ? 9U : 2U}});
    CHECK(counts(log) == std::map<Path, std::uint64_t>{{expected, 1}});
  }
}

// Catches functions that are put in place of a library's own, and ids that mean one range only.
TEST_CASE("tasks, regions, frames and markers of ITT are ranges") {
  const RangesRun run = run_of(Command::victim("itt_tasks").set("PROF_HEAP", "exact"));
  REQUIRE(run.logs.size() == 1);
  const LogTree& log = run.logs[0];
  CHECK(run.outcome.fact("attached") == 1);
  CHECK(blocks_by_range(log, 100) == std::map<Path, std::uint64_t>{{{"D/outer", "D/inner"}, 1}});
  CHECK(blocks_by_range(log, 200) == std::map<Path, std::uint64_t>{{{"D/outer"}, 1}});
  CHECK(blocks_by_range(log, 300).count({}) == 1);
  // A task without a name is no range, and what begins in it is as if it were not there.
  CHECK(blocks_by_range(log, 400) == std::map<Path, std::uint64_t>{{{"D/inner"}, 1}});
  CHECK(blocks_by_range(log, 500).count({}) == 1);
  const std::string open = "(" + std::to_string(static_cast<int>(log::SpecialFrame::OpenRanges)) + ")";
  CHECK(counts(log) == std::map<Path, std::uint64_t>{{{"D/outer"}, 1},
                                                     {{"D/outer", "D/inner"}, 1},
                                                     {{open, "D/outer"}, 1},
                                                     {{open, "D/inner"}, 2},
                                                     {{open, "D/frame"}, 2},
                                                     {{"D/inner"}, 2}});
  CHECK(log.loss(log::Loss::RangeUnbalanced) == 1);
}

TEST_CASE("ITT's pause and resume are a window to who asks for one") {
  const LogTree log = ranges_log_of(Command::victim("itt_tasks").set("PROF_CAPTURE_RANGE", "cudaProfilerApi"));
  std::uint64_t total = 0;
  for (const auto& [path, count] : counts(log)) total += count;
  CHECK(total == 6);  // all but the tasks
  const RangesRun off = run_of(Command::victim("itt_tasks").set("PROF_RANGES", "off"));
  CHECK_FALSE(off.outcome.has_fact("attached"));
}

TEST_CASE("another tool's door, and ranges that nobody wants, stay as they are") {
  const LogTree foreign =
      ranges_log_of(Command::victim("ranges", {"absent"}).set("NVTX_INJECTION64_PATH", "/nowhere/tool.so"));
  CHECK(counts(foreign).empty());
  const RangesRun off = run_of(Command::victim("ranges", {"absent"}).set("PROF_RANGES", "off"));
  CHECK(off.outcome.fact("level") == -2);
  TempDir temp;
  const Outcome kept =
      Command::victim("ranges", {"absent"}).set("NVTX_INJECTION64_PATH", "/nowhere/tool.so").profiled(temp / "r").run();
  CHECK(kept.fact("path_is_foreign") == 1);
  CHECK(kept.fact("level") == -2);
}

// The environment of a program is the agent's own array from its start on: libc's functions must go on with it.
TEST_CASE("programs change an environment that the agent added to") {
  TempDir temp;
  const Outcome run = Command({"/usr/bin/env", "-u", "INTEL_LIBITTNOTIFY64", "A=1", "B=2", "/bin/sh", "-c",
                               "unset NVTX_INJECTION64_PATH; C=3; export C; unset A; exec /usr/bin/env"})
                          .profiled(temp / "run")
                          .run();
  INFO(run);
  REQUIRE(run.ok());
  CHECK(run.out.find("B=2\n") != std::string::npos);
  CHECK(run.out.find("C=3\n") != std::string::npos);
  CHECK(run.out.find("A=1\n") == std::string::npos);
}
