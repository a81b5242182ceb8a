// Loops of Python that hand a value of their own on to their next turn, by the source.
#pragma once

#include <cstddef>

#include "report/findings/source_words.hpp"

namespace prof::findings {

// Whether the innermost loop around line `number` (from 1) decides by what its last turn came to: it has "left = score"
// of a `score` that it works out, and asks for `left` further up. Then neither whole arrays nor functions written in C
// take its place, as in most tables of dynamic programming.
bool hands_values_on(const Lines& lines, std::size_t number);

}  // namespace prof::findings
