// Sending. A timeout of the socket's own makes every signal end these calls; nothing was sent then, and they can be
// repeated. The time starts anew, which is no matter: ticks come while a thread runs, so at the beginning of a wait.
#include <sys/socket.h>

#include "interpose/hook/hook.hpp"
#include "interpose/wait/booking.hpp"
#include "interpose/wait/resume.hpp"

PROF_REAL_LATE(send);
PROF_REAL_LATE(sendto);
PROF_REAL_LATE(sendmsg);
PROF_REAL_LATE(sendmmsg);

PROF_WAIT_FUNCTION(send);
PROF_WAIT_FUNCTION(sendto);
PROF_WAIT_FUNCTION(sendmsg);
PROF_WAIT_FUNCTION(sendmmsg);

using prof::files::Use;
using prof::wait::Call;
using prof::wait::WaitClass;

PROF_EXPORT ssize_t send(int fd, const void* data, size_t bytes, int flags) {
  Call call(function_send, WaitClass::Network);
  const ssize_t r = prof::resumed([=] { return real_send(fd, data, bytes, flags); });
  prof::moved(call, fd, Use::What::Write, r);
  return r;
}

PROF_EXPORT ssize_t sendto(int fd, const void* data, size_t bytes, int flags, const sockaddr* to, socklen_t to_bytes) {
  Call call(function_sendto, WaitClass::Network);
  const ssize_t r = prof::resumed([=] { return real_sendto(fd, data, bytes, flags, to, to_bytes); });
  prof::moved(call, fd, Use::What::Write, r);
  return r;
}

PROF_EXPORT ssize_t sendmsg(int fd, const msghdr* message, int flags) {
  Call call(function_sendmsg, WaitClass::Network);
  const ssize_t r = prof::resumed([=] { return real_sendmsg(fd, message, flags); });
  prof::moved(call, fd, Use::What::Write, r);
  return r;
}

PROF_EXPORT int sendmmsg(int fd, mmsghdr* messages, unsigned n, int flags) {
  Call call(function_sendmmsg, WaitClass::Network);
  const int r = prof::resumed([=] { return real_sendmmsg(fd, messages, n, flags); });
  if (call) {
    ssize_t bytes = 0;
    for (int i = 0; i < r; ++i) bytes += messages[i].msg_len;
    prof::booked(call, fd, Use::What::Write, r, bytes);
  }
  return r;
}
