// Loops of C and C++ that go through an array across the way it lies in memory, by their text.
#pragma once

#include <cstddef>

#include "report/findings/source_words.hpp"

namespace prof::findings {

// Whether line `number` (from 1), or the body of the loop that it is the head of, stands in two loops of which the
// inner one goes from row to row: `m[row * n + column]`, `m[row][column]` or `image.at(x, y)`, where the file says that
// at() does so, in a loop over rows inside of one over columns. Not where both orders stand there, as in a
// transposition.
bool goes_across(const Lines& lines, std::size_t number);

}  // namespace prof::findings
