#include "report/fold/time/lines.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/support/python_run.hpp"
#include "tests/unit/support/show_run.hpp"

using namespace prof;
using fold::SourceLine;
using symbols::Language;

namespace {

constexpr std::int64_t kMs = 1'000'000;

const SourceLine& row(const fold::Lines& lines, const std::string& file, std::uint32_t line) {
  for (const SourceLine& row : lines.rows) {
    if (row.file == file && row.line == line) return row;
  }
  FAIL("no line " << file << ":" << line);
  throw std::logic_error(file);
}

}  // namespace

TEST_CASE("lines: Python and native time of a line, and recursion counted once") {
  const test::PythonRun python;
  const fold::Lines lines = fold::lines(python.run, python.symbols, python.selection);
  const SourceLine& five = row(lines, "train.py", 5);
  CHECK(five.python_ns == 30 * kMs);
  CHECK(five.native_ns == 30 * kMs);
  CHECK(five.cumulative_ns == 60 * kMs);
  CHECK(five.samples == 6);
  CHECK(five.language == Language::Python);
  CHECK(python.symbols.function(five.function).name == "Trainer.fit");

  const SourceLine& eleven = row(lines, "train.py", 11);
  CHECK(eleven.own_ns() == 0);
  CHECK(eleven.cumulative_ns == 70 * kMs);
  CHECK(lines.total_ns == 75 * kMs);
  CHECK(lines.no_python_ns == 5 * kMs);
  CHECK(lines.rows.front().line == 5);
}

TEST_CASE("lines: what a dispatcher without source calls is its caller's, and so is memory") {
  const test::PythonRun python;
  const fold::Lines lines = fold::lines(python.run, python.symbols, python.selection);
  const SourceLine& six = row(lines, "train.py", 6);
  CHECK(six.python_ns == 0);
  CHECK(six.native_ns == 10 * kMs);
  CHECK(six.cumulative_ns == 20 * kMs);
  CHECK(six.memory.bytes == 4096);
  CHECK(lines.rows.size() == 3);
}

TEST_CASE("lines: own times and what is below no Python line add up to all") {
  test::PythonRun python;
  for (const fold::Frames frames : {fold::Frames::Mixed, fold::Frames::Python}) {
    python.selection.fold.frames = frames;
    const fold::Lines lines = fold::lines(python.run, python.symbols, python.selection);
    std::int64_t sum = lines.no_python_ns;
    for (const SourceLine& line : lines.rows) sum += line.own_ns();
    CHECK(sum == lines.total_ns);
    CHECK(row(lines, "train.py", 5).native_ns == 30 * kMs);
  }
}

TEST_CASE("lines: a thread's alone") {
  test::PythonRun python;
  python.selection.threads = {"1001"};
  const fold::Lines lines = fold::lines(python.run, python.symbols, python.selection);
  CHECK(lines.total_ns == 30 * kMs);
  CHECK(row(lines, "train.py", 5).python_ns == 0);
}

TEST_CASE("lines: native code without debug information has none") {
  const test::SmallRun small;
  const fold::Lines lines = fold::lines(small.run, small.symbols, small.selection);
  CHECK(lines.rows.empty());
  CHECK_FALSE(lines.any(Language::Native));
  CHECK(lines.no_python_ns == lines.total_ns);
}
