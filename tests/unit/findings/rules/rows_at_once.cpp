// The rule about lines that take all rows of a file or a query at once.
#include <fstream>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;

namespace {

constexpr std::uint64_t kOneMiB = 1 << 20;

// So many MiB at the peak below a line of that text, in csv.py, whose lines are none of the user's; and what lived
// besides.
std::vector<findings::Finding> rows_held(const std::string& text, std::uint64_t mib = 100,
                                         std::uint64_t others_mib = 20, bool python_objects = false) {
  FindingsRun run;
  run.log.header.heap.epoch = run.log.header.maps.epoch = 1;
  const std::string file = (run.directory() / "stations.py").string();
  std::ofstream(file) << "def load(path):\n    " << text << '\n';
  const auto memory = [&](std::uint32_t node, std::uint64_t most, log::RecordClass kind) {
    run.log.memory(kind, node,
                   test::memory_words(most * log::kCountUnit, most * kOneMiB, most * log::kCountUnit, most * kOneMiB,
                                      most * kOneMiB, 1, most));
  };
  const auto line = run.line(0, run.code("load", file, 1), 1);
  const auto inside = test::below(run, line, "DictReader.__next__", "/usr/lib/python3.11/csv.py");
  memory(python_objects ? run.interpreter(inside) : inside, mib,
         python_objects ? log::RecordClass::Map : log::RecordClass::Heap);
  memory(run.train(12), others_mib, log::RecordClass::Heap);
  return run.look("rows-at-once");
}

}  // namespace

TEST_CASE("findings: rows that are all in memory at once", "[findings]") {
  const std::string text =
      GENERATE("return list(csv.DictReader(file))", "rows = list(csv.reader(file, delimiter=';'))",
               "for line in file.readlines():", "rows = cursor.execute(QUERY).fetchall()",
               "events = [json.loads(line) for line in file]", "lines = open(path).read().splitlines()  # all of them");
  INFO(text);
  for (const std::uint64_t half : {1, 2}) {
    const auto found = rows_held(text, 200 / half);
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == 0);
    CHECK(found.front().saves_bytes == static_cast<std::int64_t>(200 * kOneMiB / half));
    CHECK(found.front().places.front().line == 2);
    CHECK(found.front().places.front().function == "load");
    if (half == 1) CHECK(has(found.front().seen, "200 MiB of the 220 MiB that lived at the peak"));
  }
}

// Small objects lie in mappings of the interpreter's own.
TEST_CASE("findings: rows of small objects that are all in memory at once", "[findings]") {
  const auto found = rows_held("return list(csv.DictReader(file))", 100, 20, true);
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves_bytes == static_cast<std::int64_t>(100 * kOneMiB));
}

// Catches each line that holds much told as one that could hold less.
TEST_CASE("findings: lines that hold much, and no rows", "[findings]") {
  const std::string text =
      GENERATE("return numpy.loadtxt(path)", "return [make(i) for i in range(COUNT)]", "return json.loads(file.read())",
               "for row in csv.DictReader(file):", "return file.read()  # not list(csv.reader(file))");
  INFO(text);
  CHECK(rows_held(text).empty());
}

TEST_CASE("findings: rows that take little memory", "[findings]") {
  CHECK(rows_held("return list(csv.DictReader(file))", 60, 10).empty());
  CHECK(rows_held("return list(csv.DictReader(file))", 100, 120).empty());
}
