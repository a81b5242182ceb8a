// What a table says, for tests: a cell by its row and column, and words around the table.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "report/formats/csv.hpp"
#include "report/show/sheet.hpp"
#include "report/show/table.hpp"
#include "tests/support/catch.hpp"

namespace prof::test {

// The index of a column; the test fails where there is none.
inline std::size_t column(const show::Sheet& sheet, const std::string& key) {
  for (std::size_t i = 0; i < sheet.columns.size(); ++i) {
    if (sheet.columns[i].key == key) return i;
  }
  FAIL("no column " << key);
  return 0;
}

inline show::Cell cell(const show::Sheet& sheet, const show::Row& row, const std::string& key) {
  return row.cells.at(column(sheet, key));
}
inline show::Cell cell(const show::Sheet& sheet, std::size_t row, const std::string& key) {
  return cell(sheet, sheet.rows.at(row), key);
}
// Of the first row that has that text in the column `where`; the test fails where there is none.
inline show::Cell cell(const show::Sheet& sheet, const std::string& where, const std::string& value,
                       const std::string& key) {
  for (const show::Row& row : sheet.rows) {
    if (cell(sheet, row, where) == show::Cell(value)) return cell(sheet, row, key);
  }
  FAIL("no row " << value);
  return {};
}

inline show::Cell text(const char* value) { return std::string(value); }
inline show::Cell number(std::int64_t value) { return value; }
inline show::Cell milliseconds(std::int64_t ms) { return ms * 1'000'000; }
inline const show::Cell kUnknown;  // a figure that was not measured

// The sheet itself, which can be written as a table and as CSV.
inline const show::Sheet& whole(const show::Sheet& sheet) {
  for (const show::Row& row : sheet.rows) CHECK(row.cells.size() == sheet.columns.size());
  CHECK_FALSE(show::table(sheet, show::Terminal{}).empty());
  CHECK_FALSE(formats::csv(sheet).empty());
  return sheet;
}

// Whether people see the column, too.
inline bool in_table(const show::Sheet& sheet, const std::string& key) {
  return std::any_of(sheet.columns.begin(), sheet.columns.end(),
                     [&](const show::Column& at) { return at.key == key && at.where != show::Where::DataOnly; });
}

// In a line above or below the table.
inline bool says(const show::Sheet& sheet, const std::string& words) {
  const auto in = [&](const std::string& line) { return line.find(words) != std::string::npos; };
  return std::any_of(sheet.captions.begin(), sheet.captions.end(), in) ||
         std::any_of(sheet.notes.begin(), sheet.notes.end(), in);
}

}  // namespace prof::test
