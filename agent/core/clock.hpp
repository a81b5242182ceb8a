// Clocks in nanoseconds. All are async-signal-safe; only cpu clocks enter the kernel, and where a thread may not read
// the time-stamp counter (PR_SET_TSC), all do.
#pragma once

#include <sys/syscall.h>
#include <time.h>

#include <atomic>
#include <cstdint>

#include "agent/core/raw.hpp"

namespace prof::clock {

// Reading the time-stamp counter kills: libc's clocks do it, too.
extern constinit std::atomic<bool> counter_forbidden;

inline std::uint64_t read(clockid_t id) {
  timespec t{};
  if (counter_forbidden.load(std::memory_order_relaxed)) [[unlikely]]
    raw::call(SYS_clock_gettime, id, raw::word(&t));
  else
    clock_gettime(id, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
}

inline std::uint64_t monotonic() { return read(CLOCK_MONOTONIC); }
inline std::uint64_t realtime() { return read(CLOCK_REALTIME); }
inline std::uint64_t thread_cpu() { return read(CLOCK_THREAD_CPUTIME_ID); }
inline std::uint64_t process_cpu() { return read(CLOCK_PROCESS_CPUTIME_ID); }

// CPU clock of another thread of this process (clock ids of threads: include/linux/posix-timers.h, CPUCLOCK_PERTHREAD |
// CPUCLOCK_SCHED). 0 when there is no such thread any more.
inline std::uint64_t thread_cpu_of(std::uint32_t tid) {
  return read(static_cast<clockid_t>(~static_cast<std::uint32_t>(tid) << 3 | 6));
}

}  // namespace prof::clock
