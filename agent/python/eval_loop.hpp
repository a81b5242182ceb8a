// Where the interpreter's evaluation loop is in memory, learned from frames that surely were runs of it.
#pragma once

#include <atomic>
#include <cstdint>

namespace prof::python {

// A piece of the loop: the compiler may have cut it into several functions (hot and cold parts).
struct EvalRange {
  std::atomic<std::uintptr_t> begin, end;  // end is stored last; 0: none
  bool holds(std::uintptr_t address) const {
    return address < end.load(std::memory_order_acquire) && address >= begin.load(std::memory_order_relaxed);
  }
};
inline constexpr unsigned kEvalRanges = 8;
extern EvalRange eval_ranges[kEvalRanges];

// Any context; lock-free.
inline bool in_eval_loop(std::uintptr_t address) {
  for (const EvalRange& range : eval_ranges) {
    if (range.holds(address)) return true;
  }
  return false;
}
// `address` was seen in a run of the loop: the whole of its function, as its call frame information bounds it, is loop.
// Not believed where greenlet switches stacks. Any context.
void learn_eval_loop(std::uintptr_t address);

}  // namespace prof::python
