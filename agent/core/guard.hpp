// Who may do what, where. The agent's code runs in five contexts:
//
//   context                 | host malloc | libc calls            | agent locks | agent memory | records to region
//   ------------------------+-------------+-----------------------+-------------+--------------+------------------
//   fast path of a hook     | no          | no                    | no          | no           | exact counters only
//   hook (ordinary code)    | no          | async-signal-safe,    | yes, short  | pages, arena | Ordinary
//                           |             | dlsym at first use    |             |              |
//   tick (signal handler)   | no          | async-signal-safe     | never       | pages        | Signal
//   process event (start,   | no          | async-signal-safe     | yes         | yes          | none
//     fork, exec, exit)     |             |                       |             |              |
//   vfork child             | no          | async-signal-safe     | never       | never        | none
//
// Rules: 1. A function that records takes a `const Guard&`: it cannot be called where nobody entered. 2. Ordinary code
// enters by HookGuard, a signal handler by TickGuard, so that the context is visible where the code stands. 3. A guard
// that did not enter tests false; then nothing is recorded and the reason is counted. 4. While the real function runs,
// a RealCall keeps nested interposed calls from being recorded; ticks are still taken. 5. errno is kept by both guards;
// by the quick door of HookGuard, since nothing behind it may change errno: no libc call but those on memory.
// 6. No guard is entered where the interpreter tells of a call that was met before (python/exact/shadow.hpp): that path
// reads and writes what is the thread's own, is gone in a forked child, and that no tick looks at.
#pragma once

#include <cerrno>

#include "agent/core/tls.hpp"
#include "agent/log/format.hpp"
#include "agent/process/process.hpp"

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
  ~Guard() {
    if (thread_ != nullptr) {
      --tls.busy;
      --tls.suppressed;
    }
    if (keeps_errno_) errno = errno_;
  }
  void keep_errno() {
    errno_ = errno;
    keeps_errno_ = true;
  }
  void enter(ThreadState* thread) {
    ++tls.busy;
    ++tls.suppressed;
    thread_ = thread;
  }
  ThreadState* thread_ = nullptr;

 private:
  log::RegionKind kind_;
  bool keeps_errno_ = false;
  int errno_ = 0;
};

// Door for ordinary code. Starts the agent and registers the thread if need be. Does not enter when called from inside
// the agent or a real function, before the process is ready, when the agent is switched off, or in a thread that has
// ended.
class HookGuard : public Guard {
 public:
  HookGuard();
  // The quick door, for what runs at every allocation: `known` is the calling thread's state and has a record.
  explicit HookGuard(ThreadState& known) : Guard(log::RegionKind::Ordinary) {
    if (tls.busy == 0 && process().stage.load(std::memory_order_acquire) == Stage::Ready) enter(&known);
  }
};

// Door for the sampling signal's handler. Does not enter when the interrupted code was the agent's own at work, or the
// thread is not registered, which is counted.
class TickGuard : public Guard {
 public:
  TickGuard();
};

// Around the call of a real function.
class RealCall {
 public:
  RealCall() { ++tls.suppressed; }
  ~RealCall() { --tls.suppressed; }
  RealCall(const RealCall&) = delete;
  RealCall& operator=(const RealCall&) = delete;
};

// Whether an interposed function was called by the program: not from inside a real function, but perhaps by a signal
// handler that interrupted the agent at work, which itself calls none but as a RealCall.
inline bool programs_own() { return tls.suppressed == tls.busy; }

}  // namespace prof
