// Who may do what, where. The agent's code runs in five contexts:
//
//   context                 | host malloc | libc calls            | agent locks | agent memory | records to region
//   ------------------------+-------------+-----------------------+-------------+--------------+------------------
//   fast path of a hook     | no          | no                    | no          | no           | exact counters only
//   hook (ordinary code)    | no          | async-signal-safe,    | tried (8.)  | pages, arena | Ordinary
//                           |             | dlsym at first use    |             |              |
//   tick (signal handler)   | no          | async-signal-safe     | never       | pages        | Signal
//   process event (start,   | no          | async-signal-safe     | tried (8.)  | yes          | none
//     fork, exec, exit)     |             |                       |             |              |
//   vfork child             | no          | async-signal-safe     | never       | never        | none
//
// Rules:
// 1. A function that records takes a `const Guard&`: it cannot be called where nobody entered.
// 2. Ordinary code enters by HookGuard, a signal handler by TickGuard, so that the context is visible where the code
//    stands.
// 3. A guard that did not enter tests false; then nothing is recorded and the reason is counted.
// 4. While the real function runs, a RealCall keeps nested interposed calls from being recorded; ticks are still taken.
// 5. errno is kept by both guards; by the quick door of HookGuard, since nothing behind it may change errno: no libc
//    call but those on memory.
// 6. A jump - longjmp out of a handler, an exception, a cancelled thread - leaves no guard up: none of this depends on
//    a destructor. Who finds the thread's guard taken asks whether its frame is still on the stack, and if not, takes
//    the thread as it is: see left_by_jump.
// 7. No guard is entered where the interpreter tells of a call that was met before (calls/shadow.hpp): that path
//    reads and writes what is the thread's own, is gone in a forked child, and that no tick looks at.
// 8. The guest never waits. A lock is taken with all signals of the thread held, by trying for a moment, and given back
//    after a few stores: core/lock.hpp has no other way. Under it nothing is asked of the system but the time: what
//    needs memory or room in the log takes it before, or afterwards. Who does not get the lock leaves the work to its
//    holder, or drops it and counts that; better still, there is no lock. For a thread may be stopped wherever signals
//    can reach it (by a collector of the program's, for as long as that likes), leave by a jump, and be of a priority
//    that lets the holder never run.
#pragma once

#include <cerrno>
#include <cstdint>

#include "agent/contract/format.hpp"
#include "agent/core/process.hpp"
#include "agent/core/tls.hpp"

namespace prof {

class Guard {
 public:
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
  explicit operator bool() const { return thread_ != nullptr; }
  // The calling thread's state; only of a guard that entered.
  ThreadState& thread() const { return *thread_; }
  log::RegionKind kind() const { return kind_; }

 protected:
  explicit Guard(log::RegionKind kind) : kind_(kind) {}
  // Sets what was there before instead of counting down: where a guard inside was left by a jump, that is undone, too.
  ~Guard() {
    if (thread_ != nullptr) leave();
    if (keeps_errno_) errno = errno_;
  }
  void keep_errno() {
    errno_ = errno;
    keeps_errno_ = true;
  }
  // Only while the thread's structures are in nobody's use: tls.busy is 0.
  void enter(ThreadState* thread) {
    suppressed_before_ = tls.suppressed;
    if (suppressed_before_ == 0) tls.entered_at = reinterpret_cast<std::uintptr_t>(this);
    tls.busy = 1;
    tls.suppressed = suppressed_before_ + 1;
    thread_ = thread;
  }
  // It turned out to be that thread's; or nobody's, whom nothing is recorded of.
  void enter_as(ThreadState* thread) { thread_ = thread; }
  void leave() {
    tls.busy = 0;
    tls.suppressed = suppressed_before_;
    thread_ = nullptr;
  }
  ThreadState* thread_ = nullptr;

 private:
  log::RegionKind kind_;
  bool keeps_errno_ = false;
  int errno_ = 0;
  std::uint32_t suppressed_before_ = 0;
};

// Whether the guard or real call that `tls` tells of stood in a part of the stack that has been left, as seen by code
// whose stack pointer is `sp`. Then it is forgotten, and with it all inside of it. Where stacks cannot be compared - a
// coroutine's, a handler's on an alternate one - it is taken to be there still. `on_alternate`: sp is on the alternate
// signal stack. Any context.
bool left_by_jump(std::uintptr_t sp, bool on_alternate);
// The same for ordinary code. For where something is seen to be entered, which is rare at the program's own calls.
[[gnu::noinline]] bool left_by_jump();

// Door for ordinary code. Registers the thread if need be. Does not enter when called from inside the agent or a real
// function, before the process is ready, when the agent is switched off, or in a thread that has ended.
class HookGuard : public Guard {
 public:
  HookGuard();
  // Starts the agent, too, where no constructor of ours has run yet. For the program's own calls of the malloc family:
  // the start asks the loader and the interpreter for much, which allocate, and other hooks may be below an allocator
  // that waits for itself.
  enum class Starts { Agent };
  explicit HookGuard(Starts);
  // The quick door, for what runs at every allocation: `known` is the calling thread's state and has a record.
  explicit HookGuard(ThreadState& known) : Guard(log::RegionKind::Ordinary) {
    if (tls.busy != 0 && !left_by_jump()) [[unlikely]]
      return;
    if (process().stage.load(std::memory_order_acquire) == Stage::Ready) enter(&known);
  }

 private:
  void enter_if_ready(Stage stage);
};

// Door for the sampling signal's handler. Does not enter when the interrupted code was the agent's own at work, or the
// thread is not registered, which is counted.
class TickGuard : public Guard {
 public:
  // `sp`: of the interrupted code, which was on the alternate signal stack or not.
  TickGuard(std::uintptr_t sp, bool on_alternate);
};

// Around the call of a real function.
class RealCall {
 public:
  RealCall() {
    if (tls.suppressed++ == 0) tls.entered_at = reinterpret_cast<std::uintptr_t>(this);
  }
  ~RealCall() { --tls.suppressed; }
  RealCall(const RealCall&) = delete;
  RealCall& operator=(const RealCall&) = delete;
};

// Around what the agent does to a thread's own structures where there is no guard: while it makes or takes apart what a
// guard needs. No tick and no hook enters meanwhile.
class AtWork {
 public:
  AtWork() : busy_before_(tls.busy), suppressed_before_(tls.suppressed) {
    if (suppressed_before_ == 0) tls.entered_at = reinterpret_cast<std::uintptr_t>(this);
    tls.busy = busy_before_ + 1;
    tls.suppressed = suppressed_before_ + 1;
  }
  ~AtWork() {
    tls.busy = busy_before_;
    tls.suppressed = suppressed_before_;
  }
  AtWork(const AtWork&) = delete;
  AtWork& operator=(const AtWork&) = delete;

 private:
  const std::uint32_t busy_before_, suppressed_before_;
};

// Whether an interposed function was called from inside a real function, or from the agent's own code. For hooks in
// which a thread can be left by a jump: it is put right here.
inline bool inside_real_call() { return tls.suppressed != 0 && !left_by_jump(); }

// Whether an interposed function was called by the program: not from inside a real function, but perhaps by a signal
// handler that interrupted the agent at work, which itself calls none but as a RealCall. For the quickest hooks: after
// a jump out of a real call they see nothing until a tick, or another hook, has put that right.
inline bool programs_own() { return tls.suppressed == tls.busy; }

}  // namespace prof
