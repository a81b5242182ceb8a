#include "agent/sample/alternate.hpp"

#include <sys/auxv.h>

#include <cstdint>

#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/log/conditions.hpp"
#include "agent/log/file.hpp"
#include "agent/sample/page_counts.hpp"
#include "agent/thread/threads.hpp"

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

namespace prof::ticks {
namespace {

// Behind the kernel's frame: two words of our own entry, and what alignment takes.
constexpr std::size_t kOwnBytes = 128;
std::size_t g_least = 0;

// Where alternate stacks are: most unmapped memory is none.
PROF_WIPED constinit pages::Wiped<PageCounts> g_places{};

bool usable(const stack_t& stack) { return (stack.ss_flags & SS_DISABLE) != 0 || stack.ss_size >= g_least; }

void set_open_call(ThreadState& t, const StackBounds& place) {
  g_places.value.add(place.low, place.high);
  const StackBounds before = t.alternate;
  t.alternate = place;
  g_places.value.remove(before.low, before.high);
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
  set_open_call(t, any ? StackBounds{start, start + now.ss_size} : StackBounds{});
  t.awaits_stack = false;
  if (usable(now)) return go_on(t);
  if (!t.paused) pause(t);
  note_condition(log::kNoTicksOnStack);
}

void alternate_gone(const void* start, std::size_t bytes) {
  const auto low = reinterpret_cast<std::uintptr_t>(start), high = low + bytes;
  if (!g_places.value.may_touch(low, high)) return;
  if (process().stage.load(std::memory_order_relaxed) != Stage::Ready || !own_process()) return;
  threads::for_each([=](ThreadState& t) {
    if (low >= t.alternate.high || high <= t.alternate.low) return;
    pause(t);
    note_condition(log::kNoTicksOnStack);
  });
}

void forget_alternate(ThreadState& t) { set_open_call(t, {}); }

void prepare_alternate() {
  pages::wipe_in_child(g_places);
  const std::size_t frame = getauxval(AT_MINSIGSTKSZ);  // 0 before Linux 5.14
  g_least = (frame != 0 ? frame : MINSIGSTKSZ + 1024) + kOwnBytes;
}

}  // namespace prof::ticks
