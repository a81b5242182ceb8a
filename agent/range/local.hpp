// What one thread keeps for its ranges. Part of ThreadState: all zeros is a thread that has begun none.
#pragma once

#include <cstdint>

#include "agent/steps/roles.hpp"

#include "agent/thread/thread_state.hpp"

namespace prof::range {

inline constexpr std::uint32_t kMostDepth = 64;

// A range that has begun on this thread.
struct Open {
  std::uint64_t started_ns;
  std::uint64_t frame;    // its frame word
  std::uint64_t payload;  // of the trace alone
  std::uint32_t node;     // 0: there was no room for one
  std::uint32_t parent;   // node of the ranges around it
  std::uint32_t domain;   // hash of its name
  bool captured;          // it is a range that PROF_CAPTURE_RANGE names
  steps::Mark mark;       // what it is to the steps
};

struct Local {
  std::uint32_t depth;     // of `open`
  std::uint32_t too_deep;  // ranges that began beyond it
  Open* open;              // kMostDepth of them; null until the thread begins one
};

inline Local& local(ThreadState& t) { return t.range.as<Local>(); }
inline const Local& local(const ThreadState& t) { return t.range.as<Local>(); }

}  // namespace prof::range
