// The sheets of a view of `prof report` by its name, of a run that a test made.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/show/sheet.hpp"
#include "report/summary/views.hpp"

namespace prof::test {

inline std::vector<show::Sheet> sheets_of(std::string_view view, const show::Subject& subject,
                                          const show::ViewOptions& options) {
  const show::View* row = show::view_named(view);
  if (row == nullptr) throw std::invalid_argument("no view is called " + std::string(view));
  return row->sheets(subject, options);
}

// Of a view that is one sheet.
inline show::Sheet sheet_of(std::string_view view, const show::Subject& subject, const show::ViewOptions& options) {
  std::vector<show::Sheet> sheets = sheets_of(view, subject, options);
  if (sheets.size() != 1) throw std::logic_error(std::string(view) + " is not one sheet");
  return std::move(sheets.front());
}

}  // namespace prof::test
