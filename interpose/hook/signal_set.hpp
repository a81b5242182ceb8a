// Signal sets as the host means them: without the signal that our ticks use.
#pragma once

#include <signal.h>

#include <cstdint>
#include <cstring>

#include "agent/core/raw.hpp"
#include "agent/core/readable.hpp"
#include "agent/sample/ticks.hpp"

namespace prof {

// The host blocks or receives these signals: where it means the one that our ticks use, they move. Ordinary code.
void leave_if_meant(std::uint64_t wanted);

// `set` (may be null) without our signal; `copy` is room for it. For functions of libc that read the set themselves.
inline const sigset_t* without_ours(const sigset_t* set, sigset_t& copy) {
  const int ours = ticks::signal_number();
  if (set == nullptr || ours == 0 || sigismember(set, ours) != 1) return set;
  copy = *set;
  sigdelset(&copy, ours);
  return &copy;
}

// A copy of `set`, as far as the kernel reads it, with `change(its signals)`. One that it cannot read is left to it to
// refuse.
template <class Change>
const sigset_t* changed(const sigset_t* set, sigset_t& copy, Change change) {
  if (!readable(reinterpret_cast<std::uintptr_t>(set))) return set;
  std::uint64_t signals = 0;
  std::memcpy(&signals, set, sizeof(signals));
  signals = change(signals);
  sigemptyset(&copy);
  std::memcpy(&copy, &signals, sizeof(signals));
  return &copy;
}

// A mask to wait with: with our signal.
inline const sigset_t* with_ours(const sigset_t* mask, sigset_t& copy) {
  const int ours = ticks::signal_number();
  return ours == 0 ? mask : changed(mask, copy, [ours](std::uint64_t signals) { return signals | raw::bit(ours); });
}

// Signals to be fetched instead of handled: without ours, which is none of them where the host means it.
inline const sigset_t* fetched(const sigset_t* set, sigset_t& copy) {
  if (ticks::signal_number() == 0) return set;
  return changed(set, copy, [](std::uint64_t signals) {
    leave_if_meant(signals);
    const int ours = ticks::signal_number();
    return ours == 0 ? signals : signals & ~raw::bit(ours);
  });
}

}  // namespace prof
