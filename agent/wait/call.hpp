// One blocking call, as the interposed function sees it: counted and timed exactly, with the context of its caller
// where it took long, and by chance where it did not.
//
//   PROF_EXPORT int fsync(int fd) {
//     wait::Call call(function_fsync, files::class_of(fd));      // function_fsync: see PROF_WAIT_FUNCTION
//     const int r = real_fsync(fd);
//     call.done(r < 0 ? errno : 0);
//     return r;
//   }
//
// The call ends at `done`, or else with its scope. A thread that is cancelled, or leaves by a jump, runs neither:
// nothing of this may depend on it. What is open then is ended at the thread's end, or forgotten at the next call.
//
// Costs: two reads of the quick clock and about ten loads and stores; a stack for one call in many, and before one that
// may last. errno stays as it is. In a vfork child, in a process that records nothing, and inside the agent: a few
// loads.
#pragma once

#include <atomic>
#include <cstdint>

#include "agent/contract/format.hpp"
#include "agent/thread/guard.hpp"
#include "agent/wait/local.hpp"

namespace prof::wait {

using log::WaitClass;
struct FunctionCounters;

// One interposed function; a constant-initialised static, one for each exported name that users know it by. On one line
// of the cache.
struct alignas(32) Function {
  const char* name;
  // By what it waits for: its number among all such pairs that were called in this process, from 1 on. 0: none so far.
  mutable std::atomic<std::uint16_t> numbers[log::kWaitClasses]{};
};

class Call {
 public:
  // On the stack of the interposed function itself, not of one that it calls: `caller` is where that returns to.
  Call(const Function& function, WaitClass what, const void* caller = __builtin_return_address(0))
      : function_(function), what_(what) {
    if (!inside_real_call()) enter(reinterpret_cast<std::uintptr_t>(caller));
  }
  ~Call() {
    if (entered_) done(0);
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // Whether it is being recorded: false makes whatever is booked beside it needless.
  explicit operator bool() const { return entered_ || ended_; }

  // After the real function, once. `error`: its errno, 0 for success. Bytes of a call that failed are not counted.
  void done(int error, std::uint64_t bytes = 0);

  // When it began, by CLOCK_MONOTONIC; 0: it is not recorded.
  std::uint64_t started() const { return started_; }

  // After `done`: how long it took, in ns, and its context, where one was taken; 0: none.
  std::uint64_t ns() const { return ns_; }
  std::uint32_t node() const { return node_; }

 private:
  void enter(std::uintptr_t caller);
  void enter_slowly(std::uintptr_t caller);
  void locate(const FunctionCounters& counters);
  // What was found before a fork in the midst of the call is of the parent's log.
  void forget_context() {
    node_ = 0;
    words_ = nullptr;
  }
  std::uintptr_t place() const { return reinterpret_cast<std::uintptr_t>(this); }
  void done_slowly(std::uint64_t ended, int error, std::uint64_t bytes);
  void late(std::uint64_t ended, std::uint64_t nested, int error, std::uint64_t bytes);
  void book(const Guard& guard, FunctionCounters& counters, std::uint64_t ended, std::uint64_t nested, int error,
            std::uint64_t bytes);

  const Function& function_;
  WaitClass what_;
  bool entered_ = false, ended_ = false;
  std::uint32_t node_ = 0;
  log::WaitWords* words_ = nullptr;  // of node_, where that was found before
  std::uint64_t ns_ = 0;
  std::uint64_t started_ = 0;
  Outer outer_;
};

// Whether blocking calls are recorded in this process now. Any context; two loads.
bool wanted();

// Whether the calling thread's code runs in a child of vfork, which borrows its parent's memory: it must not store
// anything. Asks the kernel only in a thread that has called vfork and not been seen in its own process since.
bool in_vfork_child();

// The calling thread's first and last moments: what a thread that is cancelled, or leaves out of a handler, was in is
// booked as ended now. `end_thread` is for a thread that is registered.
void begin_thread(ThreadState& t);
void end_thread(ThreadState& t);

// A tick came while the thread's stack pointer was `sp`: a call that stood where the stack does not reach any more was
// left by a jump. Tick.
void forget_left_call(ThreadState& t, std::uintptr_t sp);

}  // namespace prof::wait

// A row: how one interposed function is called in reports.
#define PROF_WAIT_FUNCTION(name) \
  static constinit ::prof::wait::Function function_##name { #name }
