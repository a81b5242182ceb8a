// What the views of every program say of Python.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/formats/json.hpp"
#include "report/show/names.hpp"
#include "report/show/python/python_text.hpp"
#include "report/summary/summary.hpp"
#include "report/symbols/demangle.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sheets.hpp"
#include "tests/unit/support/python_run.hpp"
#include "tests/unit/support/sheet_cells.hpp"
#include "tests/unit/support/show_run.hpp"

using namespace prof;
using nlohmann::json;
using show::Sheet;
using test::cell;
using test::number;
using test::text;

namespace {

show::Where shown(const Sheet& sheet, const std::string& key) {
  for (const show::Column& column : sheet.columns) {
    if (column.key == key) return column.where;
  }
  return show::Where::DataOnly;
}

}  // namespace

TEST_CASE("functions: both languages in one table, or one alone", "[show][python]") {
  const test::PythonRun python;
  const Sheet both = test::sheet_of("functions", python.subject(), {});
  CHECK(cell(both, "name", "Trainer.fit", "language") == text("python"));
  CHECK(cell(both, "name", "Trainer.fit", "place") == text("train.py:4"));
  CHECK(cell(both, "name", "Trainer.fit", "tottime_ns") == number(30'000'000));
  CHECK(cell(both, "name", "libwork.so+0x100", "language") == text("native"));
  CHECK(shown(both, "language") == show::Where::Everywhere);
  const Sheet alone = test::sheet_of("functions", python.subject(), {.language = symbols::Language::Python});
  CHECK(alone.rows.size() == 3);
  CHECK(shown(alone, "language") == show::Where::DataOnly);
  CHECK(test::sheet_of("functions", python.subject(), {.language = symbols::Language::Native}).rows.size() >= 3);
}

TEST_CASE("functions: calls are exact or nothing", "[show][python]") {
  test::PythonRun python;
  const Sheet sheet = test::sheet_of("functions", python.subject(), {.sort = show::SortKey::Calls});
  CHECK(cell(sheet, "name", "Trainer.fit", "calls") == number(8));  // 2 by the module, 6 by itself
  CHECK(cell(sheet, "name", "<module>", "calls") == number(1));
  CHECK(cell(sheet, "name", "libwork.so+0x100", "calls") == show::Cell());
  CHECK(shown(sheet, "calls") == show::Where::Everywhere);
  CHECK(sheet.rows.front().cells.front() == text("Trainer.fit"));
  python.selection.threads = {"helper"};  // by its name in Python
  const Sheet helper = test::sheet_of("functions", python.subject(), {});
  CHECK(cell(helper, "name", "Trainer.fit", "calls") == show::Cell());
  CHECK(cell(helper, "name", "libwork.so+0x100", "tottime_ns") == number(30'000'000));
  for (model::Process& process : python.run.processes) process.tree.calls.clear();
  CHECK(shown(test::sheet_of("functions", python.subject(), {}), "calls") == show::Where::DataOnly);
}

TEST_CASE("threads and modules: names of Python", "[show][python]") {
  const test::PythonRun python;
  const Sheet threads = test::sheet_of("threads", python.subject(), {});
  CHECK(cell(threads, "name", "helper", "cpu_ns") == number(30'000'000));
  const Sheet modules = test::sheet_of("libraries", python.subject(), {});
  CHECK(cell(modules, "name", "train.py", "tottime_ns") == number(30'000'000));
}

TEST_CASE("the summary says which interpreter ran and whether its frames are there", "[show][python]") {
  test::PythonRun python;
  const auto summary = [&] { return show::summary(python.subject(), {}, show::Terminal{.width = 1000}); };
  CHECK(summary().find("Python     3.10.13: Python frames in 0 stacks; exact calls: --view calls.") !=
        std::string::npos);
  CHECK(summary().find("  train.py:5 ") != std::string::npos);
  CHECK(summary().find("--view own\n") != std::string::npos);

  model::PythonInfo& info = *python.run.processes.at(0).python;
  info = {"3.13.0t", "", false, "a free-threaded build", "frames", "a note"};
  CHECK(show::python_sentences(python.subject()) ==
        std::vector<std::string>{"3.13.0t: no Python frames, native ones alone (a free-threaded build). a note."});
  python.run.processes.push_back(python.run.processes.front());
  python.run.processes.back().python->version = "3.8.18";
  CHECK(show::python_sentences(python.subject()).size() == 2);
  CHECK(show::python_sentences(python.subject())[1].find("3.8.18 in 1 process: ") == 0);

  const test::SmallRun small;
  CHECK(show::summary(small.subject(), {}, show::Terminal{.width = 1000}).find("Python") == std::string::npos);
}

TEST_CASE("JSON: languages, calls, threads and the interpreter", "[formats][python]") {
  const test::PythonRun python;
  const json report = json::parse(formats::json(python.subject(), {.everything = true}));
  const json& process = report.at("processes").at(0);
  CHECK(process.at("python") == "3.10.13");
  CHECK(process.at("python_frames").at("on") == true);
  CHECK(process.at("python_frames").at("mode") == "calls");
  CHECK(process.at("python_frames").at("reason").is_null());
  CHECK(process.at("thread_list").at(0).at("python_name").is_null());
  CHECK(process.at("thread_list").at(1).at("python_name") == "helper");
  CHECK(process.at("thread_list").at(1).at("name") == "python3");
  bool found = false;
  for (const json& function : report.at("functions")) {
    if (function.at("name") != "Trainer.fit") continue;
    found = true;
    CHECK(function.at("language") == "python");
    CHECK(function.at("file") == "train.py");
    CHECK(function.at("line") == 4);
    CHECK(function.at("calls") == 8);
    CHECK(function.at("module").is_null());
  }
  CHECK(found);
  const json& stack = report.at("heap").at("sites").at(0).at("stack");
  CHECK(stack.at(0).at("language") == "native");
  CHECK(stack.at(1).at("language") == "python");
  CHECK(stack.at(1).at("line") == 6);
  CHECK(report.at("selection").at("frames") == "mixed");
  const json native =
      json::parse(formats::json(python.subject(), {.everything = true, .language = symbols::Language::Native}));
  for (const json& function : native.at("functions")) CHECK(function.at("language") == "native");
}

TEST_CASE("files and modules of Python have short names", "[show][python]") {
  CHECK(show::short_file("/usr/lib/python3/torch/__init__.py") == "torch/__init__.py");
  CHECK(show::short_file("/home/me/train.py") == "train.py");
  CHECK(show::short_file("__init__.py") == "__init__.py");
  CHECK(symbols::without_abi_tag("_json.cpython-311-x86_64-linux-gnu.so+0x4e20") == "_json.so+0x4e20");
  CHECK(symbols::without_abi_tag("libm.so.6") == "libm.so.6");
  CHECK(symbols::without_abi_tag("a.cpython-/b.so") == "a.cpython-/b.so");
}

namespace {

// What the heap's view says of one site: twelve native functions below load() in `file`, which top() in a.py called.
Sheet deep_site(const std::string& file) {
  char pattern[] = "/tmp/prof-unit-XXXXXX";
  const std::filesystem::path directory = mkdtemp(pattern);
  test::LogBuilder log;
  log.header.heap_mode = log::HeapMode::Sampled;
  log.info(log::InfoKey::Python, "version=3.11.2\nframes=on\npath=/nowhere/python3.11");
  const auto library = log.module("/nowhere/lib.so"), python = log.module("/nowhere/python3.11");
  std::uint32_t node = log.node(0, log.python(log.code("top", "", "a.py", 1), 0));
  node = log.node(node, log.python(log.code("load", "", file, 20), 0));
  for (std::uint64_t i = 1; i <= 12; ++i) node = log.node(node, log.native(library, i));
  node = log.node(node, log.native(python, 1));  // the interpreter's allocator
  log.memory(log::RecordClass::Heap, node, test::memory_words(log::kCountUnit, 4096, 0, 0, 0, 0, 1));
  log.write(directory / "1.1.proflog");
  const model::Run run = model::load(directory);
  std::filesystem::remove_all(directory);
  const symbols::Symbols symbols = symbols::symbolize(run);
  const fold::Selection selection;
  return test::sheets_of("heap", {run, symbols, selection}, {}).front();
}

}  // namespace

TEST_CASE("heap: the line of Python is shown, however much native code is above it", "[show][python]") {
  const Sheet sheet = deep_site("a.py");
  REQUIRE(sheet.rows.size() == 8);
  const auto name = [&](std::size_t row) { return std::get<std::string>(sheet.rows[row].cells[13]); };
  CHECK(name(0) == "lib.so+0xc");
  CHECK(name(6) == "  <- lib.so+0x6");
  CHECK(name(7) == "  <- ... <- load (+1 callers)");
  CHECK(sheet.rows[7].cells[14] == text("a.py:20"));
}

TEST_CASE("heap: of lines of Python the user's own is shown", "[show][python]") {
  const Sheet sheet = deep_site("/v/site-packages/loader.py");
  REQUIRE(sheet.rows.size() == 8);
  CHECK(sheet.rows[7].cells[13] == text("  <- ... <- top"));
  CHECK(sheet.rows[7].cells[14] == text("a.py:1"));
}
