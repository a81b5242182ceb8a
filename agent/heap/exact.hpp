// Exact mode: every allocation has its context, every free finds it.
//
// Most contexts of a large program allocate once: what they leave is a strand of the tree (log::StrandRecord). When
// they come again they get a record of two words (log::HeapOnceWords), and after that the large one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/heap/live_table.hpp"
#include "agent/thread/guard.hpp"

namespace prof::heap {

// What is to be said of an allocation that took an older block's place.
struct Origin {
  bool reallocated;
  std::uint64_t moved_bytes;
};

// All of them in hook contexts, in a process that has a log.

void exact_allocation(const Guard& guard, const void* block, std::size_t bytes, Kind kind, const Origin& origin);

// A free of `block`, which had been taken out of the table as `live`.
void exact_free(const Guard& guard, const void* block, const LiveBlock& live);

}  // namespace prof::heap
