// Names of hosts. What libc does for them passes no interposed function, what modules of its name service do may: such
// calls are counted by themselves, too, and their time once.
#include <netdb.h>

#include <cerrno>

#include "agent/wait/call.hpp"
#include "interpose/hook/hook.hpp"

PROF_REAL_LATE(getaddrinfo);
PROF_REAL_LATE(getnameinfo);
PROF_REAL_LATE(gethostbyname);
PROF_REAL_LATE(gethostbyname2);
PROF_REAL_LATE(gethostbyaddr);
PROF_REAL_LATE(gethostbyname_r);
PROF_REAL_LATE(gethostbyname2_r);
PROF_REAL_LATE(gethostbyaddr_r);

PROF_WAIT_FUNCTION(getaddrinfo);
PROF_WAIT_FUNCTION(getnameinfo);
PROF_WAIT_FUNCTION(gethostbyname);
PROF_WAIT_FUNCTION(gethostbyname2);
PROF_WAIT_FUNCTION(gethostbyaddr);
PROF_WAIT_FUNCTION(gethostbyname_r);
PROF_WAIT_FUNCTION(gethostbyname2_r);
PROF_WAIT_FUNCTION(gethostbyaddr_r);

using prof::wait::Call;
using prof::wait::WaitClass;

namespace {

// These functions have errors of their own; the one of errno's that means the same.
int error_of_lookup(int error) {
  switch (error) {
    case 0:
      return 0;
    case EAI_SYSTEM:
      return errno != 0 ? errno : EIO;
    case EAI_AGAIN:
      return EAGAIN;
    case EAI_MEMORY:
      return ENOMEM;
    case EAI_NONAME:
    case EAI_NODATA:
      return ENOENT;
    default:
      return EINVAL;
  }
}

int error_of_host(const hostent* found) {
  if (found != nullptr) return 0;
  return h_errno == TRY_AGAIN ? EAGAIN : ENOENT;
}
int error_of_host(const hostent* found, int error, const int* host_error) {
  if (error != 0) return error;
  if (found != nullptr) return 0;
  return *host_error == TRY_AGAIN ? EAGAIN : ENOENT;
}

}  // namespace

PROF_EXPORT int getaddrinfo(const char* name, const char* service, const addrinfo* hints, addrinfo** found) {
  Call call(function_getaddrinfo, WaitClass::Network);
  const int r = real_getaddrinfo(name, service, hints, found);
  if (call) call.done(error_of_lookup(r));
  return r;
}

PROF_EXPORT int getnameinfo(const sockaddr* address, socklen_t bytes, char* host, socklen_t host_room, char* service,
                            socklen_t service_room, int flags) {
  Call call(function_getnameinfo, WaitClass::Network);
  const int r = real_getnameinfo(address, bytes, host, host_room, service, service_room, flags);
  if (call) call.done(error_of_lookup(r));
  return r;
}

PROF_EXPORT hostent* gethostbyname(const char* name) {
  Call call(function_gethostbyname, WaitClass::Network);
  hostent* found = real_gethostbyname(name);
  if (call) call.done(error_of_host(found));
  return found;
}

PROF_EXPORT hostent* gethostbyname2(const char* name, int family) {
  Call call(function_gethostbyname2, WaitClass::Network);
  hostent* found = real_gethostbyname2(name, family);
  if (call) call.done(error_of_host(found));
  return found;
}

PROF_EXPORT hostent* gethostbyaddr(const void* address, socklen_t bytes, int family) {
  Call call(function_gethostbyaddr, WaitClass::Network);
  hostent* found = real_gethostbyaddr(address, bytes, family);
  if (call) call.done(error_of_host(found));
  return found;
}

PROF_EXPORT int gethostbyname_r(const char* name, hostent* result, char* buffer, size_t room, hostent** found,
                                int* host_error) {
  Call call(function_gethostbyname_r, WaitClass::Network);
  const int r = real_gethostbyname_r(name, result, buffer, room, found, host_error);
  if (call) call.done(error_of_host(*found, r, host_error));
  return r;
}

PROF_EXPORT int gethostbyname2_r(const char* name, int family, hostent* result, char* buffer, size_t room,
                                 hostent** found, int* host_error) {
  Call call(function_gethostbyname2_r, WaitClass::Network);
  const int r = real_gethostbyname2_r(name, family, result, buffer, room, found, host_error);
  if (call) call.done(error_of_host(*found, r, host_error));
  return r;
}

PROF_EXPORT int gethostbyaddr_r(const void* address, socklen_t bytes, int family, hostent* result, char* buffer,
                                size_t room, hostent** found, int* host_error) {
  Call call(function_gethostbyaddr_r, WaitClass::Network);
  const int r = real_gethostbyaddr_r(address, bytes, family, result, buffer, room, found, host_error);
  if (call) call.done(error_of_host(*found, r, host_error));
  return r;
}
