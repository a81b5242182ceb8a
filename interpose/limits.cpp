// Limits that the host sets for itself. The one on pending signals decides by what the ticks may come: where no signal
// of a perf event can be pending the kernel sends SIGIO in its place, which kills. The same by number: system_call.cpp.
#include <sys/resource.h>

#include "agent/life/lifecycle.hpp"
#include "interpose/hook/hook.hpp"

PROF_REAL(setrlimit);
PROF_REAL(setrlimit64);
PROF_REAL(prlimit);
PROF_REAL(prlimit64);

// libc has both names for one function and one layout of the limits.
PROF_EXPORT int setrlimit(__rlimit_resource_t resource, const rlimit* limits) noexcept {
  prof::lifecycle::before_limit(static_cast<int>(resource), limits);
  return real_setrlimit(resource, limits);
}

PROF_EXPORT int setrlimit64(__rlimit_resource_t resource, const rlimit64* limits) noexcept {
  prof::lifecycle::before_limit(static_cast<int>(resource), limits);
  return real_setrlimit64(resource, limits);
}

PROF_EXPORT int prlimit(pid_t pid, __rlimit_resource resource, const rlimit* limits, rlimit* old) noexcept {
  prof::lifecycle::before_limit_of(pid, static_cast<int>(resource), limits);
  return real_prlimit(pid, resource, limits, old);
}

PROF_EXPORT int prlimit64(pid_t pid, __rlimit_resource resource, const rlimit64* limits, rlimit64* old) noexcept {
  prof::lifecycle::before_limit_of(pid, static_cast<int>(resource), limits);
  return real_prlimit64(pid, resource, limits, old);
}
