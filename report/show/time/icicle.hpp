// A call tree as an icicle: blocks as wide as their shares, each below its caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "report/fold/time/outline.hpp"

namespace prof::show {

struct IcicleBlock {
  std::size_t row = 0;                 // of Outline::rows
  std::size_t first = 0, columns = 0;  // never 0
  std::int64_t begin = 0;              // what is left of it, in the measure's unit
};

struct Icicle {
  std::vector<std::vector<IcicleBlock>> levels;  // from left to right, the outermost callers first
  // Left out: blocks narrower than a column, and what they add up to; levels that were too many.
  std::uint64_t narrow = 0;
  std::int64_t narrow_total = 0;
  std::size_t deeper = 0;
};

// `outline` is of a tree whose branches are all in it, or all that are as wide as a column. `most`: levels; 0: all.
Icicle icicle(const fold::Outline& outline, std::size_t columns, std::size_t most);

}  // namespace prof::show
