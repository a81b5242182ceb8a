// Columns of large arrays that a function of Python is given, by the source.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "report/findings/places.hpp"
#include "report/findings/source_words.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {

// Whether the name is of what is known to lie column by column, or to be no array at all: "frame.values", "x.T".
bool may_lie_by_columns(const Lines& lines, std::string_view name);

// Whether an index is a number, or what a loop further up counts: with an array of indices it is a copy.
bool is_counted(const Lines& lines, std::size_t number, std::string_view index);

// Where a loop calls what leads to line `hot` with a column that this line uses by the name of a parameter:
// "analyse(stack[:, row, col])". `calls`: the lines that lead there, innermost first. None: nowhere.
std::optional<Place> column_given_to(symbols::SourceFiles& files, const Place& hot, std::span<const Place> calls);

}  // namespace prof::findings
