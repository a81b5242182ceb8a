// The memory of lines of source as columns.
#pragma once

#include <string>
#include <vector>

#include "report/fold/time/lines.hpp"
#include "report/show/sheet.hpp"

namespace prof::show {

// Columns, and their cells of a line; in a table only where that is of memory in the first place. What was not recorded
// has no value.
std::vector<Column> line_memory_columns(bool memory_first, const fold::Lines& lines);
std::vector<Cell> line_memory_cells(const fold::SourceLine& row, const fold::Lines& lines, bool heap_recorded);

// What the columns mean.
std::string line_memory_caption();

}  // namespace prof::show
