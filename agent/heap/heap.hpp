// The heap as the program uses it: exact counts for every call, contexts for a sample of the bytes.
//
// The inline parts are what every malloc and free pays; they are a few instructions on the calling thread's own cache
// lines.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/core/counter.hpp"
#include "agent/core/tls.hpp"
#include "agent/heap/live_table.hpp"
#include "agent/thread/thread_state.hpp"

namespace prof::heap {

void allocated_slow(void* block, std::size_t size);
void freeing_slow(void* block);

// `block` (not null) of `size` requested bytes has been allocated and not yet been returned to the program. Any context
// that may call malloc.
inline void allocated(void* block, std::size_t size) {
  ThreadState& t = *tls.state;
  const std::int64_t left = t.budget - static_cast<std::int64_t>(size);
  if (left <= 0) [[unlikely]]
    return allocated_slow(block, size);
  t.budget = left;
  log::ThreadRecord& r = *t.record;
  add(r.allocations, 1);
  add(r.allocated_bytes, size);
}

// `block` (not null) is about to be given back.
inline void freeing(void* block) {
  ThreadState& t = *tls.state;
  if (maybe_live(block) || t.record == nullptr) [[unlikely]]
    return freeing_slow(block);
  add(t.record->frees, 1);
}

// A block on its way through realloc: out of the table while the real function runs, which may give its address to
// another thread at once.
struct Moving {
  LiveBlock live;
  bool sampled;
};
Moving moving(void* block);
// The real function refused: the block is still where it was.
void not_moved(void* block, const Moving& m);
// The block is gone. `counted`: the free itself has been counted already, on its way through an inner free.
void freed(const Moving& m, bool counted);
// The old block is gone; `to` of `size` bytes took its place (null: realloc to size 0, a plain free).
void moved(const Moving& m, void* to, std::size_t size);

// A thread begins: draws its first gap.
void begin_thread(ThreadState& t);

// Once at start.
void prepare_heap();

}  // namespace prof::heap
