// The lines that hold what has grown, as far as sampled allocations tell.
#pragma once

#include <cstdint>
#include <vector>

#include "report/findings/evidence.hpp"
#include "report/findings/finding.hpp"

namespace prof::findings {

struct Holding {
  std::vector<Place> places;
  std::int64_t first = 0, all = 0;  // bytes, at the peak if nothing else is said: of the first place, of all of them
};

// In sampled mode nobody knows when a line's memory grew, so that only such lines will do that together hold about as
// much as has grown at their peak, in many blocks: at its end a program gives back what it holds.
Holding holding_lines(const Evidence& evidence, std::int64_t grown);

// What the functions of the places allocate in these and other lines and was not freed at the program's end, with what
// malloc adds to each block.
std::int64_t live_at(const Evidence& evidence, const std::vector<Place>& places);

// The lines that allocated most of what was not freed at the program's end, in many blocks, with what malloc adds to
// each; `all`: of these and all other such lines.
Holding never_freed(const Evidence& evidence);

}  // namespace prof::findings
