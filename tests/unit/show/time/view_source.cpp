#include "report/formats/csv.hpp"
#include "report/show/table.hpp"
#include "report/show/view.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sheets.hpp"
#include "tests/unit/support/python_run.hpp"
#include "tests/unit/support/sheet_cells.hpp"

using namespace prof;
using show::Sheet;
using test::cell;
using test::milliseconds;
using test::number;
using test::says;
using test::text;

namespace {

std::string refused(const show::Subject& subject, const std::string& focus) {
  try {
    test::sheet_of("source", subject, {.focus = focus});
  } catch (const show::NoSuchFocus& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("source: every line of the file, figures where there are any") {
  const test::PythonRun python;
  const Sheet sheet = test::sheet_of("source", python.subject(), {.focus = "train.py"});
  REQUIRE(sheet.rows.size() == 11);
  CHECK(cell(sheet, 4, "line") == number(5));
  CHECK(cell(sheet, 4, "source") == text("        a = work()"));
  CHECK(cell(sheet, 4, "cpu_native_ns") == milliseconds(30));
  CHECK(cell(sheet, 5, "allocated_bytes") == number(4096));
  CHECK(cell(sheet, 0, "cumtime_ns") == text(""));
  CHECK(cell(sheet, 8, "source") == text("                return '\x1b[31m'"));  // tabs expanded
  const std::string shown = show::table(sheet, show::Terminal{}) + formats::csv(sheet);
  CHECK(shown.find('\x1b') == std::string::npos);
  CHECK(shown.find("\\x1b[31m") != std::string::npos);
  const Sheet csv = test::sheet_of("source", python.subject(), {.everything = true, .focus = "train.py"});
  CHECK(cell(csv, 0, "cumtime_ns") == show::Cell());
  CHECK(cell(csv, 4, "cumtime_ns") == milliseconds(60));
}

TEST_CASE("source: a function by its name, whole or the last part of it") {
  const test::PythonRun python;
  for (const char* name : {"Trainer.fit", "fit"}) {
    const Sheet sheet = test::sheet_of("source", python.subject(), {.focus = name});
    REQUIRE(sheet.rows.size() == 3);
    CHECK(cell(sheet, 0, "line") == number(4));
    CHECK(cell(sheet, 2, "line") == number(6));
  }
}

TEST_CASE("source: what is not there, or is more than one thing, is answered with candidates") {
  test::PythonRun python;
  CHECK(refused(python.subject(), "").find("--focus FILE") != std::string::npos);
  CHECK(refused(python.subject(), "").find("train.py") != std::string::npos);
  CHECK(refused(python.subject(), "rain.py").find("no file or function of that name") != std::string::npos);
  model::Code other = python.run.processes.front().codes.at(1);
  other.first_line = 8;
  other.qualname = "Other.fit";
  python.run.processes.front().codes.push_back(other);
  const std::string answer = refused(python.subject(), "fit");
  CHECK(answer.find("Trainer.fit (train.py:4)") != std::string::npos);
  CHECK(answer.find("Other.fit (train.py:8)") != std::string::npos);
  CHECK(refused(python.subject(), "Other.fit").empty());
  other.file = "/elsewhere/train.py";
  python.run.processes.front().codes.push_back(other);
  CHECK(refused(python.subject(), "train.py").empty());  // one is called exactly so
  CHECK(refused(python.subject(), "elsewhere/train.py").empty());
}

TEST_CASE("source: a file that is gone, too short or newer than the run is said to be") {
  test::PythonRun python;
  python.write_source("import json\n");
  const Sheet small = test::sheet_of("source", python.subject(), {.focus = "train.py"});
  CHECK(says(small, "has only 1 lines now, but line 11 was seen"));
  REQUIRE(small.rows.size() == 4);
  CHECK(cell(small, 1, "line") == number(5));
  CHECK(cell(small, 1, "source") == text("(not in the file)"));
  python.write_source(test::kSource);
  python.run.start_realtime_ns = 1'000'000'000;
  CHECK(says(test::sheet_of("source", python.subject(), {.focus = "train.py"}), "changed after the run began"));
  std::filesystem::remove(python.source());
  const Sheet gone = test::sheet_of("source", python.subject(), {.focus = "train.py"});
  CHECK(says(gone, "cannot be read here"));
  CHECK(gone.rows.size() == 3);
}

TEST_CASE("source: a line number beyond all files makes no endless table") {
  test::PythonRun python;
  for (model::Frame& frame : python.run.processes.front().tree.frames) {
    if (frame.kind == model::Frame::Kind::Python) frame.kind = model::Frame::Kind::PythonLine, frame.line = UINT32_MAX;
  }
  python.run.processes.front().codes.at(1).qualname = "<lambda>";
  python.symbols = symbols::symbolize(python.run);
  for (const char* focus : {"train.py", "<lambda>", "<module>"}) {
    CHECK(test::sheet_of("source", python.subject(), {.focus = focus}).rows.size() < 20);
  }
}
