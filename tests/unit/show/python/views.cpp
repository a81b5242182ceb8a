#include <algorithm>

#include "report/formats/csv.hpp"
#include "report/show/table.hpp"
#include "report/show/view.hpp"
#include "report/symbols/source_files.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sheets.hpp"
#include "tests/unit/support/python_run.hpp"
#include "tests/unit/support/sheet_cells.hpp"
#include "tests/unit/support/show_run.hpp"

using namespace prof;
using show::Sheet;
using show::SortKey;
using test::cell;
using test::number;
using test::says;
using test::text;

namespace {

constexpr std::int64_t kMs = 1'000'000;

std::string refused(const show::Subject& subject, const std::string& focus) {
  try {
    test::sheet_of("source", subject, {.focus = focus});
  } catch (const show::NoSuchFocus& error) {
    return error.what();
  }
  return {};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines{""};
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  return lines;
}

}  // namespace

TEST_CASE("lines: Python lines with their source, and no table of native lines where there are none") {
  const test::PythonRun python;
  const std::vector<Sheet> sheets = test::sheets_of("lines", python.subject(), {});
  REQUIRE(sheets.size() == 1);
  const Sheet& sheet = sheets.front();
  CHECK(cell(sheet, 0, "place") == text("train.py:5"));
  CHECK(cell(sheet, 0, "cpu_python_ns") == number(30 * kMs));
  CHECK(cell(sheet, 0, "cpu_native_ns") == number(30 * kMs));
  CHECK(cell(sheet, 0, "name") == text("Trainer.fit"));
  CHECK(cell(sheet, 0, "source") == text("a = work()"));
  CHECK(says(sheet, "5.00 ms of CPU time (6.7 %) was below no Python line"));
  CHECK(says(sheet, "--view source --focus train.py"));
  CHECK(cell(test::sheets_of("lines", python.subject(), {.sort = SortKey::Cumtime}).front(), 0, "place") ==
        text("train.py:11"));
  CHECK(cell(test::sheets_of("lines", python.subject(), {.sort = SortKey::Allocated}).front(), 0, "place") ==
        text("train.py:6"));
  CHECK(test::sheets_of("lines", python.subject(), {.limit = 1}).front().rows.size() == 1);
  CHECK(says(test::sheets_of("lines", python.subject(), {.language = symbols::Language::Native}).front(),
             "No native line is known"));
  const test::SmallRun native;
  CHECK(says(test::sheets_of("lines", native.subject(), {}).front(), "No Python line was seen"));
}

TEST_CASE("source: every line of the file, figures where there are any") {
  const test::PythonRun python;
  const Sheet sheet = test::sheet_of("source", python.subject(), {.focus = "train.py"});
  REQUIRE(sheet.rows.size() == 11);
  CHECK(cell(sheet, 4, "line") == number(5));
  CHECK(cell(sheet, 4, "source") == text("        a = work()"));
  CHECK(cell(sheet, 4, "cpu_native_ns") == number(30 * kMs));
  CHECK(cell(sheet, 5, "allocated_bytes") == number(4096));
  CHECK(cell(sheet, 0, "cumtime_ns") == text(""));
  CHECK(cell(sheet, 8, "source") == text("                return '\x1b[31m'"));  // tabs expanded
  const std::string shown = show::table(sheet, show::Terminal{}) + formats::csv(sheet);
  CHECK(shown.find('\x1b') == std::string::npos);
  CHECK(shown.find("\\x1b[31m") != std::string::npos);
  const Sheet csv = test::sheet_of("source", python.subject(), {.everything = true, .focus = "train.py"});
  CHECK(cell(csv, 0, "cumtime_ns") == show::Cell());
  CHECK(cell(csv, 4, "cumtime_ns") == number(60 * kMs));
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

TEST_CASE("source files: only regular files are read") {
  const test::PythonRun python;
  symbols::SourceFiles files(python.run);
  CHECK(files.file("train.py").readable);
  CHECK(files.line("train.py", 1) == "import json");
  CHECK(files.line("train.py", 12).empty());
  CHECK(files.line("train.py", 0).empty());
  for (const char* name : {"/dev/zero", "/", "", "<string>", "no-such.py"}) CHECK_FALSE(files.file(name).readable);
}

TEST_CASE("the last line of a function is that of its block") {
  const std::vector<std::string> source = lines_of(
      "@decorated\n"            // 1
      "@twice(\n"               // 2
      "    1)\n"                // 3
      "def f(\n"                // 4
      "    a,\n"                // 5
      "):\n"                    // 6
      "    if a:\n"             // 7
      "# a comment\n"           // 8
      "\n"                      // 9
      "        return 1\n"      // 10
      "    return 2\n"          // 11
      "\n"                      // 12
      "x = 1\n"                 // 13
      "    async def g(): 0\n"  // 14
      "    y\n");               // 15
  CHECK(symbols::last_line_of_function(source, 1, 7) == 11);
  CHECK(symbols::last_line_of_function(source, 4, 4) == 11);
  CHECK(symbols::last_line_of_function(source, 14, 14) == 14);
  CHECK(symbols::last_line_of_function(source, 4, 13) == 13);  // a line that was seen is in it
  CHECK(symbols::last_line_of_function(source, 99, 7) == 7);
  CHECK(symbols::last_line_of_function(source, 99, UINT32_MAX) == 16);
  CHECK(symbols::last_line_of_function(source, 1, UINT32_MAX) == 16);
  CHECK(symbols::last_line_of_function(source, 15, 99) == 16);
}

TEST_CASE("calls: cProfile's table") {
  const test::PythonRun python;
  const Sheet sheet = test::sheet_of("calls", python.subject(), {});
  REQUIRE(sheet.rows.size() == 3);
  CHECK(cell(sheet, 0, "ncalls") == text("8/2"));
  CHECK(cell(sheet, 0, "tottime_ns") == number(40 * kMs));
  CHECK(cell(sheet, 0, "tottime_percall") == text("5.00 ms"));
  CHECK(cell(sheet, 0, "cumtime_ns") == number(90 * kMs));
  CHECK(cell(sheet, 0, "cumtime_percall") == text("45.0 ms"));
  CHECK(cell(sheet, 0, "place") == text("train.py:4(Trainer.fit)"));
  CHECK(cell(sheet, 1, "place") == text("{built-in method builtins.len}"));
  CHECK(cell(sheet, 1, "ncalls") == text("12"));
  CHECK(says(sheet, "21 calls of 3 functions, in 51.0 ms"));
  CHECK(cell(test::sheet_of("calls", python.subject(), {.sort = SortKey::Calls}), 0, "calls") == number(12));
  CHECK(cell(test::sheet_of("calls", python.subject(), {.sort = SortKey::Cumtime}), 0, "function") == text("<module>"));
}

TEST_CASE("calls: a focus shows the callers above each function") {
  const test::PythonRun python;
  const Sheet sheet = test::sheet_of("calls", python.subject(), {.focus = "fit$"});
  REQUIRE(sheet.rows.size() == 3);
  CHECK(cell(sheet, 0, "relation") == text("caller"));
  CHECK(cell(sheet, 0, "place") == text("<- train.py:1(<module>)"));
  CHECK(cell(sheet, 0, "cumtime_ns") == number(90 * kMs));
  CHECK(cell(sheet, 1, "ncalls") == text("6/2"));
  CHECK(cell(sheet, 1, "cumtime_ns") == number(60 * kMs));
  CHECK(cell(sheet, 2, "relation") == text("function"));
  CHECK(says(test::sheet_of("calls", python.subject(), {.focus = "nothing"}), "No function that was called matches"));
  const Sheet module = test::sheet_of("calls", python.subject(), {.focus = "<module>"});
  CHECK(cell(module, 0, "place") == text("<- (nobody while calls were counted)"));
  CHECK(test::sheet_of("calls", python.subject(), {.focus = "train\\.py"}).rows.size() == 5);
}

TEST_CASE("line hits: line_profiler's table, lines without hits included") {
  const test::PythonRun python;
  const std::vector<Sheet> sheets = test::sheets_of("line-hits", python.subject(), {});
  REQUIRE(sheets.size() == 1);
  const Sheet& sheet = sheets.front();
  CHECK(sheet.title == "Trainer.fit (train.py:4)");
  REQUIRE(sheet.rows.size() == 3);
  CHECK(cell(sheet, 0, "hits") == text(""));
  CHECK(cell(sheet, 0, "source") == text("    def fit(self):"));
  CHECK(cell(sheet, 1, "hits") == number(8));
  CHECK(cell(sheet, 1, "time_ns") == number(6 * kMs));
  CHECK(cell(sheet, 1, "time_per_hit") == text("750 us"));
  CHECK(std::get<double>(cell(sheet, 2, "time_share")) == Approx(0.75));
  const Sheet csv = test::sheets_of("line-hits", python.subject(), {.everything = true}).front();
  CHECK(csv.rows.size() == 2);
  CHECK(cell(csv, 0, "function") == text("Trainer.fit"));
  CHECK(says(test::sheets_of("line-hits", python.subject(), {.focus = "nothing"}).front(), "is left"));
}

TEST_CASE("imports: an indented tree, or a flat list when sorted") {
  const test::PythonRun python;
  const Sheet tree = test::sheets_of("imports", python.subject(), {}).front();
  REQUIRE(tree.rows.size() == 5);
  CHECK(cell(tree, 0, "tree") == text("json"));
  CHECK(cell(tree, 0, "self_ns") == number(12 * kMs));
  CHECK(cell(tree, 0, "total_ns") == number(20 * kMs));
  CHECK(cell(tree, 0, "start_ns") == number(10 * kMs));
  CHECK(cell(tree, 2, "tree") == text("    json.scanner"));
  CHECK(cell(tree, 3, "tree") == text("  json.encoder (failed)"));
  CHECK(says(tree, "5 imports that loaded a module, in 1 process; % is of 30.0 ms"));

  const Sheet pruned = test::sheets_of("imports", python.subject(), {.min_percent = 12}).front();
  CHECK(pruned.rows.size() == 3);
  CHECK(says(pruned, "2 imports below 12 % of all left out"));
  const Sheet flat =
      test::sheets_of("imports", python.subject(), {.sort = SortKey::Tottime, .min_percent = 12}).front();
  REQUIRE(flat.rows.size() == 5);
  CHECK(cell(flat, 1, "tree") == text("enum"));
  CHECK(test::sheets_of("imports", python.subject(), {.everything = true}).size() == 1);
  CHECK(test::sheets_of("imports", python.subject(), {}).size() == 2);
}

TEST_CASE("views of exact counts say how to get them when there are none") {
  const test::SmallRun native;
  CHECK(says(test::sheet_of("calls", native.subject(), {}), "prof run --python calls"));
  CHECK(says(test::sheets_of("line-hits", native.subject(), {}).front(), "prof run --python lines"));
  CHECK(says(test::sheets_of("imports", native.subject(), {}).front(), "No import was recorded"));
  CHECK(show::table(test::sheet_of("calls", native.subject(), {}), show::Terminal{}).find("ncalls") ==
        std::string::npos);
}

TEST_CASE("every row of the views of Python has a cell for each column") {
  const test::PythonRun python;
  for (const bool everything : {false, true}) {
    std::vector<Sheet> sheets = test::sheets_of("lines", python.subject(), {.everything = everything});
    const show::ViewOptions focused{.everything = everything, .focus = "fit"};
    sheets.push_back(test::sheet_of("source", python.subject(), focused));
    sheets.push_back(test::sheet_of("calls", python.subject(), focused));
    sheets.push_back(test::sheet_of("calls", python.subject(), {.everything = everything}));
    for (Sheet& sheet : test::sheets_of("line-hits", python.subject(), {.everything = everything}))
      sheets.push_back(sheet);
    sheets.push_back(test::sheets_of("imports", python.subject(), {.everything = everything}).front());
    for (const Sheet& sheet : sheets) {
      INFO(sheet.title);
      CHECK_FALSE(sheet.rows.empty());
      for (const show::Row& row : sheet.rows) CHECK(row.cells.size() == sheet.columns.size());
    }
  }
}
