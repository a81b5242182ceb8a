// Which blocking calls get a context. Those of a thread's limit and more all do and stand for themselves. Of shorter
// ones every nanosecond is chosen with the same chance (core/gap.hpp, with time in the place of bytes, and the limit as
// the mean gap): calls of a microsecond cost one stack in a hundred, and the sums are unbiased. The two do not meet: a
// long call uses up nothing of the gap to the next short one that is chosen.
//
// The limit is log::kWaitSure, and is doubled while the thread's stacks cost more than their share: a server's thread
// that waits for its peers thousands of times a second would spend a tenth of its time on them, twice that with what
// they push out of its caches.
#pragma once

#include <cstdint>

#include "agent/contract/format.hpp"
#include "agent/core/gap.hpp"
#include "agent/thread/thread_state.hpp"
#include "agent/wait/local.hpp"

namespace prof::wait {

inline std::uint64_t sure_ns(const Local& w) { return log::kWaitSure << w.stretched; }

// The gap to the thread's first sample. Without it the first call of every thread would be one.
inline void begin_sampling(ThreadState& t) { local(t).budget = heap::draw_gap(t.random, sure_ns(local(t))); }

// Whether a call of `ns` will get a context, if it took any time.
inline bool is_chosen(const Local& w, std::uint64_t ns) {
  return ns - 1 >= sure_ns(w) - 1 || static_cast<std::int64_t>(ns) >= w.budget;
}

// Whether a call of `ns` gets a context; what it stands for then.
inline bool chosen(ThreadState& t, std::uint64_t ns, heap::Weight& weight) {
  if (ns >= sure_ns(local(t))) {
    weight = {log::kCountUnit, ns};
    return true;
  }
  local(t).budget -= static_cast<std::int64_t>(ns != 0 ? ns : 1);
  if (local(t).budget > 0) [[likely]]
    return false;
  begin_sampling(t);
  weight = heap::weight_of(ns, sure_ns(local(t)));
  return true;
}

// How often the limit is to be doubled after stacks that took `stacks_ns`, of a thread that used `cpu_ns` meanwhile and
// passed `wall_ns`, where it was doubled `now` times. Above 1/200 of the one or 1/1000 of the other, whichever is more,
// once more, to 6.4 ms at most; below a quarter of that once less.
std::uint8_t next_stretch(std::uint8_t now, std::uint64_t stacks_ns, std::uint64_t cpu_ns, std::uint64_t wall_ns);

// A context took `ns`, until `now` (CLOCK_MONOTONIC): a comparison, and every so often a look at the thread's clock.
// Hook context.
void note_stack(ThreadState& t, std::uint64_t ns, std::uint64_t now);

}  // namespace prof::wait
