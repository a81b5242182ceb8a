#include "report/formats/pprof.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "report/formats/proto.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/interpreters.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/unit/support/heap_run.hpp"
#include "tests/unit/support/python_run.hpp"
#include "tests/unit/support/wait_run.hpp"

using namespace prof;

namespace {

std::string exported(const show::Subject& subject, model::Measure measure) {
  std::string out;
  formats::pprof(subject, {measure, false}, [&out](std::string_view piece) { out += piece; });
  return out;
}

// What a decoder that knows nothing of us finds in a profile: the lines of pprof_check.py, ordered.
std::vector<std::string> decoded(const std::string& profile) {
  const test::TempDir temp;
  std::ofstream(temp / "a.pprof", std::ios::binary) << profile;
  REQUIRE_FALSE(test::interpreters().empty());
  const auto script = test::source_dir() / "tests/unit/support/pprof_check.py";
  const test::Outcome outcome =
      test::Command({test::interpreters().front().program.string(), "-I", script.string(), (temp / "a.pprof").string()})
          .run();
  INFO(outcome.err);
  REQUIRE(outcome.ok());
  std::vector<std::string> lines;
  std::istringstream text(outcome.out);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace

TEST_CASE("pprof: a heap profile with all four sample types") {
  const test::HeapRun run;
  const std::string types =
      "types alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes default ";
  const std::vector<std::string> expected{"10\t1000\t6\t600\tprocess=work (pid 300)\twork+0x200:0\twork+0x100:0",
                                          "2\t700\t1\t300\tprocess=work (pid 300)\twork+0x500:0\twork+0x100:0",
                                          "3\t300\t3\t300\tprocess=work (pid 300)\twork+0x400:0\twork+0x100:0",
                                          "50\t5003\t0\t0\tprocess=work (pid 300)\twork+0x300:0\twork+0x100:0",
                                          "mapping /nowhere/work",
                                          "seconds 1700000000 2.0",
                                          types + "inuse_space"};
  CHECK(decoded(exported(run.subject(), model::Measure::Live)) == expected);
  CHECK(decoded(exported(run.subject(), model::Measure::Allocations)).back() == types + "alloc_objects");
  CHECK(decoded(exported(run.subject(), model::Measure::Allocated)).back() == types + "alloc_space");
}

TEST_CASE("pprof: other numbers are profiles of one sample type") {
  const test::HeapRun run;
  const std::vector<std::string> expected{"1000\tprocess=work (pid 300)\twork+0x200:0\twork+0x100:0",
                                          "400\tprocess=work (pid 300)\twork+0x500:0\twork+0x100:0",
                                          "mapping /nowhere/work", "seconds 1700000000 2.0",
                                          "types peak/bytes default peak"};
  CHECK(decoded(exported(run.subject(), model::Measure::Peak)) == expected);
}

TEST_CASE("pprof: CPU time by thread, with Python functions and their lines") {
  const test::PythonRun python;
  const std::vector<std::string> lines = decoded(exported(python.subject(), model::Measure::CpuTime));
  CHECK(lines.back() == "types samples/count cpu/nanoseconds default cpu");
  CHECK(std::count_if(lines.begin(), lines.end(), [](const std::string& line) {
          return line.rfind(
                     "3\t30000000\tprocess=python3 train.py (pid 200)\tthread=helper (tid 1001)\t"
                     "libwork.so+0x100:0\tTrainer.fit:5\t<module>:11",
                     0) == 0;
        }) == 1);
}

TEST_CASE("pprof: waiting and wall time by thread") {
  const test::WaitRun wait;
  const std::vector<std::string> blocked = decoded(exported(wait.subject(), model::Measure::Blocked));
  CHECK(blocked.back() == "types blocked/nanoseconds default blocked");
  const auto has = [](const std::vector<std::string>& lines, const std::string& begin, const std::string& end) {
    return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
      return line.rfind(begin, 0) == 0 && line.find("\tthread=") != std::string::npos && line.size() > end.size() &&
             line.substr(line.size() - end.size()) == end;
    });
  };
  CHECK(has(blocked, "400000000\tprocess=", "\tread:0\tlibwork.so+0x100:0\ttrain:20"));
  CHECK(has(blocked, "700000000\tprocess=", "\tnanosleep:0\ttrain:30"));
  const std::vector<std::string> wall = decoded(exported(wait.subject(), model::Measure::WallTime));
  CHECK(wall.back() == "types wall/nanoseconds default wall");
  CHECK(has(wall, "500000000\tprocess=", "\tread:0\tlibwork.so+0x100:0\ttrain:20"));
  CHECK(has(wall, "500000000\tprocess=", "\ttrain:10"));
}

TEST_CASE("pprof: what is in use is not told by thread, and nothing is written where there is nothing") {
  test::PythonRun python;
  python.selection.threads = {"helper"};
  CHECK(exported(python.subject(), model::Measure::Live).empty());
  test::HeapRun run;
  run.selection.threads = {std::to_string(run.run.processes[0].threads[0].tid)};
  for (const std::string& line : decoded(exported(run.subject(), model::Measure::Live))) {
    if (line.find("0x200") != std::string::npos) CHECK(line.rfind("10\t1000\t0\t0\t", 0) == 0);
  }
}

TEST_CASE("proto: integers of every size, and what is empty") {
  using namespace std::string_literals;
  formats::ProtoMessage message;
  message.integer(1, std::uint64_t{0});
  CHECK(message.bytes().empty());
  message.integer(1, std::uint64_t{150});
  message.integer(2, std::int64_t{-1});
  message.text(16, "");
  message.packed(3, std::vector<std::uint64_t>{3, 270, 86942});
  CHECK(message.bytes() ==
        "\x08\x96\x01\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x82\x01\x00\x1a\x06\x03\x8e\x02\x9e\xa7\x05"s);
}
