// Mutual exclusion for which nobody waits: by the rules in thread/guard.hpp a lock is had at once, or not at all. There
// is no way to take a Lock but the two below, and whoever asked has to look whether it was got.
//
// Held for a few stores, with all signals of the thread held: a handler of the host may keep the thread for as long as
// it likes (a collector that stops the world), or leave by a jump. Nothing under a lock calls the system but for the
// time. A Lock lives in memory that forked children find zeroed, so a child never inherits it taken.
#pragma once

#include <atomic>

#include "agent/core/raw.hpp"
#include "agent/core/signals_held.hpp"

namespace prof {

class Lock {
 private:
  friend class TryLocked;
  friend class HeldLock;
  bool take() { return !taken_.load(std::memory_order_relaxed) && !taken_.exchange(true, std::memory_order_acquire); }
  void give() { taken_.store(false, std::memory_order_release); }

  std::atomic<bool> taken_{false};
};

// One attempt, of who holds signals anyway.
class [[nodiscard]] TryLocked {
 public:
  TryLocked(Lock& lock, const SignalsHeld&) : lock_(lock.take() ? &lock : nullptr) {}
  ~TryLocked() {
    if (lock_ != nullptr) lock_->give();
  }
  TryLocked(const TryLocked&) = delete;
  TryLocked& operator=(const TryLocked&) = delete;
  [[nodiscard]] explicit operator bool() const { return lock_ != nullptr; }

 private:
  Lock* const lock_;
};

// Holds signals, which takes two system calls (a tenth of a microsecond each, or more), and then tries a few times: as
// long as a holder that is running takes, and never for one that is not, which a thread of higher priority on the same
// processor would keep from ever giving it back.
//
// `turns`: lets other threads run as many times in between. For what is rare and would be missed for the rest of the
// run, on machines with more threads than processors: a holder that was preempted goes on then. A real-time thread is
// back from each of them at once, within a microsecond.
class [[nodiscard]] HeldLock {
 public:
  explicit HeldLock(Lock& lock, unsigned turns = 0) {
    for (;; --turns) {
      for (unsigned i = 0; i < kTries; ++i) {
        if (lock.take()) {
          lock_ = &lock;
          return;
        }
        __builtin_ia32_pause();
      }
      if (turns == 0) return;
      raw::call(SYS_sched_yield);
    }
  }
  ~HeldLock() {
    if (lock_ != nullptr) lock_->give();
  }
  HeldLock(const HeldLock&) = delete;
  HeldLock& operator=(const HeldLock&) = delete;
  [[nodiscard]] explicit operator bool() const { return lock_ != nullptr; }

 private:
  static constexpr unsigned kTries = 100;  // microseconds
  const SignalsHeld held_;
  Lock* lock_ = nullptr;
};

}  // namespace prof
