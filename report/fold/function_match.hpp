// Functions that rules and folds know by name: where they stand, and how their names begin.
#pragma once

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>

#include "report/model/text.hpp"
#include "report/symbols/symbols.hpp"

namespace prof::fold {

// Of Python: how the path of its file ends, or with '/' at the end what is in it; and the last part of its name. Of
// other languages: a part of the module's path, and the whole name. Empty: any.
struct FunctionAt {
  std::string_view file, function;
  symbols::Language language = symbols::Language::Python;
};

inline bool is_at(const symbols::Function& function, const FunctionAt& row) {
  if (function.language != row.language) return false;
  if (row.language != symbols::Language::Python) {
    const std::string_view module = function.module;
    return module.find(row.file) != std::string_view::npos && (row.function.empty() || row.function == function.name);
  }
  const std::string_view file = function.file;
  const bool there = row.file.ends_with('/') ? file.find(row.file) != std::string_view::npos : file.ends_with(row.file);
  return there && (row.function.empty() || row.function == last_part(function.name));
}

inline bool is_any(const symbols::Function& function, std::span<const FunctionAt> rows) {
  return std::any_of(rows.begin(), rows.end(), [&](const FunctionAt& row) { return is_at(function, row); });
}

}  // namespace prof::fold
