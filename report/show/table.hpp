// Sheets as tables of text.
#pragma once

#include <string>
#include <vector>

#include "report/show/sheet.hpp"
#include "report/show/terminal.hpp"

namespace prof::show {

// The sheet with its title, captions, aligned columns and notes, ending in a line feed. No line is longer than the
// terminal is wide as far as cutting the texts that may be cut can bring that about; without a width nothing is cut.
// Every text is made printable first. A sheet without rows shows no heading. Figures that were not measured show as
// "-".
std::string table(const Sheet& sheet, const Terminal& terminal);

// Several, with an empty line between them.
std::string tables(const std::vector<Sheet>& sheets, const Terminal& terminal);

// Only the heading and the rows, each led by `indent` spaces.
std::string table_body(const Sheet& sheet, const Terminal& terminal, std::size_t indent = 0);

}  // namespace prof::show
