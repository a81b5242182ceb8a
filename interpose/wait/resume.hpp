// Calls that a signal handler ends early whatever SA_RESTART says: a program that never asked for our ticks must not
// see them. Our handler notes when a tick, and nothing else, made a system call of its thread fail with EINTR; the
// wrappers of these calls then go on waiting for the time that is left. A signal of the host's own still ends the call.
#pragma once

#include <time.h>

#include <cerrno>
#include <cstdint>

#include "agent/core/clock.hpp"
#include "agent/core/tls.hpp"
#include "interpose/hook/signal_set.hpp"

namespace prof {

class Interruptions {
 public:
  // Whether the call that just failed with EINTR was ended by a tick of ours since the last question.
  bool by_tick() {
    if (errno != EINTR || tls.interrupted == seen_) return false;
    forget();  // told: a call that this one stands inside of, in a handler, was not ended by it
    return true;
  }
  // Of those since the last question none is told.
  void forget() { tls.interrupted = seen_; }

 private:
  std::uint32_t seen_ = tls.interrupted;
};

// Calls `call()` until it ends otherwise than by a tick. For calls without a relative timeout.
template <class Call>
auto resumed(Call call) {
  Interruptions interruptions;
  auto r = call();
  while (r < 0 && interruptions.by_tick()) r = call();
  return r;
}

// Calls `call(mask)`, which waits with that mask of signals. Hosts use such calls so that they miss no signal: one
// whose handler has run must end the call, but a tick that comes as that handler returns looks as if it had ended it.
// So the mask holds our signal back; what handlers compute meanwhile is sampled when the call ends.
template <class Call>
auto with_ticks_held(const sigset_t* mask, Call call) {
  sigset_t copy;
  Interruptions interruptions;
  const auto r = call(with_ours(mask, copy));
  interruptions.forget();
  return r;
}

inline std::uint64_t nanoseconds(const timespec& t) {
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
}
inline timespec to_timespec(std::uint64_t ns) {
  return {static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
}
// False for what the kernel will refuse: such a timeout is passed on as it is.
inline bool valid(const timespec& t) {
  return t.tv_sec >= 0 && t.tv_sec < (1LL << 33) && t.tv_nsec >= 0 && t.tv_nsec < 1'000'000'000;
}

}  // namespace prof
