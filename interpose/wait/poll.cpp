// Waiting for descriptors.
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include "interpose/hook.hpp"
#include "interpose/wait/resume.hpp"

PROF_REAL(poll);
PROF_REAL(ppoll);
PROF_REAL(select);
PROF_REAL(pselect);
PROF_REAL(epoll_wait);
PROF_REAL(epoll_pwait);
PROF_REAL_AS(epoll_pwait2, int(int, epoll_event*, int, const timespec*, const sigset_t*));
PROF_REAL_AS(__poll_chk, int(pollfd*, nfds_t, int, size_t));
PROF_REAL_AS(__ppoll_chk, int(pollfd*, nfds_t, const timespec*, const sigset_t*, size_t));

using prof::Interruptions;
using prof::Remaining;

namespace {

// Rounded up: a call must not return before its time.
int to_milliseconds(std::uint64_t ns) { return static_cast<int>((ns + 999'999) / 1'000'000); }

// `call(milliseconds)` until it ends otherwise than by a tick.
template <class Call>
int for_milliseconds(int timeout, Call call) {
  if (timeout == 0) return call(0);
  const Remaining remaining(timeout < 0 ? Remaining::kForever : static_cast<std::uint64_t>(timeout) * 1'000'000);
  Interruptions interruptions;
  int r = call(timeout);
  while (r < 0 && interruptions.by_tick()) r = call(timeout < 0 ? timeout : to_milliseconds(remaining.ns()));
  return r;
}

// `call(timespec*)` likewise.
template <class Call>
int for_timespec(const timespec* timeout, Call call) {
  if (timeout != nullptr && !prof::valid(*timeout)) return call(timeout);
  const Remaining remaining(timeout == nullptr ? Remaining::kForever : prof::nanoseconds(*timeout));
  Interruptions interruptions;
  int r = call(timeout);
  while (r < 0 && interruptions.by_tick()) {
    const timespec rest = prof::to_timespec(timeout == nullptr ? 0 : remaining.ns());
    r = call(timeout == nullptr ? nullptr : &rest);
  }
  return r;
}

}  // namespace

PROF_EXPORT int poll(pollfd* fds, nfds_t n, int timeout) {
  return for_milliseconds(timeout, [=](int ms) { return real_poll(fds, n, ms); });
}

PROF_EXPORT int __poll_chk(pollfd* fds, nfds_t n, int timeout, size_t bytes) {
  return for_milliseconds(timeout, [=](int ms) { return real___poll_chk(fds, n, ms, bytes); });
}

PROF_EXPORT int ppoll(pollfd* fds, nfds_t n, const timespec* timeout, const sigset_t* mask) {
  return for_timespec(timeout, [=](const timespec* t) { return real_ppoll(fds, n, t, mask); });
}

PROF_EXPORT int __ppoll_chk(pollfd* fds, nfds_t n, const timespec* timeout, const sigset_t* mask, size_t bytes) {
  return for_timespec(timeout, [=](const timespec* t) { return real___ppoll_chk(fds, n, t, mask, bytes); });
}

// Linux writes the time that is left into `timeout`, also when the call is interrupted: it can be passed again as it
// is.
PROF_EXPORT int select(int n, fd_set* in, fd_set* out, fd_set* exceptional, timeval* timeout) {
  return prof::resumed([=] { return real_select(n, in, out, exceptional, timeout); });
}

PROF_EXPORT int pselect(int n, fd_set* in, fd_set* out, fd_set* exceptional, const timespec* timeout,
                        const sigset_t* mask) {
  return for_timespec(timeout, [=](const timespec* t) { return real_pselect(n, in, out, exceptional, t, mask); });
}

PROF_EXPORT int epoll_wait(int fd, epoll_event* events, int n, int timeout) {
  return for_milliseconds(timeout, [=](int ms) { return real_epoll_wait(fd, events, n, ms); });
}

PROF_EXPORT int epoll_pwait(int fd, epoll_event* events, int n, int timeout, const sigset_t* mask) {
  return for_milliseconds(timeout, [=](int ms) { return real_epoll_pwait(fd, events, n, ms, mask); });
}

PROF_EXPORT int epoll_pwait2(int fd, epoll_event* events, int n, const timespec* timeout, const sigset_t* mask) {
  if (real_epoll_pwait2.get() == nullptr) {
    errno = ENOSYS;
    return -1;
  }
  return for_timespec(timeout, [=](const timespec* t) { return real_epoll_pwait2(fd, events, n, t, mask); });
}
