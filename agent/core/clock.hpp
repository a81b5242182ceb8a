// Clocks in nanoseconds. All are async-signal-safe; only cpu clocks enter the kernel, and where a thread may not read
// the time-stamp counter (PR_SET_TSC), all do.
#pragma once

#include <sys/syscall.h>
#include <time.h>

#include <atomic>
#include <cstdint>

#include "agent/core/raw.hpp"

namespace prof::clock {

using Function = int(clockid_t, timespec*);
// The kernel's, without libc and without the time-stamp counter.
int by_kernel(clockid_t id, timespec* t);
// What is asked: by_kernel until `use` was called, and again from when reading the counter kills. Never the symbol
// clock_gettime: that may be a function of the program's own, which waits for a lock that the calling thread holds.
extern constinit std::atomic<Function*> function;
// libc's, which enters the kernel for CPU clocks alone. Once at start.
void use(Function* libc);

inline std::uint64_t read(clockid_t id) {
  timespec t{};
  function.load(std::memory_order_relaxed)(id, &t);
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
