// What one thread keeps of its copies. Part of ThreadState: all zeros is a thread that counts none in a hurry.
#pragma once

#include <cstdint>

#include "agent/thread/thread_state.hpp"

namespace prof::copy {

struct Local {
  std::int64_t budget;     // bytes until the next sample; <= 0 in a state not in use
  std::uint64_t interval;  // bytes; of the budget's gap
};

inline Local& local(ThreadState& t) { return t.copy.as<Local>(); }

}  // namespace prof::copy
