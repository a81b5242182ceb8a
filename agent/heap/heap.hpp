// The heap as the program uses it: exact counts for every call, contexts for a sample of the bytes or, in exact mode,
// for all of them.
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
  log::ThreadRecord& r = *t.record;  // NOLINT(clang-analyzer-core.NullDereference): without one there is no budget
  add(r.allocations, 1);
  add(r.allocated_bytes, size);
}

// `block` (not null) is about to be given back.
inline void freeing(void* block) {
  ThreadState& t = *tls.state;
  // Not positive: every allocation is booked, or there is no record to count in.
  if (t.budget <= 0 || maybe_live(block)) [[unlikely]]
    return freeing_slow(block);
  add(t.record->frees, 1);
}

// A block on its way through realloc: out of the table while the real function runs, which may give its address to
// another thread at once.
struct Moving {
  void* block;
  LiveBlock live;
  bool known;
};
Moving moving(void* block);
// The real function refused: the block is still where it was.
void not_moved(const Moving& m);
// The block is gone. `counted`: the free itself has been counted already, on its way through an inner free.
void freed(const Moving& m, bool counted);
// The old block is gone; `to` of `size` bytes took its place (null: realloc to size 0, a plain free).
void moved(const Moving& m, void* to, std::size_t size);

// The same for Python's own allocators, whose blocks are counted apart: what they hand on to malloc is malloc's and
// must not be told here.
void python_allocated(void* block, std::size_t size);
void python_freeing(void* block);
void python_moved(const Moving& m, void* to, std::size_t size);  // `m` by moving(), which knows the block's kind

// A thread begins: draws its first gap. And ends.
void begin_thread(ThreadState& t);
void end_thread(ThreadState& t);

// Once at start.
void prepare_heap();

}  // namespace prof::heap
