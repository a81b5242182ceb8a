// Copy volume: what memcpy and its family copy, counted exactly by thread and sampled by bytes, by context.
//
// The inline part is what every copy pays, before it goes on to the real function: a few instructions on the calling
// thread's own cache lines, without a call.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/copy/local.hpp"
#include "agent/core/counter.hpp"
#include "agent/core/tls.hpp"

namespace prof::copy {

// The same for a copy that `counted` did not count.
void count_slowly(std::size_t bytes);

// The calling thread copies `bytes` bytes. False: it is not counted yet, count_slowly must be told. What the agent
// itself and the real functions behind our hooks copy does not count. Any context.
inline bool counted(std::size_t bytes) {
  if (tls.suppressed != 0) [[unlikely]]
    return true;
  ThreadState& t = *tls.state;
  const std::int64_t left = local(t).budget - static_cast<std::int64_t>(bytes);
  if (left <= 0) [[unlikely]]
    return false;
  local(t).budget = left;
  log::ThreadRecord& r = *t.record;
  add(r.copies, 1);
  add(r.copied_bytes, bytes);
  return true;
}

// A thread begins: draws its first gap.
void begin_thread(ThreadState& t);

// Once at start.
void prepare_copies();

}  // namespace prof::copy
