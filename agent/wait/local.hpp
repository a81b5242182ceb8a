// What one thread keeps of its blocking calls. Part of ThreadState: all zeros is a thread that is in none.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/contract/format.hpp"

#include "agent/thread/thread_state.hpp"

namespace prof::wait {

struct FunctionCounters;
struct ThreadCalls;

// The call around another one: place.hpp.
struct Outer {
  std::uintptr_t at = 0;  // 0: there is none, and nothing else of this is set
  std::uintptr_t caller;
  std::uint64_t frame, nested, since;
  std::uint32_t node;  // 0: not known
};

// What contexts of calls have cost since the last look: sampling.hpp.
struct StackCost {
  std::uint32_t contexts;  // since the thread's beginning
  std::uint64_t ns;
  std::uint64_t seen_cpu, seen_ns;  // the clocks at the last look; 0: there was none
};

struct Local {
  // The call that the thread is in. A tick that finds `caller` as the return address of one of the innermost frames
  // knows that all frames inside of it are the call's: a jump out of a handler leaves this behind, and it matches
  // nothing any more.
  std::uintptr_t caller;       // where the interposed function returns to; 0: in none
  std::uintptr_t at;           // on the stack
  std::uint64_t frame;         // its frame word
  std::uint64_t nested_ns;     // of it, in calls inside of it
  std::int64_t budget;         // ns until the next sample
  log::ThreadUseRecord* use;   // in the log; null: there is none yet
  FunctionCounters* counters;  // of `calls`; null: its records are not in place
  std::uint32_t turn;          // calls
  bool of_device;              // the call waits for a device, and is recorded by gpu/calls.cpp
  std::uint8_t stretched;      // how often the limit of sampling.hpp was doubled

  // So far what every call reads or writes: one line of the cache.
  ThreadCalls* calls;           // of the state's block; null in a state not in use
  std::uint32_t last_node;      // where it was seen last: by a call that got a context, or by a tick
  std::uint64_t began;          // CLOCK_MONOTONIC ns: when the thread was registered
  log::ThreadUseRecord before;  // what the threads before had, where a slot is used again
  // Of locks.cpp: what taking the contexts of new locks has cost, and how many more of them go without.
  std::uint64_t creation_ns;
  std::uint32_t creations_skipped;
  StackCost stacks;
};

static_assert(offsetof(Local, calls) == 64);

inline Local& local(ThreadState& t) { return t.wait.as<Local>(); }
inline const Local& local(const ThreadState& t) { return t.wait.as<Local>(); }

}  // namespace prof::wait
