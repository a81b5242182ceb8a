// What one thread keeps of the event loops that it runs. Part of ThreadState: all zeros is a thread that runs none.
#pragma once

#include <cstdint>

#include "agent/thread/thread_state.hpp"

namespace prof::loops {

// The turn of a loop that is under way: from where a wait for its set returned.
struct Turn {
  std::uint64_t since;    // CLOCK_MONOTONIC ns; 0: not known, and of the rest only `set` and `turns` matter
  std::uint64_t seen_ns;  // of what was seen in it
  std::uint32_t node;     // one of the contexts that were seen, each chosen as likely as it was long; 0: none was
  std::uint32_t set;      // the descriptor plus 1; 0: no loop
  std::uint32_t turns;    // that the loop has had; stays at the most that there can be
  std::uint32_t random;
};

struct Turns {
  Turn of[2];  // one loop may be run in a turn of another one
};

struct Local {
  Turns* room;   // of the state's block
  Turns* turns;  // the same; null in a thread that runs no loop
};

inline Local& local(ThreadState& t) { return t.loops.as<Local>(); }

}  // namespace prof::loops
