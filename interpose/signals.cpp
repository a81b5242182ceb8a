// Signal dispositions and masks: the host must neither meet our signal nor lose it to us.
//
// A host that asks what our signal does is told "the default"; one that takes it, gets it, and our ticks move to
// another one; one that blocks all signals in its threads (as most thread pools do) does not block ours, which it does
// not know of.
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>

#include "agent/files/descriptors.hpp"
#include "agent/sample/ticks.hpp"
#include "interpose/hook.hpp"
#include "interpose/signal_set.hpp"

PROF_REAL(sigaction);
PROF_REAL(signal);
PROF_REAL(sigprocmask);
PROF_REAL(pthread_sigmask);
PROF_REAL(signalfd);
PROF_REAL_AS(sigset, sighandler_t(int, sighandler_t));
PROF_REAL_AS(sigignore, int(int));

namespace {

bool is_ours(int number) { return number != 0 && number == prof::ticks::signal_number(); }

// The real call with our signal left out of what is blocked; the host reads back what it had set.
template <class Call>
int masked(int how, const sigset_t* set, sigset_t* old, Call call) {
  const int ours = prof::ticks::signal_number();
  if (ours == 0) return call(set);
  const bool blocked_before = prof::tls.host_blocks_tick;
  sigset_t copy;
  // Unblocking ours is harmless, and blocks of others must stay exact.
  const int r = call(how == SIG_UNBLOCK ? set : prof::without_ours(set, copy));
  if (r != 0) return r;
  if (set != nullptr) {
    const bool named = sigismember(set, ours) == 1;
    if (how == SIG_SETMASK)
      prof::tls.host_blocks_tick = named;
    else if (named)
      prof::tls.host_blocks_tick = how == SIG_BLOCK;
  }
  // In a handler within a call that held our signal back (wait/resume.hpp) it is blocked, too.
  if (old != nullptr) blocked_before ? sigaddset(old, ours) : sigdelset(old, ours);
  return r;
}

}  // namespace

PROF_EXPORT int sigaction(int number, const struct sigaction* set, struct sigaction* old) noexcept {
  if (is_ours(number)) {
    if (set == nullptr) {
      if (old != nullptr) *old = {};
      return 0;
    }
    prof::ticks::leave_signal();
    const int r = real_sigaction(number, set, old);
    if (r == 0 && old != nullptr) *old = {};
    return r;
  }
  return real_sigaction(number, set, old);
}

PROF_EXPORT sighandler_t signal(int number, sighandler_t handler) noexcept {
  if (!is_ours(number)) return real_signal(number, handler);
  prof::ticks::leave_signal();
  return real_signal(number, handler) == SIG_ERR ? SIG_ERR : SIG_DFL;
}

PROF_EXPORT sighandler_t sigset(int number, sighandler_t handler) noexcept {
  if (!is_ours(number)) return real_sigset(number, handler);
  prof::ticks::leave_signal();
  return real_sigset(number, handler) == SIG_ERR ? SIG_ERR : SIG_DFL;
}

PROF_EXPORT int sigignore(int number) noexcept {
  if (is_ours(number)) prof::ticks::leave_signal();
  return real_sigignore(number);
}

PROF_EXPORT int sigprocmask(int how, const sigset_t* set, sigset_t* old) noexcept {
  return masked(how, set, old, [=](const sigset_t* s) { return real_sigprocmask(how, s, old); });
}

PROF_EXPORT int pthread_sigmask(int how, const sigset_t* set, sigset_t* old) noexcept {
  return masked(how, set, old, [=](const sigset_t* s) { return real_pthread_sigmask(how, s, old); });
}

PROF_EXPORT int signalfd(int fd, const sigset_t* set, int flags) noexcept {
  sigset_t copy;
  const int r = real_signalfd(fd, prof::fetched(set, copy), flags);
  if (fd < 0 && r >= 0) prof::files::made(r, prof::files::Kind::Event);
  return r;
}
