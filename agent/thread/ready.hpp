// Whether what the calling thread does can be put in the log; makes the log, and the thread's record, where there is
// none yet. Ordinary code, inside a guard.
#pragma once

#include "agent/log/file.hpp"
#include "agent/thread/guard.hpp"
#include "agent/thread/threads.hpp"

namespace prof::threads {

inline bool ready(const Guard& guard) {
  if (log::header() == nullptr && !log::ensure_created()) return false;
  ThreadState& t = guard.thread();
  if (t.record == &t.early) [[unlikely]]
    settle(t);
  return true;
}

}  // namespace prof::threads
