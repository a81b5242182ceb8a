// Sleeping.
#include <time.h>
#include <unistd.h>

#include "interpose/hook.hpp"
#include "interpose/wait/resume.hpp"

PROF_REAL(nanosleep);
PROF_REAL(clock_nanosleep);
PROF_REAL(usleep);
PROF_REAL(sleep);
PROF_REAL(pause);

using prof::Interruptions;

// The kernel itself says how much is left.
PROF_EXPORT int nanosleep(const timespec* wanted, timespec* left) {
  timespec rest{};
  Interruptions interruptions;
  int r = real_nanosleep(wanted, &rest);
  while (r != 0 && interruptions.by_tick()) {
    const timespec again = rest;
    r = real_nanosleep(&again, &rest);
  }
  if (r != 0 && errno == EINTR && left != nullptr) *left = rest;
  return r;
}

PROF_EXPORT int clock_nanosleep(clockid_t clock, int flags, const timespec* wanted, timespec* left) {
  timespec rest{};
  const bool absolute = (flags & TIMER_ABSTIME) != 0;
  const int kept = errno;  // this call returns its error and leaves errno alone
  Interruptions interruptions;
  timespec next{};
  const timespec* ask = wanted;
  int error = real_clock_nanosleep(clock, flags, ask, &rest);
  while ((errno = error) == EINTR && interruptions.by_tick()) {
    if (!absolute) {
      next = rest;
      ask = &next;
    }
    error = real_clock_nanosleep(clock, flags, ask, &rest);
  }
  errno = kept;
  if (error == EINTR && !absolute && left != nullptr) *left = rest;
  return error;
}

PROF_EXPORT int usleep(useconds_t microseconds) {
  const prof::Remaining remaining(std::uint64_t{microseconds} * 1000);
  Interruptions interruptions;
  int r = real_usleep(microseconds);
  while (r != 0 && interruptions.by_tick()) {
    const timespec rest = prof::to_timespec(remaining.ns());
    r = real_nanosleep(&rest, nullptr);
  }
  return r;
}

PROF_EXPORT unsigned sleep(unsigned seconds) {
  timespec wanted{static_cast<time_t>(seconds), 0}, rest{};
  const int kept = errno;
  Interruptions interruptions;
  while (real_nanosleep(&wanted, &rest) != 0) {
    if (!interruptions.by_tick()) {
      errno = kept;  // sleep reports what is left, rounded, and no error
      return static_cast<unsigned>(rest.tv_sec) + (rest.tv_nsec >= 500'000'000 ? 1 : 0);
    }
    wanted = rest;
  }
  errno = kept;
  return 0;
}

PROF_EXPORT int pause() {
  return prof::resumed([] { return real_pause(); });
}
