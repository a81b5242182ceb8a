// What is booked when an operator ends.
#pragma once

#include <cstdint>

#include "agent/ops/local.hpp"
#include "agent/ops/record_function.hpp"
#include "agent/thread/guard.hpp"

namespace prof::ops {

// An operator ends now, on the calling thread, whose own part is `mine`. Whether a range ends with it. Hook contexts.
bool end(const Guard& guard, Thread& mine, const RecordFunction* function);

// Ends those of the thread that others have ended: none of their time is their own. How many ranges end with them. Hook
// contexts.
std::uint32_t end_on_other_thread(const Guard& guard, Thread& mine);

// Ends one that was put aside when it began (detached.hpp), at `ended` (clock::quick); false: there is none. Hook
// contexts.
bool end_detached(const Guard& guard, const RecordFunction* function, std::uint64_t ended);

}  // namespace prof::ops
