// Sleeping.
#include <time.h>
#include <unistd.h>

#include "agent/wait/call.hpp"
#include "interpose/hook/hook.hpp"
#include "interpose/wait/resume.hpp"

PROF_REAL_LATE(nanosleep);
PROF_REAL_LATE(clock_nanosleep);
PROF_REAL_LATE(sleep);

PROF_WAIT_FUNCTION(nanosleep);
PROF_WAIT_FUNCTION(clock_nanosleep);
PROF_WAIT_FUNCTION(usleep);
PROF_WAIT_FUNCTION(sleep);

using prof::Interruptions;
using prof::log::WaitClass;
using prof::wait::Call;

// The kernel itself says how much is left.
PROF_EXPORT int nanosleep(const timespec* wanted, timespec* left) {
  Call wait(function_nanosleep, WaitClass::Sleep);
  timespec rest{};
  Interruptions interruptions;
  int r = real_nanosleep(wanted, &rest);
  while (r != 0 && interruptions.by_tick()) {
    const timespec again = rest;
    r = real_nanosleep(&again, &rest);
  }
  wait.done(r != 0 ? errno : 0);
  if (r != 0 && errno == EINTR && left != nullptr) *left = rest;
  return r;
}

PROF_EXPORT int clock_nanosleep(clockid_t clock, int flags, const timespec* wanted, timespec* left) {
  Call wait(function_clock_nanosleep, WaitClass::Sleep);
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
  wait.done(error);
  if (error == EINTR && !absolute && left != nullptr) *left = rest;
  return error;
}

PROF_EXPORT int usleep(useconds_t microseconds) {
  Call wait(function_usleep, WaitClass::Sleep);
  timespec wanted = prof::to_timespec(std::uint64_t{microseconds} * 1000);
  Interruptions interruptions;
  int r = real_nanosleep(&wanted, &wanted);
  while (r != 0 && interruptions.by_tick()) r = real_nanosleep(&wanted, &wanted);
  wait.done(r != 0 ? errno : 0);
  return r;
}

PROF_EXPORT unsigned sleep(unsigned seconds) {
  Call wait(function_sleep, WaitClass::Sleep);
  timespec wanted{static_cast<time_t>(seconds), 0}, rest{};
  const int kept = errno;
  Interruptions interruptions;
  while (real_nanosleep(&wanted, &rest) != 0) {
    if (!interruptions.by_tick()) {
      wait.done(EINTR);
      return static_cast<unsigned>(rest.tv_sec);  // as libc does: whole seconds, and its errno
    }
    wanted = rest;
  }
  errno = kept;
  wait.done(0);
  return 0;
}
