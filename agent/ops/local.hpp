// What one thread keeps of the operators that it is in. Mapped when it calls the first one.
#pragma once

#include <atomic>
#include <cstdint>

#include "agent/contract/format.hpp"
#include "agent/ops/record_function.hpp"
#include "agent/steps/roles.hpp"
#include "agent/thread/thread_state.hpp"

namespace prof::ops {

enum class Formula : std::uint8_t;
class Stacks;

inline constexpr std::uint32_t kMostDepth = 256;
inline constexpr std::uint32_t kCachedOperators = 2048;

// One line of the cache.
struct alignas(64) Open {
  const RecordFunction* function;
  log::OperatorWords* words;  // null: there was no room, or recording was off when it began
  std::uint64_t started;      // clock::quick
  std::uint64_t nested_ns;
  std::uint64_t frame;  // frame word
  std::uint64_t flops;  // that it is about to do
  std::uint32_t node;   // that inner ones hang below; 0: the root
  bool on_stack;        // `function` lies on this thread's stack
  bool ranged;          // a range began with it
  bool unlinked;        // a backward function, of which it is not known what made it
  steps::Role role;     // in the step
};
static_assert(sizeof(Open) == 64);

// An operator below another one, found by the hash of both.
struct alignas(64) CachedOperator {
  std::uint64_t key;  // 0: empty
  log::OperatorWords* words;
  std::uint64_t frame;
  std::uint32_t node;
  Formula formula;        // of its floating point operations
  steps::Role role;       // where it is in no other one
  std::uint16_t next;     // that began after it when it was there last: programs repeat themselves
  const char* next_name;  // its name, which may be gone by now: to be fetched into the cache, never read
};
static_assert(sizeof(CachedOperator) == 64);

struct alignas(64) Thread {
  // One line of the cache: what each beginning and each end reads.
  std::uint32_t slot;  // for which the records were found
  std::uint32_t tid;   // whose operators are open
  std::uint32_t depth;
  std::uint32_t too_deep;    // began beyond `open`
  std::uint32_t other_ends;  // ends on other threads that were looked at
  std::uint32_t last;        // in `known`: began last
  std::uintptr_t low, high;  // the thread's stack
  Stacks* stacks;            // null until operators have frames
  // While PyTorch is asked for the inputs of an operator: that, and the guards that the thread was in.
  const RecordFunction* asked;
  std::uint32_t asked_busy, asked_suppressed;

  Open open[kMostDepth];
  CachedOperator cache[kCachedOperators];
};

// Null until the thread runs an operator.
inline Thread*& local(ThreadState& t) { return t.ops.as<Thread*>(); }
inline Thread* local(const ThreadState& t) { return t.ops.as<Thread*>(); }

// Whether it lies on the thread's stack.
inline bool on_stack(const Thread& mine, const RecordFunction* function) {
  const auto at = reinterpret_cast<std::uintptr_t>(function);
  return at >= mine.low && at < mine.high;
}

// What the callbacks of all threads read, most of it in one line of the cache.
struct alignas(64) Common {
  std::atomic<std::uint32_t> other_ends;  // so many ends were noted: other_thread.hpp
  Torch torch;
};
extern constinit Common common;

}  // namespace prof::ops
