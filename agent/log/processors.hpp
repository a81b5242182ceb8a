// How many processors this process may use.
#pragma once

#include "agent/core/text.hpp"

namespace prof::log {

// What InfoKey::Cpus says: the processors of its affinity mask and, where there is one that can be read, the quota of
// its control group. Empty when the kernel tells neither. Any context, one thread at a time; a few system calls.
void describe_processors(TextBuilder& text);

}  // namespace prof::log
