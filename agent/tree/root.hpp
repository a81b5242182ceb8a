// The node that a thread's stacks hang on.
#pragma once

#include <cstdint>

#include "agent/thread/guard.hpp"
#include "agent/thread/thread_state.hpp"

namespace prof::tree {

// Gives the node for stacks of the calling thread, where no range is open; 0: the root of all. Contexts: hook and tick.
using RootSource = std::uint32_t (*)(const Guard& guard);

// Null where nothing stands between the root of all and the stacks, as in nearly all programs. Set once at start.
extern RootSource root_source;

// The node of the innermost range that the calling thread has opened, else what the source says. Contexts: hook and
// tick.
inline std::uint32_t root_of(const Guard& guard) {
  const std::uint32_t range = guard.thread().root;
  return range == 0 && root_source != nullptr ? root_source(guard) : range;
}

}  // namespace prof::tree
