// Waiting for descriptors. Where there is but one to wait for, the wait is booked on it, too: so it shows who waited
// for a pipe of a worker. What epoll waits for is the set, whatever it finds: the wait is the set's own.
#include <poll.h>
#include <sys/epoll.h>

#include "agent/loops/loops.hpp"
#include "interpose/hook/hook.hpp"
#include "interpose/wait/booking.hpp"
#include "interpose/wait/timeout.hpp"

PROF_REAL_LATE(poll);
PROF_REAL_LATE(ppoll);
PROF_REAL_LATE(epoll_wait);
PROF_REAL_LATE(epoll_pwait);
PROF_REAL_LATE_AS(epoll_pwait2, int(int, epoll_event*, int, const timespec*, const sigset_t*));
PROF_REAL_LATE_AS(__poll_chk, int(pollfd*, nfds_t, int, size_t));
PROF_REAL_LATE_AS(__ppoll_chk, int(pollfd*, nfds_t, const timespec*, const sigset_t*, size_t));

PROF_WAIT_FUNCTION(poll);
PROF_WAIT_FUNCTION(ppoll);
PROF_WAIT_FUNCTION(epoll_wait);
PROF_WAIT_FUNCTION(epoll_pwait);
PROF_WAIT_FUNCTION(epoll_pwait2);

using prof::files::Use;
using prof::wait::Call;
using prof::wait::WaitClass;

namespace {

// Who asks for nothing waits for the time to pass.
WaitClass class_of(nfds_t n) { return n == 0 ? WaitClass::Sleep : WaitClass::Poll; }

int polled(Call& call, const pollfd* fds, nfds_t n, int r) {
  if (n == 1 && call && (r >= 0 || errno == EINTR))  // the kernel could read it: so can we
    prof::booked(call, fds->fd, Use::What::Poll, r);
  else
    prof::ended(call, r);
  return r;
}

// Who waits for a set again and again runs a loop.
int polled(Call& call, int set, int r) {
  if (call) prof::loops::turn_ended(set, call.started(), r);
  prof::booked(call, set, Use::What::Poll, r);
  if (call) prof::loops::turn_begins(set, call.started() + call.ns());
  return r;
}

}  // namespace

PROF_EXPORT int poll(pollfd* fds, nfds_t n, int timeout) {
  Call call(function_poll, class_of(n));
  return polled(call, fds, n, prof::for_milliseconds(call, timeout, [=](int ms) { return real_poll(fds, n, ms); }));
}

PROF_EXPORT int __poll_chk(pollfd* fds, nfds_t n, int timeout, size_t bytes) {
  Call call(function_poll, class_of(n));
  return polled(call, fds, n,
                prof::for_milliseconds(call, timeout, [=](int ms) { return real___poll_chk(fds, n, ms, bytes); }));
}

PROF_EXPORT int ppoll(pollfd* fds, nfds_t n, const timespec* timeout, const sigset_t* mask) {
  Call call(function_ppoll, class_of(n));
  return polled(call, fds, n, prof::for_timespec(call, timeout, mask, [=](const timespec* t, const sigset_t* m) {
                  return real_ppoll(fds, n, t, m);
                }));
}

PROF_EXPORT int __ppoll_chk(pollfd* fds, nfds_t n, const timespec* timeout, const sigset_t* mask, size_t bytes) {
  Call call(function_ppoll, class_of(n));
  return polled(call, fds, n, prof::for_timespec(call, timeout, mask, [=](const timespec* t, const sigset_t* m) {
                  return real___ppoll_chk(fds, n, t, m, bytes);
                }));
}

PROF_EXPORT int epoll_wait(int fd, epoll_event* events, int n, int timeout) {
  Call call(function_epoll_wait, WaitClass::Poll);
  return polled(call, fd,
                prof::for_milliseconds(call, timeout, [=](int ms) { return real_epoll_wait(fd, events, n, ms); }));
}

PROF_EXPORT int epoll_pwait(int fd, epoll_event* events, int n, int timeout, const sigset_t* mask) {
  Call call(function_epoll_pwait, WaitClass::Poll);
  return polled(call, fd, prof::for_milliseconds(call, timeout, mask, [=](int ms, const sigset_t* m) {
                  return real_epoll_pwait(fd, events, n, ms, m);
                }));
}

PROF_EXPORT int epoll_pwait2(int fd, epoll_event* events, int n, const timespec* timeout, const sigset_t* mask) {
  if (real_epoll_pwait2.get() == nullptr) {
    errno = ENOSYS;
    return -1;
  }
  Call call(function_epoll_pwait2, WaitClass::Poll);
  return polled(call, fd, prof::for_timespec(call, timeout, mask, [=](const timespec* t, const sigset_t* m) {
                  return real_epoll_pwait2(fd, events, n, t, m);
                }));
}
