// Signal sets as the host means them: without the signal that our ticks use.
#pragma once

#include <signal.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "agent/core/raw.hpp"
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

// `set` with our signal, as far as the kernel reads it. One that it cannot read is left to it to refuse: for a way to
// change a mask that there is none of it looks at the set, and does nothing.
inline const sigset_t* with_ours(const sigset_t* set, sigset_t& copy) {
  constexpr int kNoWay = -1;
  std::uint64_t signals = 0;
  const int ours = ticks::signal_number();
  if (ours == 0 || raw::call(SYS_rt_sigprocmask, kNoWay, raw::word(set), 0, sizeof(signals)) != -EINVAL) return set;
  std::memcpy(&signals, set, sizeof(signals));
  signals |= raw::bit(ours);
  sigemptyset(&copy);
  std::memcpy(&copy, &signals, sizeof(signals));
  return &copy;
}

}  // namespace prof
