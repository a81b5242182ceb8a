// Words of stacks, read without ever faulting: directly inside the thread's own stack from its stack pointer up - below
// it there may be guard pages, the program's own ones too -, through a copy elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>

namespace prof {

// The part of a thread's own stack that is surely mapped from any stack pointer in it up to `high`.
struct StackBounds {
  std::uintptr_t low = 0, high = 0;
};

// Room for a copy of a piece of some other stack (a coroutine's, an alternate signal stack).
struct ForeignWindow {
  static constexpr std::size_t kBytes = 4096;
  std::uint64_t copy[kBytes / 8];
};

class StackMemory {
 public:
  // `sp`: where the walk begins. `called`: at a call, not at an interrupted instruction: the program runs on that
  // stack, and the rest of the page that it stands on is there. Most coroutines' stacks are not deeper.
  StackMemory(const StackBounds& own, ForeignWindow& foreign, std::uintptr_t sp, bool called)
      : own_(own), low_(own.high), foreign_(foreign) {
    enter(sp);
    if (called && !in_own(sp) && sp % kPage != 0) {
      here_ = sp;
      here_end_ = sp / kPage * kPage + kPage;
    }
  }

  // The walk comes to a part of the stack that is in use from `sp` up.
  void enter(std::uintptr_t sp) {
    if (in_own(sp)) low_ = sp;
  }
  // The word at `at`; false when it is not aligned or nothing is mapped there.
  bool word(std::uintptr_t at, std::uintptr_t& value) {
    if ((at & 7) != 0) return false;
    if (at >= low_ && at + 8 <= own_.high) {
      value = *reinterpret_cast<const std::uintptr_t*>(at);
      return true;
    }
    left_ = true;
    if (at >= here_ && at + 8 <= here_end_) {
      value = *reinterpret_cast<const std::uintptr_t*>(at);
      return true;
    }
    if ((at < copied_ || at + 8 > copied_end_) && !copy_from(at)) return false;
    value = foreign_.copy[(at - copied_) / 8];
    return true;
  }
  bool in_own(std::uintptr_t sp) const { return sp >= own_.low && sp < own_.high; }
  std::uintptr_t own_end() const { return own_.high; }
  bool left_own() const { return left_; }  // a word outside the thread's own stack was asked for

 private:
  bool copy_from(std::uintptr_t at);

  static constexpr std::uintptr_t kPage = 4096;
  static constexpr unsigned kMostCopies = 64;  // bounds the time of one walk
  const StackBounds& own_;
  std::uintptr_t low_;
  ForeignWindow& foreign_;
  std::uintptr_t copied_ = 0, copied_end_ = 0;  // what stands in it
  std::uintptr_t here_ = 0, here_end_ = 0;
  unsigned copies_ = 0;
  bool left_ = false;
};

}  // namespace prof
