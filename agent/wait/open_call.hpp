// Where on its stack a thread is in a blocking call: for ticks, for calls inside of it, and for who reads the log of a
// program that was killed in it.
//
// A call may be left without any of its code being run, by a jump out of a handler: what is kept is checked before it
// is believed. Owned by one thread; ordinary code and its handlers.
#pragma once

#include <cstdint>

#include "agent/thread/thread_state.hpp"
#include "agent/wait/local.hpp"

namespace prof::wait {

// Calls that stand on a foreign stack (of a handler, of a coroutine) this near to each other are on the same one.
inline constexpr std::uintptr_t kSameStack = 256 << 10;

inline bool within(const StackBounds& b, std::uintptr_t at) { return at - b.low < b.high - b.low; }

// Whether the call that the thread is said to be in can be one around what stands at `at`. It cannot where it was left
// by a jump: stacks grow downwards, so that an outer call stands above, and nobody comes back to the thread's own stack
// from within a call on another one. A handler's own stack lies anywhere: what it interrupted is taken to be around it.
// A call that a coroutine left for good is believed to go on until one comes that rules it out.
inline bool around(const ThreadState& t, std::uintptr_t at) {
  const std::uintptr_t outer = local(t).at;
  if (outer == 0) [[likely]]
    return false;
  if (within(t.bounds, at)) return within(t.bounds, outer) && outer > at;
  return within(t.bounds, outer) || outer > at || at - outer > kSameStack;
}

// A tick in the middle finds the thread in no call.
inline void set_open_call(Local& w, std::uintptr_t caller, std::uintptr_t at, std::uint64_t frame) {
  __atomic_store_n(&w.caller, 0, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  w.at = at;
  w.frame = frame;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  __atomic_store_n(&w.caller, caller, __ATOMIC_RELAXED);
}

inline void show_open(log::ThreadUseRecord* use, std::uint64_t frame, std::uint64_t since) {
  if (use == nullptr) return;
  __atomic_store_n(&use->open_frame, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&use->open_since, since, __ATOMIC_RELEASE);
  __atomic_store_n(&use->open_frame, frame, __ATOMIC_RELEASE);
}

// Where that call stands in the tree.
inline void show_node(log::ThreadUseRecord* use, std::uint32_t node, std::uint64_t since) {
  if (use == nullptr) return;
  __atomic_store_n(&use->open_node_since, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&use->open_node, node, __ATOMIC_RELEASE);
  __atomic_store_n(&use->open_node_since, since, __ATOMIC_RELEASE);
}

inline std::uint32_t shown_node(const log::ThreadUseRecord* use) {
  return use != nullptr && use->open_node_since == use->open_since ? static_cast<std::uint32_t>(use->open_node) : 0;
}

// The thread is in the call at `at` from `since` on. `outer` is what `end_open_call` wants back.
inline void begin_open_call(ThreadState& t, std::uintptr_t at, std::uintptr_t caller, std::uint64_t frame,
                            std::uint64_t since, Outer& outer) {
  Local& w = local(t);
  if (around(t, at)) [[unlikely]]
    outer = {w.at, w.caller, w.frame, w.nested_ns, w.use != nullptr ? w.use->open_since : 0, shown_node(w.use)};
  w.nested_ns = 0;
  set_open_call(w, caller, at, frame);
  show_open(w.use, frame, since);
}

// The call that the thread is in has ended, and there is none around it.
inline void leave_outermost(Local& w) {
  __atomic_store_n(&w.caller, 0, __ATOMIC_RELAXED);
  w.at = 0;
  if (w.use != nullptr) __atomic_store_n(&w.use->open_frame, 0, __ATOMIC_RELAXED);
}

// It has ended after `ns`; the thread is where it was before. Returns how much of the time was in calls inside of it.
inline std::uint64_t end_open_call(ThreadState& t, std::uintptr_t at, std::uint64_t ns, const Outer& outer) {
  Local& w = local(t);
  if (w.at != at) return 0;  // after a fork, or a call inside was left by a jump
  const std::uint64_t nested = w.nested_ns;
  if (outer.at == 0) [[likely]] {
    leave_outermost(w);
  } else {
    w.nested_ns = outer.nested + ns;
    set_open_call(w, outer.caller, outer.at, outer.frame);
    show_open(w.use, outer.frame, outer.since);
    if (outer.node != 0) show_node(w.use, outer.node, outer.since);
  }
  return nested < ns ? nested : ns;
}

// The thread is in no call.
inline void leave_open_call(ThreadState& t) {
  local(t).nested_ns = 0;
  local(t).of_device = false;
  set_open_call(local(t), 0, 0, 0);
  show_open(local(t).use, 0, 0);
}

}  // namespace prof::wait
