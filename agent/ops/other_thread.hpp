// Ends of operators on another thread than they began on, though PyTorch does not call them asynchronous: a function of
// TorchScript that waits for a task goes on in the thread that ends the task. The thread that it began on still has it
// among those that are open, and what comes next would be inside it: so it looks here before it begins or ends one.
#pragma once

#include <cstdint>

#include "agent/ops/local.hpp"
#include "agent/ops/record_function.hpp"

namespace prof::ops {

// So many ends were noted; wraps around. A load.
inline std::uint32_t noted_on_other_thread() { return common.other_ends.load(std::memory_order_relaxed); }

// Any thread; ordinary code; both take a short lock. An operator that began at `started` (clock::quick) and is noted is
// forgotten; returns when it ended, 0: it has not. When there are too many the oldest is lost, and counted as such.
void note_end_on_other_thread(const RecordFunction* function, std::uint64_t ended);
std::uint64_t take_end_on_other_thread(const RecordFunction* function, std::uint64_t started);

// Once at start.
void prepare_other_threads();

}  // namespace prof::ops
