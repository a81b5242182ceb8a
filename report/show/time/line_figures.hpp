// Figures of lines of source.
#pragma once

#include <string>

#include "report/fold/time/lines.hpp"
#include "report/show/figures.hpp"
#include "report/show/view.hpp"

namespace prof::show {

// Sorted by memory, the table is of memory; else of time.
bool memory_first(const Subject& subject, const ViewOptions& options);

// For a table of lines of `language`.
Figures<fold::SourceLine> line_figures(const Subject& subject, const fold::Lines& lines, const ViewOptions& options,
                                       symbols::Language language = symbols::Language::Python);

// What the columns of memory mean.
std::string line_memory_caption();

}  // namespace prof::show
