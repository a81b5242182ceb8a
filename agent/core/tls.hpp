// The agent's only thread-local object: plain data, at most 64 bytes, no destructor, reached by one %fs-relative access
// (initial-exec), because the dynamic models call malloc on first use and every hook would recurse. Everything bulky
// stands behind `state`.
#pragma once

#include <cstddef>
#include <cstdint>

namespace prof {

struct ThreadState;

enum class ThreadPhase : std::uint32_t {
  New,    // not yet registered
  Known,  // `state` belongs to this thread
  Ended,  // its end was recorded; destructors of other libraries may still run and allocate
};

// One cache line, wherever the loader puts it.
struct alignas(64) Tls {
  ThreadState* state;  // never null: nobody() until the thread is registered
  ThreadPhase phase;
  std::uint32_t
      suppressed;      // > 0: what the interposed functions see now is not recorded (calls inside a real function)
  std::uint32_t busy;  // > 0: this thread's agent structures are in use: a tick must not touch them
  std::uint32_t interrupted;  // ticks that made a system call of this thread return EINTR
  std::uint64_t saved_mask;   // the thread's own, across fork; where mask_saved
  void* exact;                // of exact modes: calls/shadow.hpp; never null
  std::uint32_t call_depth;   // > 0: inside calls of gpu/calls.hpp
  std::uint32_t call_node;    // of the outermost of them; 0: it has none
  bool vforked;               // called vfork, and was not seen in its own process since
  bool on_helper;             // inside helper_thread::run, or a thread that works for another one
  bool mask_saved;            // a fork is under way
  bool looking_up;  // interpose/alloc.cpp: the real functions of the malloc family, in the process's first call
  std::uint32_t host_blocks;  // real-time signals, see rt_bit(): what the host believes to have blocked
  std::uintptr_t entered_at;  // where on the stack the outermost guard or real call stands, while `suppressed` > 0
};
static_assert(sizeof(Tls) == 64);

// Of a signal from 33 to 64.
constexpr std::uint32_t rt_bit(int signal) { return 1U << (signal - 33); }

// The state of threads that have none: thread/thread_state.hpp.
extern constinit ThreadState nobody_state;

// Zeros that nobody writes to: what `exact` points to in a thread whose calls are not counted.
inline constexpr std::size_t kNothingCountedBytes = 8192;
alignas(4096) extern constinit std::byte nothing_counted[kNothingCountedBytes];

extern constinit thread_local Tls tls __attribute__((tls_model("initial-exec")));

}  // namespace prof
