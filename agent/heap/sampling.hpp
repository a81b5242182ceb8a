// Sampled mode: which allocations get a context, and at what cost. What one of them stands for: gap.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/heap/live_table.hpp"
#include "agent/thread/guard.hpp"

namespace prof::heap {

// All of them in hook contexts, in a process that has a log, unless said otherwise.

// Books `block` as a sample that was drawn at `interval`.
void sample_allocation(const Guard& guard, const void* block, std::size_t bytes, Kind kind, std::uint64_t interval);

// A free of a sampled block, which had been taken out of the table as `live`.
void sample_free(const Guard& guard, const LiveBlock& live);

// Whether a sampled block of malloc's that realloc has made `bytes` long is still about as large as it was, and so large that it
// would be a sample of its own each time: then it stays the sample that it is.
bool stays_sample(const LiveBlock& live, std::size_t bytes);
// Books that the block, which had been taken out of the table as `live`, is at `block` now.
void sample_moved(const Guard& guard, const LiveBlock& live, const void* block, std::size_t bytes);

// Draws the gap to the thread's next sample of Malloc or Python: sets its interval and its budget. Any time after
// start.
void draw(ThreadState& t, Kind kind, std::uint64_t now);

// The time that the thread took for a sample, in ns.
void note_spent(std::uint64_t ns);

// Once at start.
void prepare_sampling();

}  // namespace prof::heap
