#include "report/formats/callgrind.hpp"

#include <algorithm>
#include <fstream>

#include "report/show/text.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/support/checked_file.hpp"
#include "tests/unit/support/heap_run.hpp"
#include "tests/unit/support/hostile_run.hpp"
#include "tests/unit/support/python_run.hpp"
#include "tests/unit/support/wait_run.hpp"

using namespace prof;

namespace {

std::string callgrind_of(const show::Subject& subject) {
  std::string out;
  formats::callgrind(subject, false, [&out](std::string_view piece) { out += piece; });
  return out;
}

std::vector<std::string> callgrind_lines(const show::Subject& subject) {
  return test::checked("callgrind_check.py", callgrind_of(subject));
}

bool has_callgrind_line(const std::vector<std::string>& lines, const std::string& line) {
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

}  // namespace

TEST_CASE("callgrind: all measures of a run are events, self costs by line and calls by line") {
  test::PythonRun python;
  python.selection.pids = {200};
  const std::vector<std::string> lines = callgrind_lines(python.subject());
  REQUIRE_FALSE(lines.empty());
  CHECK(lines.front() == "events CpuNs Samples Allocations AllocatedBytes LiveBytes PeakBytes");
  // What was called from itself is once in the cost of the call from line 6, and not twice in that of its own lines.
  CHECK(has_callgrind_line(lines, "self Trainer.fit 30000000 3 0 0 0 0"));
  CHECK(has_callgrind_line(lines, "line train.py:5 30000000 3 0 0 0 0"));
  CHECK(has_callgrind_line(lines, "call <module> 11 Trainer.fit 7 70000000 7 1 4096 4096 4096"));
  CHECK(has_callgrind_line(lines, "call Trainer.fit 6 Trainer.fit 1 10000000 1 0 0 0 0"));
  CHECK(has_callgrind_line(lines, "call Trainer.fit 5 libwork.so+0x100 3 30000000 3 0 0 0 0"));
  CHECK(has_callgrind_line(lines, "call Trainer.fit 6 libwork.so+0x100 1 0 0 1 4096 4096 4096"));
}

TEST_CASE("callgrind: recursion counts once in the cost of a call") {
  class Recursion : public test::LoadedRun {
   public:
    Recursion() {
      test::LogBuilder log;
      const auto code = log.code("f", "f", "f.py", 1, table(), log::CodeKind::Code, 10);
      std::uint32_t node = 0;
      for (int depth = 0; depth < 5; ++depth) {
        node = log.node(node, log.python(code, 4));
        log.cpu(node, 1, 10'000'000);
      }
      log.thread(0).cpu_ns = 50'000'000;
      load(log);
    }
  };
  const Recursion run;
  const std::vector<std::string> lines = callgrind_lines(run.subject());
  CHECK(has_callgrind_line(lines, "self f 50000000 5"));
  CHECK(has_callgrind_line(lines, "call f 4 f 4 40000000 4"));
}

TEST_CASE("callgrind: calls that were counted have their number, and waiting is a cost") {
  const test::WaitRun wait;
  const std::vector<std::string> lines = callgrind_lines(wait.subject());
  CHECK(lines.front().rfind("events CpuNs Samples ", 0) == 0);
  CHECK(lines.front().find(" BlockedNs WallNs BlockingCalls") != std::string::npos);
  CHECK(std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    return line.rfind("call libwork.so+0x100 0 read 4 100000000 10 ", 0) == 0 &&
           line.find(" 400000000 500000000 4") != std::string::npos;
  }));
}

TEST_CASE("callgrind: no measure by thread that cannot be told by thread, and nothing of nothing") {
  test::HeapRun run;
  CHECK(callgrind_lines(run.subject()).front() == "events Allocations AllocatedBytes LiveBytes PeakBytes Temporary");
  run.selection.threads = {std::to_string(run.run.processes[0].threads[0].tid)};
  CHECK(callgrind_lines(run.subject()).front() == "events Allocations AllocatedBytes Temporary");
  run.selection.pids = {1};
  CHECK(callgrind_of(run.subject()).empty());
}

TEST_CASE("callgrind: names cannot break a line") {
  const test::HostileRun run;
  const std::vector<std::string> lines = callgrind_lines(run.subject());
  const std::string bad = show::printable(test::kHostile), big = test::HostileRun::long_name();
  const auto begins = [&](const std::string& text) {
    return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) { return line.rfind(text, 0) == 0; });
  };
  CHECK(begins("call " + bad + ' '));
  CHECK(begins("call " + big.substr(0, 1000)));
  CHECK(begins("self "));
}
