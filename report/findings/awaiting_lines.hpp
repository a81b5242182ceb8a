// Lines of asyncio's coroutines that await one answer after the other, though no question needs the answer before it.
#pragma once

#include <cstdint>

#include "report/findings/source_words.hpp"

namespace prof::findings {

// Whether the line (from 1) stands in a loop over the elements of something that awaits a peer for each, or is one of
// several statements of a block that each await an answer and do not need each other's. Not where the function starts
// tasks, nor in loops that stop at an answer or take their time.
bool awaits_in_turn(const Lines& lines, std::int64_t number);

}  // namespace prof::findings
