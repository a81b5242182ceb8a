#include "agent/sample/alternate.hpp"

#include <sys/auxv.h>

#include <atomic>
#include <cstdint>

#include "agent/core/pages.hpp"
#include "agent/log/file.hpp"
#include "agent/process/process.hpp"
#include "agent/thread/threads.hpp"

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

namespace prof::ticks {
namespace {

// Behind the kernel's frame: two words of our own entry, and what alignment takes.
constexpr std::size_t kOwnBytes = 128;
std::size_t g_least = 0;

// Bounds of all alternate stacks so far: most unmapped memory lies outside of them.
struct Bounds {
  std::atomic<std::uintptr_t> low, high;
};
PROF_WIPED constinit pages::Wiped<Bounds> g_bounds{};

bool usable(const stack_t& stack) { return (stack.ss_flags & SS_DISABLE) != 0 || stack.ss_size >= g_least; }

void widen(std::uintptr_t low, std::uintptr_t high) {
  Bounds& b = g_bounds.value;
  // The lower bound is kept as its complement, so that zero pages mean that there is none.
  std::uintptr_t seen = b.low.load(std::memory_order_relaxed);
  while (~low > seen && !b.low.compare_exchange_weak(seen, ~low, std::memory_order_relaxed)) {
  }
  seen = b.high.load(std::memory_order_relaxed);
  while (high > seen && !b.high.compare_exchange_weak(seen, high, std::memory_order_relaxed)) {
  }
}

ThreadState* own_state() {
  return tls.phase == ThreadPhase::Known && tls.state->record != nullptr ? tls.state : nullptr;
}

}  // namespace

void before_alternate(const stack_t& next) {
  if (ThreadState* t = own_state(); t != nullptr && !usable(next)) pause(*t);
}

void after_alternate(const stack_t& now) {
  if (ThreadState* t = own_state()) after_alternate(*t, now);
}

void after_alternate(ThreadState& t, const stack_t& now) {
  const auto start = reinterpret_cast<std::uintptr_t>(now.ss_sp);
  const bool any = (now.ss_flags & SS_DISABLE) == 0;
  t.alternate = any ? StackBounds{start, start + now.ss_size} : StackBounds{};
  if (any) widen(start, start + now.ss_size);
  if (usable(now)) return go_on(t);
  if (!t.paused) pause(t);
  note_condition(log::kNoTicksOnStack);
}

void alternate_gone(const void* start, std::size_t bytes) {
  const auto low = reinterpret_cast<std::uintptr_t>(start), high = low + bytes;
  const Bounds& b = g_bounds.value;
  if (low >= b.high.load(std::memory_order_relaxed) || high <= ~b.low.load(std::memory_order_relaxed)) return;
  if (process().stage.load(std::memory_order_relaxed) != Stage::Ready || !own_process()) return;
  threads::for_each([=](ThreadState& t) {
    if (low >= t.alternate.high || high <= t.alternate.low) return;
    pause(t);
    note_condition(log::kNoTicksOnStack);
  });
}

void prepare_alternate() {
  pages::wipe_in_child(g_bounds);
  const std::size_t frame = getauxval(AT_MINSIGSTKSZ);  // 0 before Linux 5.14
  g_least = (frame != 0 ? frame : MINSIGSTKSZ + 1024) + kOwnBytes;
}

}  // namespace prof::ticks
