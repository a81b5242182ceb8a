// System calls by number: those that block are recorded as the functions of the same name are, and what they close or
// exchange is noted. All others pass as they are. libc's function is no cancellation point, and no more is this one.
#include <linux/close_range.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdint>

#include "agent/life/lifecycle.hpp"
#include "interpose/hook/hook.hpp"
#include "interpose/wait/booking.hpp"
#include "interpose/wait/timeout.hpp"

PROF_REAL(syscall);

using prof::files::Use;
using prof::wait::Call;
using prof::wait::Function;
using prof::wait::WaitClass;

namespace {

// How a call is recorded, and how it goes on after a tick.
enum class Way : std::uint8_t {
  Pass,
  // Not recorded:
  Sandbox,
  Control,  // of the process
  Limit,    // of itself
  LimitOf,  // of the process that is the first argument
  Close,
  CloseRange,
  Duplicate,
  // On the descriptor that is the first argument; the result is the number of bytes:
  Read,
  ReadAt,  // the fourth argument is the offset
  Write,
  WriteAt,
  Receive,  // ends at every signal where the socket has a timeout of its own
  Send,
  Sync,  // on the descriptor
  // For events. With the rest of a time that the kernel writes back, or with none: repeated as they are.
  Poll,       // poll; milliseconds
  PollUntil,  // ppoll
  Select,
  Complete,  // of requests to the ring or queue that is the first argument
  Set,       // epoll_wait: on the descriptor; milliseconds
  SetUntil,  // epoll_pwait2: likewise; a timespec
  Sleep,
  SleepUntil,  // clock_nanosleep
  Futex,
  FutexUntil,  // with an absolute time
  Child,
};

// Numbers that are newer than the headers may be.
#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif
#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif
#ifndef SYS_futex_wait
#define SYS_futex_wait 455
#endif

#define PROF_NUMBERED(ROW)                                                                                         \
  ROW(seccomp, Sandbox), ROW(prctl, Control), ROW(setrlimit, Limit), ROW(prlimit64, LimitOf), ROW(close, Close),   \
      ROW(close_range, CloseRange), ROW(dup2, Duplicate), ROW(dup3, Duplicate), ROW(read, Read), ROW(readv, Read), \
      ROW(getdents64, Read), ROW(pread64, ReadAt), ROW(preadv, ReadAt), ROW(preadv2, ReadAt), ROW(write, Write),   \
      ROW(writev, Write), ROW(pwrite64, WriteAt), ROW(pwritev, WriteAt), ROW(pwritev2, WriteAt),                   \
      ROW(recvfrom, Receive), ROW(recvmsg, Receive), ROW(sendto, Send), ROW(sendmsg, Send), ROW(fsync, Sync),      \
      ROW(fdatasync, Sync), ROW(syncfs, Sync), ROW(sync_file_range, Sync), ROW(poll, Poll), ROW(ppoll, PollUntil), \
      ROW(select, Select), ROW(pselect6, Select), ROW(io_getevents, Complete), ROW(io_pgetevents, Complete),       \
      ROW(io_uring_enter, Complete), ROW(epoll_wait, Set), ROW(epoll_pwait, Set), ROW(epoll_pwait2, SetUntil),     \
      ROW(nanosleep, Sleep), ROW(clock_nanosleep, SleepUntil), ROW(futex, Futex), ROW(futex_waitv, FutexUntil),    \
      ROW(futex_wait, FutexUntil), ROW(wait4, Child), ROW(waitid, Child)

struct Row {
  long number;
  Way way;
};
#define PROF_ROW(name, way) \
  { SYS_##name, Way::way }
constexpr Row kRows[] = {PROF_NUMBERED(PROF_ROW)};
#define PROF_FUNCTION(name, way) \
  { "syscall(" #name ")" }
constinit Function functions[] = {PROF_NUMBERED(PROF_FUNCTION)};

// By number: the row, plus 1.
constexpr std::size_t kNumbers = 512;
constexpr auto kRowOf = [] {
  std::array<std::uint8_t, kNumbers> rows{};
  for (std::size_t i = 0; i < std::size(kRows); ++i)
    rows[static_cast<std::size_t>(kRows[i].number)] = static_cast<std::uint8_t>(i + 1);
  return rows;
}();

struct Arguments {
  long number;
  long a[6];
};

long real(const Arguments& s) { return real_syscall.get()(s.number, s.a[0], s.a[1], s.a[2], s.a[3], s.a[4], s.a[5]); }
// With another value as argument `i`.
long real_with(Arguments s, int i, const void* value) {
  s.a[i] = reinterpret_cast<long>(value);
  return real(s);
}
template <class T>
T* pointer(long a) {
  return reinterpret_cast<T*>(a);
}

// Whether the operation waits for another thread.
bool waits(const Arguments& s) {
  switch (s.a[1] & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
    case FUTEX_LOCK_PI:
    case FUTEX_LOCK_PI2:
    case FUTEX_WAIT_REQUEUE_PI:
      return true;
    default:
      return false;
  }
}

WaitClass class_of(Way way, const Arguments& s) {
  switch (way) {
    case Way::Receive:
    case Way::Send:
      return WaitClass::Network;
    case Way::Poll:
    case Way::PollUntil:
      return s.a[1] == 0 ? WaitClass::Sleep : WaitClass::Poll;
    case Way::Select:
      return s.a[0] == 0 ? WaitClass::Sleep : WaitClass::Poll;
    case Way::Complete:
    case Way::Set:
    case Way::SetUntil:
      return WaitClass::Poll;
    case Way::Sleep:
    case Way::SleepUntil:
      return WaitClass::Sleep;
    case Way::Futex:
    case Way::FutexUntil:
      return WaitClass::Lock;
    case Way::Child:
      return WaitClass::Child;
    default:
      return prof::files::class_of(static_cast<int>(s.a[0]));
  }
}

// Argument `rest` is where the kernel writes what is left of a relative time, which is argument `rest` - 1.
long slept(const Arguments& s, int rest) {
  timespec left{};
  Arguments next = s;
  next.a[rest] = reinterpret_cast<long>(&left);
  prof::Interruptions interruptions;
  long r = real(next);
  timespec again{};
  while (r < 0 && interruptions.by_tick()) {
    again = left;
    next.a[rest - 1] = reinterpret_cast<long>(&again);
    r = real(next);
  }
  if (r < 0 && errno == EINTR && s.a[rest] != 0) *pointer<timespec>(s.a[rest]) = left;
  return r;
}

long performed(const Call& call, Way way, const Arguments& s) {
  constexpr long kAbsolute = 1;  // TIMER_ABSTIME
  switch (way) {
    case Way::Poll:
    case Way::Set: {
      const int i = way == Way::Poll ? 2 : 3;
      return prof::for_milliseconds(call, static_cast<int>(s.a[i]),
                                    [&](int ms) { return static_cast<int>(real_with(s, i, pointer<void>(ms))); });
    }
    case Way::SetUntil:
      return prof::for_timespec(call, pointer<const timespec>(s.a[3]),
                                [&](const timespec* t) { return static_cast<int>(real_with(s, 3, t)); });
    case Way::Futex:
      if ((s.a[1] & FUTEX_CMD_MASK) != FUTEX_WAIT) return prof::resumed([&] { return real(s); });
      return prof::for_timespec(call, pointer<const timespec>(s.a[3]),
                                [&](const timespec* t) { return static_cast<int>(real_with(s, 3, t)); });
    case Way::Sleep:
      return slept(s, 1);
    case Way::SleepUntil:
      return (s.a[1] & kAbsolute) == 0 ? slept(s, 3) : prof::resumed([&] { return real(s); });
    case Way::PollUntil:
    case Way::Select:
    case Way::Complete:
    case Way::FutexUntil:
    case Way::Receive:
    case Way::Send:
      return prof::resumed([&] { return real(s); });
    default:
      return real(s);
  }
}

void booked(Call& call, Way way, const Arguments& s, long r) {
  const int fd = static_cast<int>(s.a[0]);
  const auto at = [&](Use::What what) {
    if (!call) return;
    call.done(r < 0 ? errno : 0, r < 0 ? 0 : static_cast<std::uint64_t>(r));
    prof::files::used(fd, call, {.what = what, .failed = r < 0, .bytes = r < 0 ? 0 : r, .offset = s.a[3]});
  };
  switch (way) {
    case Way::Read:
    case Way::Receive:
      return prof::moved(call, fd, Use::What::Read, r);
    case Way::ReadAt:
      return at(Use::What::Read);
    case Way::Write:
    case Way::Send:
      return prof::moved(call, fd, Use::What::Write, r);
    case Way::WriteAt:
      return at(Use::What::Write);
    case Way::Sync:
      return prof::booked(call, fd, Use::What::Sync, r);
    case Way::Poll:
    case Way::PollUntil:
      if (s.a[1] == 1 && call && (r >= 0 || errno == EINTR))
        return prof::booked(call, pointer<const pollfd>(s.a[0])->fd, Use::What::Poll, r);
      return prof::ended(call, r);
    case Way::Set:
    case Way::SetUntil:
      return prof::booked(call, fd, Use::What::Poll, r);
    case Way::Complete:
      if (s.number == SYS_io_uring_enter) return prof::booked(call, fd, Use::What::Poll, r);
      return prof::ended(call, r);
    default:
      return prof::ended(call, r);
  }
}

[[gnu::noinline]] long recorded(const Arguments& s, std::size_t row, const void* caller) {
  const Way way = kRows[row].way;
  switch (way) {
    case Way::Sandbox:
      if (s.a[0] == SECCOMP_SET_MODE_STRICT || s.a[0] == SECCOMP_SET_MODE_FILTER) prof::lifecycle::before_sandbox();
      return real(s);
    case Way::Control:
      prof::lifecycle::before_prctl(static_cast<int>(s.a[0]), static_cast<unsigned long>(s.a[1]));
      return real(s);
    case Way::Limit:
      prof::lifecycle::before_limit(static_cast<int>(s.a[0]), pointer<const void>(s.a[1]));
      return real(s);
    case Way::LimitOf:
      prof::lifecycle::before_limit_of(static_cast<int>(s.a[0]), static_cast<int>(s.a[1]), pointer<const void>(s.a[2]));
      return real(s);
    case Way::Close:
      prof::files::closed(static_cast<int>(s.a[0]));
      return real(s);
    case Way::CloseRange:
      if ((s.a[2] & CLOSE_RANGE_CLOEXEC) == 0)
        prof::files::closed_range(static_cast<unsigned>(s.a[0]), static_cast<unsigned>(s.a[1]));
      return real(s);
    case Way::Duplicate: {
      const long fd = real(s);
      if (fd >= 0) prof::files::duplicated(static_cast<int>(s.a[0]), static_cast<int>(fd));
      return fd;
    }
    case Way::Futex:
      if (!waits(s)) return real(s);
      break;
    default:
      break;
  }
  Call call(functions[row], class_of(way, s), caller);
  const long r = performed(call, way, s);
  booked(call, way, s, r);
  if (s.number == SYS_wait4 && r > 0 && s.a[1] != 0)
    prof::lifecycle::child_ended(static_cast<int>(r), *pointer<const int>(s.a[1]));
  return r;
}

}  // namespace

PROF_EXPORT long syscall(long number, ...) noexcept {
  Arguments s;
  s.number = number;
  va_list args;
  va_start(args, number);
  for (long& value : s.a) value = va_arg(args, long);
  va_end(args);
  const auto at = static_cast<unsigned long>(number);
  if (at >= kNumbers || kRowOf[at] == 0) return real(s);
  return recorded(s, kRowOf[at] - 1U, __builtin_return_address(0));
}
