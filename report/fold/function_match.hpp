// Functions that rules and folds know by name: where they stand, and how their names begin.
#pragma once

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>

#include "report/model/text.hpp"
#include "report/symbols/symbols.hpp"

namespace prof::fold {

// Of Python: how the path of its file ends, or with '/' at the end what is in it; and the last part of its name. Empty:
// any.
struct FunctionAt {
  std::string_view file, function;
};

inline bool is_any(const symbols::Function& function, std::span<const FunctionAt> rows) {
  if (function.language != symbols::Language::Python) return false;
  const std::string_view file = function.file;
  const std::string_view name = last_part(function.name);
  return std::any_of(rows.begin(), rows.end(), [&](const FunctionAt& row) {
    const bool there =
        row.file.ends_with('/') ? file.find(row.file) != std::string_view::npos : file.ends_with(row.file);
    return there && (row.function.empty() || row.function == name);
  });
}

}  // namespace prof::fold
