// Which line of the user's own code leads to another one.
#pragma once

#include <cstdint>
#include <optional>

#include "report/fold/call_tree.hpp"
#include "report/fold/own/own_lines.hpp"

namespace prof::fold {

struct MainCaller {
  std::uint32_t location = 0;      // in Symbols
  std::int64_t cumulative_ns = 0;  // CPU time of the caller's line and of all that it called
};

// The line of own code, in another function, that led to at least four fifths of the row's CPU time, as the program
// calls it: of the lines that lead there through each other, the outermost that takes hardly more than the one that it
// calls. `lines` is that of own_lines(). Nothing where no line led to so much, and for the row of no own code.
std::optional<MainCaller> main_caller(const CallTree& lines, const OwnLine& row);

}  // namespace prof::fold
