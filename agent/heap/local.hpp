// What one thread keeps for its own allocations. Part of ThreadState: all zeros is a thread that has done nothing yet.
#pragma once

#include <cstdint>

#include "agent/thread/thread_state.hpp"

namespace prof::heap {

inline constexpr std::uint32_t kKinds = 5;

// The budget of who has every allocation booked: never enough for one more.
inline constexpr std::int64_t kEveryOne = INT64_MIN / 2;

// Live bytes of one kind that the thread has not yet told the process of (see book.hpp).
struct LiveDelta {
  std::int64_t bytes;
  std::int64_t most;  // handed on when they are more, either way
};

// A record written lately.
struct Recent {
  std::uint64_t key;  // node:32 | kind:32
  std::uint64_t* words;
};
inline constexpr std::uint32_t kRecords = 64;

struct Local {
  LiveDelta deltas[kKinds];

  // Exact mode: the thread's allocations, to tell how many others came between an allocation and its free.
  std::uint64_t sequence;
  const void* recent[16];  // the last ones, by sequence; null: freed
  // The last event, if it was an allocation; key 0: it was a free.
  struct Last {
    std::uint64_t key;  // as of Recent
    std::uint64_t bytes;
  };
  Last last;
  Recent* records;  // kRecords, by node; of the state's block, apart from what every thread touches

  // Sampled mode: as ThreadState's budget and interval, of Python's own allocators.
  std::int64_t python_budget;
  std::uint64_t python_interval;
};

inline Local& local(ThreadState& t) { return t.heap.as<Local>(); }
inline const Local& local(const ThreadState& t) { return t.heap.as<Local>(); }

}  // namespace prof::heap
