// Signal dispositions and masks: the host must neither meet our signal nor lose it to us.
//
// A host that asks what our signal does is told "the default"; one that takes it, gets it, and our ticks move to
// another one; one that blocks all signals in its threads (as most thread pools do) does not block ours, which it does
// not know of.
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>

#include <cstring>

#include "agent/files/descriptors.hpp"
#include "agent/life/lifecycle.hpp"
#include "agent/sample/tick_signal.hpp"
#include "agent/sample/ticks.hpp"
#include "agent/thread/entry.hpp"
#include "agent/wait/call.hpp"
#include "interpose/hook/hook.hpp"
#include "interpose/hook/signal_set.hpp"

PROF_REAL(sigaction);
PROF_REAL(signal);
PROF_REAL(sigprocmask);
PROF_REAL(pthread_sigmask);
PROF_REAL(signalfd);
PROF_REAL_AS(sigset, sighandler_t(int, sighandler_t));
PROF_REAL_AS(sigignore, int(int));

namespace {

// The host sets what `number` does: if our ticks use it, they move. Not in a child that borrows its parent's memory (by
// vfork, or by clone with CLONE_VM): its table of signals is its own, and no timer of ours is there.
void leave(int number) {
  if (number == 0 || number != prof::ticks::signal_number()) return;
  // A child with a copy of that memory, by a fork that we did not see, begins by taking it over.
  if (prof::lifecycle::forked_unseen()) const prof::HookGuard renewed;
  if (prof::own_process()) prof::ticks::leave_signal();
}

// What the host is told that a signal did before.
bool ours(sighandler_t before) {
  return before == reinterpret_cast<sighandler_t>(reinterpret_cast<std::uintptr_t>(&prof::ticks::prof_tick_entry));
}
sighandler_t told(sighandler_t before) { return ours(before) ? SIG_DFL : before; }

std::uint64_t signals_of(const sigset_t& set) {
  std::uint64_t signals = 0;
  std::memcpy(&signals, &set, sizeof(signals));
  return signals;
}

// The real call with our signal left out of what is blocked; the host reads back what it had set.
template <class Call>
int masked(int how, const sigset_t* set, sigset_t* old, Call call) {
  const std::uint64_t named = set != nullptr ? signals_of(*set) : 0;  // `old` may be in its place
  if (how != SIG_UNBLOCK) prof::leave_if_meant(named);
  const int ours = prof::ticks::signal_number();
  const std::uint32_t blocked_before = prof::tls.host_blocks;
  sigset_t copy;
  // Unblocking ours is harmless, and blocks of others must stay exact.
  const int r = call(how == SIG_UNBLOCK ? set : prof::without_ours(set, copy));
  if (r != 0) return r;
  if (set != nullptr && !prof::wait::in_vfork_child()) {  // whose masks are no matter of its parent's
    const auto real_time = static_cast<std::uint32_t>(named >> 32);
    if (how == SIG_SETMASK)
      prof::tls.host_blocks = real_time;
    else
      prof::tls.host_blocks = how == SIG_BLOCK ? blocked_before | real_time : blocked_before & ~real_time;
  }
  // In a handler within a call that held our signal back (wait/resume.hpp) it is blocked, too.
  if (old != nullptr && ours != 0)
    (blocked_before & prof::rt_bit(ours)) != 0 ? sigaddset(old, ours) : sigdelset(old, ours);
  return r;
}

}  // namespace

void prof::leave_if_meant(std::uint64_t wanted) {
  const int old = ticks::signal_number();
  if (old == 0 || (wanted & raw::bit(old)) == 0 || !ticks::names_few(wanted) || wait::in_vfork_child()) return;
  if (lifecycle::forked_unseen()) const HookGuard renewed;
  if (!own_process()) return;
  ticks::leave_signal_to_receivers(wanted);
  if (ticks::signal_number() != old && (tls.host_blocks & rt_bit(old)) != 0)
    raw::mask(SIG_BLOCK, raw::bit(old));  // from now on for real
}

PROF_EXPORT int sigaction(int number, const struct sigaction* set, struct sigaction* old) noexcept {
  if (set != nullptr) leave(number);
  const int r = real_sigaction(number, set, old);
  if (r == 0 && old != nullptr && ours(old->sa_handler)) *old = {};
  return r;
}

PROF_EXPORT sighandler_t signal(int number, sighandler_t handler) noexcept {
  leave(number);
  return told(real_signal(number, handler));
}

PROF_EXPORT sighandler_t sigset(int number, sighandler_t handler) noexcept {
  leave(number);
  return told(real_sigset(number, handler));
}

PROF_EXPORT int sigignore(int number) noexcept {
  leave(number);
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
