// Waiting for signals: only the host's own may end these calls, and a tick that is pending is not theirs to fetch.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cstring>

#include "agent/core/raw.hpp"
#include "agent/core/signals_held.hpp"
#include "agent/wait/call.hpp"
#include "interpose/hook/hook.hpp"
#include "interpose/hook/signal_set.hpp"
#include "interpose/wait/timeout.hpp"

PROF_REAL_LATE(pause);
PROF_REAL_LATE(sigsuspend);
PROF_REAL_LATE(sigwait);
PROF_REAL_LATE(sigwaitinfo);
PROF_REAL_LATE(sigtimedwait);

PROF_WAIT_FUNCTION(pause);
PROF_WAIT_FUNCTION(sigsuspend);
PROF_WAIT_FUNCTION(sigwait);
PROF_WAIT_FUNCTION(sigwaitinfo);
PROF_WAIT_FUNCTION(sigtimedwait);

using prof::log::WaitClass;
using prof::wait::Call;

// With a mask, the thread's own, since it has no end but a signal: see with_ticks_held.
PROF_EXPORT int pause() {
  Call wait(function_pause, WaitClass::Sleep);
  int r = 0;
  if (prof::ticks::signal_number() == 0) {
    r = real_pause();
  } else {
    const std::uint64_t own = prof::raw::mask(SIG_BLOCK, 0);
    sigset_t mask;
    sigemptyset(&mask);
    std::memcpy(&mask, &own, sizeof(own));
    r = prof::with_ticks_held(&mask, [](const sigset_t* held) { return real_sigsuspend(held); });
  }
  wait.done(errno);
  return r;
}

// Who looks at a flag and then waits for the signal whose handler sets it, with that signal open, loses it where it
// comes in between. What we do before the call must not make that any likelier: a signal that comes meanwhile ends the
// call, as one does alone that comes as soon.
PROF_EXPORT int sigsuspend(const sigset_t* mask) {
  pthread_testcancel();
  const prof::SignalsHeld held_until_the_call;
  Call wait(function_sigsuspend, WaitClass::Sleep);
  const int r = prof::with_ticks_held(mask, [](const sigset_t* held) { return real_sigsuspend(held); });
  wait.done(errno);
  return r;
}

PROF_EXPORT int sigwait(const sigset_t* asked, int* number) {
  sigset_t copy;
  const sigset_t* set = prof::fetched(asked, copy);
  Call wait(function_sigwait, WaitClass::Sleep);
  const int error = real_sigwait(set, number);
  wait.done(error);
  return error;
}

PROF_EXPORT int sigwaitinfo(const sigset_t* asked, siginfo_t* info) {
  sigset_t copy;
  const sigset_t* set = prof::fetched(asked, copy);
  Call wait(function_sigwaitinfo, WaitClass::Sleep);
  const int r = prof::resumed([=] { return real_sigwaitinfo(set, info); });
  wait.done(r < 0 ? errno : 0);
  return r;
}

PROF_EXPORT int sigtimedwait(const sigset_t* asked, siginfo_t* info, const timespec* timeout) {
  sigset_t copy;
  const sigset_t* set = prof::fetched(asked, copy);
  Call wait(function_sigtimedwait, WaitClass::Sleep);
  const int r = prof::for_timespec(wait, timeout, [=](const timespec* t) { return real_sigtimedwait(set, info, t); });
  wait.done(r < 0 ? errno : 0);
  return r;
}
