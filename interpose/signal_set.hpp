// Signal sets as the host means them: without the signal that our ticks use.
#pragma once

#include <signal.h>

#include "agent/sample/ticks.hpp"

namespace prof {

// `set` (may be null) without our signal; `copy` is room for it.
inline const sigset_t* without_ours(const sigset_t* set, sigset_t& copy) {
  const int ours = ticks::signal_number();
  if (set == nullptr || ours == 0 || sigismember(set, ours) != 1) return set;
  copy = *set;
  sigdelset(&copy, ours);
  return &copy;
}

// `set` with our signal.
inline const sigset_t* with_ours(const sigset_t* set, sigset_t& copy) {
  const int ours = ticks::signal_number();
  if (ours == 0) return set;
  copy = *set;
  sigaddset(&copy, ours);
  return &copy;
}

}  // namespace prof
