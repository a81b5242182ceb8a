// What a log says of its own quality.
#pragma once

#include <cstdint>

#include "agent/contract/format.hpp"

namespace prof {

// Notes a Condition, in the log if there is one and else until there is. Any context.
void note_condition(std::uint64_t condition);
// Counts a loss in the log, if there is one. Any context.
void count_loss(log::Loss reason);

}  // namespace prof
