#include "report/show/view.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sheets.hpp"
#include "tests/unit/support/findings_run.hpp"
#include "tests/unit/support/python_run.hpp"
#include "tests/unit/support/sheet_cells.hpp"
#include "tests/unit/support/show_run.hpp"

using namespace prof;
using show::Sheet;
using show::SortKey;
using test::cell;
using test::milliseconds;
using test::says;
using test::text;

TEST_CASE("lines: Python lines with their source, and no table of native lines where there are none") {
  const test::PythonRun python;
  const std::vector<Sheet> sheets = test::sheets_of("lines", python.subject(), {});
  REQUIRE(sheets.size() == 1);
  const Sheet& sheet = sheets.front();
  CHECK(cell(sheet, 0, "place") == text("train.py:5"));
  CHECK(cell(sheet, 0, "cpu_python_ns") == milliseconds(30));
  CHECK(cell(sheet, 0, "cpu_native_ns") == milliseconds(30));
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

// Catches a table of a language that has no lines taken for one that is there.
TEST_CASE("lines: a language without lines has an empty table", "[show]") {
  const test::SmallRun small;
  for (const auto language : {symbols::Language::Python, symbols::Language::Native, symbols::Language::Gpu,
                              symbols::Language::Operator, symbols::Language::Wait, symbols::Language::Api}) {
    show::ViewOptions options;
    options.language = language;
    CHECK(test::sheet_of("lines", small.subject(), options).rows.empty());
  }
}

TEST_CASE("lines: those of Java are not called native", "[show]") {
  test::FindingsRun run(false);
  const auto method = run.log.name(log::NameKind::Method, "Orders.total", "Orders.java:4");
  run.log.cpu(run.log.node(0, run.log.frame(log::named_frame(method, 7))), 10, 100 * test::kMs);
  const auto sheets = test::sheets_of("lines", run.subject(), {});
  REQUIRE(sheets.size() == 1);
  CHECK(sheets.front().title == "Lines of compiled code");
  CHECK(cell(sheets.front(), 0, "place") == text("Orders.java:7"));
}
