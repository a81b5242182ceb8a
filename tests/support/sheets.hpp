// The sheets of a view of `prof report` by its name, of a run that a test made.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "report/show/sheet.hpp"
#include "report/summary/views.hpp"

namespace prof::test {

// A column of numbers has no words, but for "8/2" calls: the page would show none of them. Throws where one has.
inline void check_kinds(const show::Sheet& sheet) {
  for (const show::Row& row : sheet.rows) {
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const auto* words = std::get_if<std::string>(&row.cells[i]);
      if (words != nullptr && !words->empty() && sheet.columns.at(i).kind != show::Kind::Text &&
          sheet.columns[i].key != "ncalls")
        throw std::logic_error("words in the column " + sheet.columns[i].key + ": " + *words);
    }
  }
}

inline std::vector<show::Sheet> sheets_of(std::string_view view, const show::Subject& subject,
                                          const show::ViewOptions& options) {
  const show::View* row = show::view_named(view);
  if (row == nullptr) throw std::invalid_argument("no view is called " + std::string(view));
  std::vector<show::Sheet> sheets = row->sheets(subject, options);
  for (const show::Sheet& sheet : sheets) check_kinds(sheet);
  return sheets;
}

// Of a view that is one sheet.
inline show::Sheet sheet_of(std::string_view view, const show::Subject& subject, const show::ViewOptions& options) {
  std::vector<show::Sheet> sheets = sheets_of(view, subject, options);
  if (sheets.size() != 1) throw std::logic_error(std::string(view) + " is not one sheet");
  return std::move(sheets.front());
}

}  // namespace prof::test
