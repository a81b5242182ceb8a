// Descriptors that are no files and no sockets: pipes, events, timers, sets. And events, which libc reads and writes by
// itself.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "agent/loops/loops.hpp"
#include "interpose/hook/hook.hpp"
#include "interpose/wait/booking.hpp"

PROF_REAL_LATE(pipe);
PROF_REAL_LATE(pipe2);
PROF_REAL_LATE(eventfd);
PROF_REAL_LATE(eventfd_read);
PROF_REAL_LATE(eventfd_write);
PROF_REAL_LATE(timerfd_create);
PROF_REAL_LATE(inotify_init);
PROF_REAL_LATE(inotify_init1);
PROF_REAL_LATE(epoll_create);
PROF_REAL_LATE(epoll_create1);
PROF_REAL_LATE(memfd_create);

PROF_WAIT_FUNCTION(eventfd_read);
PROF_WAIT_FUNCTION(eventfd_write);

using prof::files::Kind;
using prof::files::Use;
using prof::wait::Call;
using prof::wait::WaitClass;

namespace {

int kept(int fd, Kind kind) {
  if (fd >= 0) prof::files::made(fd, kind);
  return fd;
}

int made_set(int fd) {
  if (!prof::wait::in_vfork_child()) prof::loops::made(fd);
  return kept(fd, Kind::Event);
}

int made_pipe(int r, const int* ends) {
  if (r == 0) {
    kept(ends[0], Kind::Pipe);
    kept(ends[1], Kind::Pipe);
  }
  return r;
}

}  // namespace

PROF_EXPORT int pipe(int ends[2]) noexcept { return made_pipe(real_pipe(ends), ends); }
PROF_EXPORT int pipe2(int ends[2], int flags) noexcept { return made_pipe(real_pipe2(ends, flags), ends); }

PROF_EXPORT int eventfd(unsigned value, int flags) noexcept { return kept(real_eventfd(value, flags), Kind::Event); }
PROF_EXPORT int timerfd_create(clockid_t clock, int flags) noexcept {
  return kept(real_timerfd_create(clock, flags), Kind::Event);
}
PROF_EXPORT int inotify_init() noexcept { return kept(real_inotify_init(), Kind::Event); }
PROF_EXPORT int inotify_init1(int flags) noexcept { return kept(real_inotify_init1(flags), Kind::Event); }
PROF_EXPORT int epoll_create(int size) noexcept { return made_set(real_epoll_create(size)); }
PROF_EXPORT int epoll_create1(int flags) noexcept { return made_set(real_epoll_create1(flags)); }
PROF_EXPORT int memfd_create(const char* name, unsigned flags) noexcept {
  return kept(real_memfd_create(name, flags), Kind::Unknown);
}

PROF_EXPORT int eventfd_read(int fd, eventfd_t* value) {
  Call call(function_eventfd_read, WaitClass::Poll);
  const int r = real_eventfd_read(fd, value);
  prof::booked(call, fd, Use::What::Read, r, sizeof(*value));
  return r;
}

PROF_EXPORT int eventfd_write(int fd, eventfd_t value) {
  Call call(function_eventfd_write, WaitClass::Poll);
  const int r = real_eventfd_write(fd, value);
  prof::booked(call, fd, Use::What::Write, r, sizeof(value));
  return r;
}
