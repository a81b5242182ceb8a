// The place of this process in a distributed job: its rank among the processes that train one model together.
#pragma once

#include <cstdint>

#include "agent/thread/guard.hpp"

namespace prof {

// From the environment, which most launchers tell it by. Process event: start.
void find_job();

// A communication library of this process was told that it is `rank` of `size` processes. Counts the first time, and
// only where the environment did not say. Hook contexts.
void joined_job(const Guard& guard, std::int32_t rank, std::int32_t size);

}  // namespace prof
