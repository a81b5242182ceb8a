// Receiving. What was said of sending holds here, too. Bytes that are only looked at are not moved.
#include <sys/socket.h>

#include "interpose/hook/hook.hpp"
#include "interpose/wait/booking.hpp"
#include "interpose/wait/resume.hpp"

PROF_REAL_LATE(recv);
PROF_REAL_LATE(recvfrom);
PROF_REAL_LATE(recvmsg);
PROF_REAL_LATE_AS(recvmmsg, int(int, mmsghdr*, unsigned, int, timespec*));
PROF_REAL_LATE_AS(__recv_chk, ssize_t(int, void*, size_t, size_t, int));
PROF_REAL_LATE_AS(__recvfrom_chk, ssize_t(int, void*, size_t, size_t, int, sockaddr*, socklen_t*));

PROF_WAIT_FUNCTION(recv);
PROF_WAIT_FUNCTION(recvfrom);
PROF_WAIT_FUNCTION(recvmsg);
PROF_WAIT_FUNCTION(recvmmsg);

using prof::files::Use;
using prof::wait::Call;
using prof::wait::WaitClass;

namespace {

void received(Call& call, int fd, ssize_t r, int flags) {
  prof::booked(call, fd, Use::What::Read, r, (flags & MSG_PEEK) != 0 ? 0 : r);
}

}  // namespace

PROF_EXPORT ssize_t recv(int fd, void* to, size_t bytes, int flags) {
  Call call(function_recv, WaitClass::Network);
  const ssize_t r = prof::resumed([=] { return real_recv(fd, to, bytes, flags); });
  received(call, fd, r, flags);
  return r;
}

PROF_EXPORT ssize_t __recv_chk(int fd, void* to, size_t bytes, size_t room, int flags) {
  Call call(function_recv, WaitClass::Network);
  const ssize_t r = prof::resumed([=] { return real___recv_chk(fd, to, bytes, room, flags); });
  received(call, fd, r, flags);
  return r;
}

PROF_EXPORT ssize_t recvfrom(int fd, void* to, size_t bytes, int flags, sockaddr* from, socklen_t* from_bytes) {
  Call call(function_recvfrom, WaitClass::Network);
  const ssize_t r = prof::resumed([=] { return real_recvfrom(fd, to, bytes, flags, from, from_bytes); });
  received(call, fd, r, flags);
  return r;
}

PROF_EXPORT ssize_t __recvfrom_chk(int fd, void* to, size_t bytes, size_t room, int flags, sockaddr* from,
                                   socklen_t* from_bytes) {
  Call call(function_recvfrom, WaitClass::Network);
  const ssize_t r = prof::resumed([=] { return real___recvfrom_chk(fd, to, bytes, room, flags, from, from_bytes); });
  received(call, fd, r, flags);
  return r;
}

PROF_EXPORT ssize_t recvmsg(int fd, msghdr* message, int flags) {
  Call call(function_recvmsg, WaitClass::Network);
  const ssize_t r = prof::resumed([=] { return real_recvmsg(fd, message, flags); });
  received(call, fd, r, flags);
  return r;
}

PROF_EXPORT int recvmmsg(int fd, mmsghdr* messages, unsigned n, int flags, timespec* timeout) {
  Call call(function_recvmmsg, WaitClass::Network);
  const int r = prof::resumed([=] { return real_recvmmsg(fd, messages, n, flags, timeout); });
  if (call) {
    ssize_t bytes = 0;
    for (int i = 0; i < r && (flags & MSG_PEEK) == 0; ++i) bytes += messages[i].msg_len;
    prof::booked(call, fd, Use::What::Read, r, bytes);
  }
  return r;
}
