// Calls with a relative timeout that every signal ends: repeated with the time that is left, until something else than
// a tick of ours ends them.
#pragma once

#include <time.h>

#include <cstdint>

#include "agent/core/clock.hpp"
#include "agent/wait/call.hpp"
#include "interpose/wait/resume.hpp"

namespace prof {

// Where the call is recorded, the clock was just read.
inline std::uint64_t start_of(const wait::Call& record) {
  return record.started() != 0 ? record.started() : clock::monotonic();
}

// `call(milliseconds)`, below 0: for ever. Rounded up: a call must not return before its time.
template <class Call>
int for_milliseconds(const wait::Call& record, int timeout, Call call) {
  const std::uint64_t started = timeout > 0 ? start_of(record) : 0;
  Interruptions interruptions;
  int r = call(timeout);
  while (r < 0 && interruptions.by_tick()) {
    if (timeout <= 0) {
      r = call(timeout);
      continue;
    }
    const std::uint64_t end = started + static_cast<std::uint64_t>(timeout) * 1'000'000, now = clock::monotonic();
    r = call(now < end ? static_cast<int>((end - now + 999'999) / 1'000'000) : 0);
  }
  return r;
}

// `call(const timespec*)`, null: for ever. What it points to is read only after the kernel has accepted it.
template <class Call>
int for_timespec(const wait::Call& record, const timespec* timeout, Call call) {
  const std::uint64_t started = timeout != nullptr ? start_of(record) : 0;
  Interruptions interruptions;
  int r = call(timeout);
  while (r < 0 && interruptions.by_tick()) {
    if (timeout == nullptr || !valid(*timeout)) {
      r = call(timeout);
      continue;
    }
    const std::uint64_t end = started + nanoseconds(*timeout), now = clock::monotonic();
    const timespec rest = to_timespec(now < end ? end - now : 0);
    r = call(&rest);
  }
  return r;
}

// The same of calls that may wait with a mask of signals, `call(timeout, mask)`.
template <class Call>
int for_milliseconds(const wait::Call& record, int timeout, const sigset_t* mask, Call call) {
  if (mask != nullptr) return with_ticks_held(mask, [&](const sigset_t* held) { return call(timeout, held); });
  return for_milliseconds(record, timeout, [&](int ms) { return call(ms, nullptr); });
}
template <class Call>
int for_timespec(const wait::Call& record, const timespec* timeout, const sigset_t* mask, Call call) {
  if (mask != nullptr) return with_ticks_held(mask, [&](const sigset_t* held) { return call(timeout, held); });
  return for_timespec(record, timeout, [&](const timespec* t) { return call(t, nullptr); });
}

}  // namespace prof
