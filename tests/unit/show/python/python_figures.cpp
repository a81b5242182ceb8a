#include "report/show/view.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sheets.hpp"
#include "tests/unit/support/python_run.hpp"
#include "tests/unit/support/sheet_cells.hpp"

using namespace prof;
using show::Sheet;
using test::cell;

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
