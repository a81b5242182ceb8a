// Loops of JavaScript that await an answer for each of their elements, by their text.
#pragma once

#include <cstddef>
#include <vector>

#include "report/findings/source_words.hpp"

namespace prof::findings {

// The lines (from 1) at which such loops await the first thing that they ask for an element: loops over the elements of
// something, or that count. Not where a question needs the answer before it, the loop stops at one, takes its time,
// starts several at once, or reads files. Blocks are told by how far they are indented.
std::vector<std::size_t> lines_that_await(const Lines& lines);

}  // namespace prof::findings
