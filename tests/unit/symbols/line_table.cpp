#include "report/symbols/line_table.hpp"

#include <random>
#include <sstream>
#include <string>

#include "agent/contract/format.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/interpreters.hpp"

using namespace prof;
using symbols::LineTable;

namespace {

std::string bytes_of(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

struct Tally {
  std::size_t tables = 0, places = 0, differences = 0;
  std::string first_difference;
};

// Every byte of every code object that the interpreter told of. A place without a line counts to the line before it.
Tally compare(const test::Interpreter& interpreter, const std::string& told) {
  Tally tally;
  std::istringstream lines(told);
  std::string word;
  std::int32_t first_line = 0;
  std::uint32_t before = 0;
  LineTable table("", 3, 11, 0);
  while (lines >> word) {
    if (word == "code") {
      std::string hex;
      lines >> first_line >> hex;
      table = LineTable(hex == "-" ? "" : bytes_of(hex), interpreter.major, interpreter.minor, first_line);
      before = static_cast<std::uint32_t>(first_line);
      ++tally.tables;
      continue;
    }
    std::uint32_t begin = 0, end = 0, line = 0;
    lines >> begin >> end >> line;
    if (line == 0) line = before;
    before = line;
    for (std::uint32_t place = begin; place < end; ++place) {
      ++tally.places;
      if (table.line_at(place) == line) continue;
      if (tally.differences++ == 0) {
        tally.first_difference = "code of line " + std::to_string(first_line) + ", place " + std::to_string(place) +
                                 ": " + std::to_string(table.line_at(place)) + ", the interpreter says " +
                                 std::to_string(line);
      }
    }
  }
  return tally;
}

}  // namespace

TEST_CASE("lines are those that every interpreter here sees itself", "[symbols][python]") {
  if (test::interpreters().empty()) {
    WARN("no Python interpreter here: set PROF_TEST_PYTHONS to compare line tables with one");
    return;
  }
  for (const test::Interpreter& interpreter : test::interpreters()) {
    const auto script = test::source_dir() / "tests/unit/support/line_tables.py";
    const test::Outcome outcome = test::Command({interpreter.program.string(), "-I", script.string()}).limit(100).run();
    INFO(interpreter.program << " " << interpreter.version << "\n" << outcome.err);
    REQUIRE(outcome.ok());
    const Tally tally = compare(interpreter, outcome.out);
    INFO(tally.tables << " tables, " << tally.places << " places, " << tally.differences
                      << " differences; first: " << tally.first_difference);
    CHECK(tally.tables > 500);
    CHECK(tally.places > 100'000);
    CHECK(tally.differences == 0);
  }
}

TEST_CASE("lines before Python 3.10: pairs of steps", "[symbols]") {
  // 6 bytes of line 10, then line 11 for 4, then back to line 9; a step of 300 lines takes three pairs.
  const LineTable table(std::string("\x06\x01\x04\xfe\x02\x7f\x00\x7f\x00\x2e", 10), 3, 8, 10);
  CHECK(table.line_at(0) == 10);
  CHECK(table.line_at(5) == 10);
  CHECK(table.line_at(6) == 11);
  CHECK(table.line_at(9) == 11);
  CHECK(table.line_at(10) == 9);
  CHECK(table.line_at(12) == 309);
  CHECK(table.line_at(5000) == 309);
}

TEST_CASE("lines of Python 3.10: runs with a change before each", "[symbols]") {
  const LineTable table(std::string("\x04\x01\x00\x05\x02\x80\x02\xff", 8), 3, 10, 10);
  CHECK(table.line_at(0) == 11);
  CHECK(table.line_at(3) == 11);
  CHECK(table.line_at(4) == 11);  // of no line: the line before
  CHECK(table.line_at(6) == 15);
}

TEST_CASE("lines from Python 3.11 on: entries of every form", "[symbols]") {
  // none (1 unit); one line +1 (1); short (2); no columns -3 (1); long +70 (1)
  const std::string bytes("\xf8\xd8\x01\x02\x81\x00\xe8\x07\xf0\x4c\x02\x00\x01\x01", 14);
  const LineTable table(bytes, 3, 11, 10);
  CHECK(table.line_at(0) == 10);
  CHECK(table.line_at(2) == 11);
  CHECK(table.line_at(4) == 11);
  CHECK(table.line_at(8) == 8);
  CHECK(table.line_at(10) == 78);
}

TEST_CASE("what has not begun, or is meant as a whole, is at the first line", "[symbols]") {
  const LineTable table(std::string("\xd9\x01\x02", 3), 3, 12, 10);
  CHECK(table.line_at(0) == 11);
  CHECK(table.line_at(log::kNotStarted) == 10);
  CHECK(table.line_at(log::kWholeCode) == 10);
  CHECK(LineTable("", 3, 12, 7).line_at(100) == 7);
  CHECK(LineTable("", 3, 12, -5).line_at(100) == 0);
  CHECK(LineTable(std::string("\xd9\x01\x02", 3), 2, 7, 10).line_at(0) == 10);
}

TEST_CASE("any bytes make a line table", "[symbols]") {
  std::mt19937_64 random(20261121);
  std::uint64_t sum = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes(random() % 60, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    const auto minor = static_cast<unsigned>(random() % 20);
    const LineTable table(bytes, 3, minor, static_cast<std::int32_t>(random()));
    for (int i = 0; i < 20; ++i) sum += table.line_at(static_cast<std::uint32_t>(random() >> random() % 64));
  }
  CHECK(sum != 0);
  const std::string deep(100'000, '\xe8');
  CHECK(LineTable(deep, 3, 13, INT32_MAX).line_at(5) == INT32_MAX);
}
