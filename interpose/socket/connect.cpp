// Sockets: where they come from, and who they are connected to.
#include <sys/socket.h>

#include "interpose/hook/hook.hpp"
#include "interpose/wait/booking.hpp"
#include "interpose/wait/resume.hpp"

PROF_REAL_LATE(socket);
PROF_REAL_LATE(socketpair);
PROF_REAL_LATE(bind);
PROF_REAL_LATE(listen);
PROF_REAL_LATE(shutdown);
PROF_REAL_LATE(accept);
PROF_REAL_LATE(accept4);
PROF_REAL_LATE(connect);

PROF_WAIT_FUNCTION(accept);
PROF_WAIT_FUNCTION(accept4);
PROF_WAIT_FUNCTION(connect);
PROF_WAIT_FUNCTION(shutdown);

using prof::files::Kind;
using prof::files::Use;
using prof::wait::Call;
using prof::wait::WaitClass;

namespace {

int named(int fd, int r) {
  if (r == 0) prof::files::renamed(fd);
  return r;
}

// Waiting for a connection is waiting for the listening socket.
int accepted(Call& call, int listener, int r) {
  prof::booked(call, listener, Use::What::Poll, r);
  if (r >= 0) prof::files::made(r, Kind::Accepted);
  return r;
}

// Linux goes on connecting when connect is called again, and says so at the timeout of the socket's own.
int connected(int fd, const sockaddr* to, socklen_t bytes) {
  prof::Interruptions interruptions;
  int r = real_connect(fd, to, bytes);
  while (r < 0 && interruptions.by_tick()) {
    r = real_connect(fd, to, bytes);
    if (r < 0 && errno == EALREADY) errno = EINPROGRESS;
    if (r < 0 && errno == EISCONN) r = 0;
  }
  return r;
}

}  // namespace

PROF_EXPORT int socket(int domain, int type, int protocol) noexcept {
  const int fd = real_socket(domain, type, protocol);
  if (fd >= 0) prof::files::made(fd, Kind::Socket);
  return fd;
}

PROF_EXPORT int socketpair(int domain, int type, int protocol, int ends[2]) noexcept {
  const int r = real_socketpair(domain, type, protocol, ends);
  if (r == 0) {
    prof::files::made(ends[0], Kind::Socket);
    prof::files::made(ends[1], Kind::Socket);
  }
  return r;
}

PROF_EXPORT int bind(int fd, const sockaddr* name, socklen_t bytes) noexcept {
  return named(fd, real_bind(fd, name, bytes));
}

PROF_EXPORT int listen(int fd, int backlog) noexcept { return named(fd, real_listen(fd, backlog)); }

PROF_EXPORT int shutdown(int fd, int how) noexcept {
  Call call(function_shutdown, WaitClass::Network);
  const int r = real_shutdown(fd, how);
  prof::booked(call, fd, Use::What::Other, r);
  return r;
}

PROF_EXPORT int accept(int fd, sockaddr* from, socklen_t* bytes) {
  Call call(function_accept, WaitClass::Network);
  return accepted(call, fd, prof::resumed([=] { return real_accept(fd, from, bytes); }));
}

PROF_EXPORT int accept4(int fd, sockaddr* from, socklen_t* bytes, int flags) {
  Call call(function_accept4, WaitClass::Network);
  return accepted(call, fd, prof::resumed([=] { return real_accept4(fd, from, bytes, flags); }));
}

PROF_EXPORT int connect(int fd, const sockaddr* to, socklen_t bytes) {
  Call call(function_connect, WaitClass::Network);
  const int r = connected(fd, to, bytes);
  if (r == 0 || errno == EINPROGRESS) prof::files::renamed(fd);
  prof::booked(call, fd, Use::What::Open, r);
  return r;
}
