// What file descriptors are: the name and the kind of each, kept from the calls that make and close them, so that no
// read has to ask the kernel. A descriptor that came from elsewhere (inherited, made inside of libc) is asked about
// once, at its first use. What is kept may be wrong where one was closed and another one opened past us: it is checked
// at calls of kWaitSure and more, and in each thread once a millisecond at a shorter one that got a context, which asks
// the kernel but rarely.
//
// All functions: ordinary code, in the process's own threads (nothing is stored in a vfork child, nor where blocking
// calls are not recorded); they keep errno. Any number is allowed: -1 and what lies beyond the table are kept nowhere
// and asked about as they come.
#pragma once

#include <cstdint>

#include "agent/contract/format.hpp"
#include "agent/wait/call.hpp"

namespace prof::files {

enum class Kind : std::uint8_t {
  Unknown,  // to be asked
  File,
  Directory,
  Pipe,
  Socket,
  Accepted,  // a socket that accept returned
  Event,     // eventfd, timerfd, inotify, signalfd, epoll
  Device,    // terminals, /dev/...
  Other,
};

// What a call on `fd` waits for. Asks the kernel if the descriptor is not known.
log::WaitClass class_of(int fd);
// fstat has just told the program that `fd` is a regular file: it need not be asked for that any more.
void told_regular(int fd);

// A new descriptor. What stood at its number is forgotten; so it is with `fd` for an Unknown one.
void opened(int fd, int directory, const char* path, int flags = 0);  // as openat was asked for it
void made(int fd, Kind kind);
void duplicated(int from, int to);
void closed(int fd);
void closed_range(unsigned first, unsigned last);
// It has got, or lost, a name: connect, bind, accept.
void renamed(int fd);
// The working directory is another one.
void moved();

// One that is about to be closed: what it is, for what is booked afterwards; with `ask` the kernel is asked where that
// is not known. Forgotten before the kernel closes it: afterwards its number may be another thread's at once.
struct Closing {
  std::uint32_t file;  // 0: not known
  log::WaitClass what;
};
Closing closing(int fd, bool ask = false);

// What a call did, to be booked on its file: after `call.done`, for every call, failed ones included.
struct Use {
  enum class What : std::uint8_t { Open, Read, Write, Sync, Seek, Poll, Other };
  What what;
  bool failed;
  std::int64_t bytes = 0;
  std::int64_t offset = -1;  // of pread and its kind; -1: where the descriptor stands
};
void used(int fd, const wait::Call& call, const Use& use);
void used(const Closing& closing, const wait::Call& call, const Use& use);
// A call by path alone (stat, unlink, a failed open...): booked on the file of that name if one was opened by it, and
// else on its directory: names that a program only looks for would soon fill the table. Null: on nothing.
void used(int directory, const char* path, const wait::Call& call, const Use& use);
// lseek to `offset`, which is not timed: counted where it moved.
void sought(int fd, std::int64_t offset);

// The calling thread's first moment; `t` has its slot.
void begin_thread(ThreadState& t);

// Once at start.
void prepare_descriptors();

}  // namespace prof::files
