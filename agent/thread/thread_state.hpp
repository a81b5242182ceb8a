// All that the agent keeps for one thread, behind the one pointer in its TLS. What every thread needs stands here, on
// one page; what is large, and left untouched by most threads, stands behind it (blocks.hpp). Zeroed in forked
// children (a child that was made by a raw system call finds budget 0 and no record, and starts anew), and handed to a
// later thread when its thread ends.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/contract/format.hpp"
#include "agent/core/tls.hpp"
#include "agent/thread/part.hpp"
#include "agent/unwind/row_cache.hpp"
#include "agent/unwind/walk.hpp"

namespace prof {
namespace threads {
struct Seat;
}

// What taking a stack needs; one per context, since a tick may interrupt a hook that is taking one.
struct StackScratch {
  RowCache rows;
  ForeignWindow* foreign;
  std::uintptr_t* frames;
  std::uintptr_t* tops;  // of the frames: where each ends on the stack
  std::uint32_t room;    // for so many of both: those of no deep stack, until the thread takes a deep one
  std::uintptr_t* deep;  // room for both of the deepest stack there is
  Part<8> python;        // python/thread_scratch.cpp
  Part<16> last;         // stack/last_stack.cpp
};

struct alignas(64) ThreadState {
  // Read and written on every malloc: first, and together.
  std::int64_t budget;        // bytes until the next heap sample, or heap::kEveryOne; <= 0 in a state not in use
  log::ThreadRecord* record;  // in the log, or `early` while there is none; null in a state that is not in use

  Part<16> copy;  // and on every copy, where copies are recorded

  std::uint32_t tid;
  std::uint32_t slot;
  std::uint64_t random;    // state of the sampling gaps' generator
  std::uint64_t interval;  // bytes; of the gap that is running

  Part<8> ops;  // and on every operator

  void* tick_stack;  // the upper end of the stack that ticks run on; null in a state not in use

  // And on every blocking call.
  Part<32> files;
  alignas(64) Part<264> wait;

  std::uint64_t cpu_accounted;  // this thread's CPU clock at its last sample
  std::uint64_t cpu_seen;       // the same clock when it was looked at last: core/own_time.hpp
  std::uint64_t cpu_before;     // CPU time of the threads that had this slot before
  // Of what was accounted: the agent's own, not in the tree yet. The tick handler's alone.
  std::uint64_t own_ns, own_samples;
  std::uint64_t rest_until;  // the same clock before which no tick takes a sample: the last one took so long
  StackBounds bounds;

  // Ticks; see sample/ticks.hpp.
  std::uint64_t base;        // of its thread-local storage: the FS register's
  int timer;                 // kernel's timer id plus 1; 0: none
  std::uint32_t gap_random;  // state of the generator of the gaps between ticks
  std::uint64_t due;         // when the last tick was to come, by the CPU clock; 0: not known. Ticks' alone
  void* perf_page;           // mapping that keeps a perf event alive, or null
  void* given_stack;         // where its alternate stack from the agent begins; null: it has none
  StackBounds alternate;     // signal stack, as the program set it; empty: none
  bool paused;               // no ticks: its alternate signal stack cannot take them
  bool awaits_stack;     // paused until it gives itself one, at the next hook that it passes: sample/given_stack.hpp
  bool user_mode_ticks;  // the perf event sees user mode alone, and a timer ticks beside it
  std::uint32_t young;   // it ticks as young threads do, for so many ticks more: sample/ticks.hpp

  threads::Seat* seat;  // null: its memory was given back

  std::uint32_t root;  // of all stacks: the node of the innermost range; 0: none is open
  std::uint32_t fork;  // under way: sample/ticks.hpp; 0: none is
  Part<16> range;
  Part<256> heap;
  Part<48> gpu;

  log::ThreadRecord early;  // counts until there is a log
  StackScratch scratches[2];
  Part<128> regions[2];  // of the log: tree/region.hpp
  Part<8> imports;

  Part<16> loops;

  std::uint32_t stacks_taken;  // by hooks, up to what is enough to remember them: tree/context.cpp

  StackScratch& scratch(log::RegionKind k) { return scratches[static_cast<unsigned>(k)]; }
};

// The state of threads that have none: nothing is counted in it.
inline ThreadState* nobody() { return &nobody_state; }

}  // namespace prof
