// Waiting for signals: only the host's own may end these calls, and a tick that is pending is not theirs to fetch.
#include <signal.h>

#include "interpose/hook.hpp"
#include "interpose/signal_set.hpp"
#include "interpose/wait/resume.hpp"

PROF_REAL(sigsuspend);
PROF_REAL(sigwait);
PROF_REAL(sigwaitinfo);
PROF_REAL(sigtimedwait);

PROF_EXPORT int sigsuspend(const sigset_t* mask) {
  return prof::resumed([=] { return real_sigsuspend(mask); });
}

PROF_EXPORT int sigwait(const sigset_t* set, int* number) {
  sigset_t copy;
  return real_sigwait(prof::without_ours(set, copy), number);
}

PROF_EXPORT int sigwaitinfo(const sigset_t* asked, siginfo_t* info) {
  sigset_t copy;
  const sigset_t* set = prof::without_ours(asked, copy);
  return prof::resumed([=] { return real_sigwaitinfo(set, info); });
}

PROF_EXPORT int sigtimedwait(const sigset_t* asked, siginfo_t* info, const timespec* timeout) {
  sigset_t copy;
  const sigset_t* set = prof::without_ours(asked, copy);
  if (timeout == nullptr || !prof::valid(*timeout))
    return prof::resumed([=] { return real_sigtimedwait(set, info, timeout); });
  const prof::Remaining remaining(prof::nanoseconds(*timeout));
  prof::Interruptions interruptions;
  int r = real_sigtimedwait(set, info, timeout);
  while (r < 0 && interruptions.by_tick()) {
    const timespec rest = prof::to_timespec(remaining.ns());
    r = real_sigtimedwait(set, info, &rest);
  }
  return r;
}
