// Whether the C stack and the thread state tell of the same thing.
//
// Greenlets change the stack pointer and the contents of the stack under a thread state that still tells of the
// greenlet before, and call memmove, free and others on the way. What the thread state then leads to may have been
// overwritten.
//
// The proof of agreement: each run of the evaluation loop keeps an object on the C stack - a C frame up to 3.12, a
// frame that runs no code from 3.13 on - at a distance from the end of its native frame that is one constant in each
// build. So when the innermost such object that the thread state leads to lies at that distance from the end of a
// native frame of the loop, as the walk of the stack finds it now, it is that frame's own, and alive. All further ones
// belong to frames outside it, which a switch moves together with it.
#pragma once

#include <cstdint>

#include "agent/unwind/memory.hpp"

namespace prof::python {

// What ends at an address of the stack, as the walk found it.
enum class Ends {
  Nothing,
  Other,  // a native frame, of which it is not known that it runs the loop
  Run,
};

class Runs {
 public:
  using EndsAt = Ends(const void* native, std::uintptr_t end);  // `native` is the walk's result
  // `own`: the thread's own stack. `sp`: where the walk began, on it. `certain`: the walk missed no frame.
  Runs(const StackBounds& own, std::uintptr_t sp, bool certain, EndsAt* ends_at, const void* native)
      : own_(own), sp_(sp), certain_(certain), ends_at_(ends_at), native_(native) {}

  // For each object that the interpreter links, innermost first: false for one on the C stack that is no run's.
  // `proven`: false also for one of which it cannot be told.
  bool agree(std::uintptr_t at, bool proven) { return agreed_ || at < own_.low || at >= own_.high || seen(at, proven); }
  // The C stack and the thread state were found to disagree: nothing that is read is to be used.
  bool disagreed() const { return disagreed_; }

 private:
  bool seen(std::uintptr_t at, bool proven);

  const StackBounds& own_;
  const std::uintptr_t sp_;
  const bool certain_;
  bool agreed_ = false, disagreed_ = false;
  EndsAt* const ends_at_;
  const void* const native_;
};

// From the object of a run to the end of its native frame; 0: not known yet. Any context.
std::uintptr_t run_distance();
// `distance` was seen in a stack. Believed from the second time on. Any context.
void learn_run_distance(std::uintptr_t distance);

}  // namespace prof::python
