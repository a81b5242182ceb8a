// Statements of Python that go over several lines, by the brackets that hold them together.
#pragma once

#include <cstddef>
#include <string>

#include "report/findings/source_words.hpp"

namespace prof::findings {

// The line, from 1, that the statement begins with in which line `number` lies; `number` itself where no bracket is
// open there, or none that was opened a few lines above.
std::size_t first_line_of_statement(const Lines& lines, std::size_t number);

// That statement as one line: what brackets hold together. Empty: there is no such line.
std::string statement_around(const Lines& lines, std::size_t number);

}  // namespace prof::findings
