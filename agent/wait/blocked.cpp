#include "agent/wait/blocked.hpp"

#include "agent/core/hot_data.hpp"
#include "agent/core/tls.hpp"
#include "agent/thread/thread_state.hpp"

namespace prof::wait {
namespace {

constexpr std::uint64_t kShortest = 2'000;  // ns: less is the price of the call itself

}  // namespace

PROF_WIPED constinit pages::Wiped<WaitRing> wait_ring{};

PROF_HOT_DATA(1) constinit std::atomic<bool> waits_wanted{false};

void want_waits() {
  wait_ring.value.wanted.store(true, std::memory_order_relaxed);
  waits_wanted.store(true, std::memory_order_relaxed);
}

void note_blocked(std::uint64_t start, std::uint64_t end) {
  const ThreadState& t = *tls.state;
  if (t.tid == 0 || end < start + kShortest) return;
  WaitRing& ring = wait_ring.value;
  if (!ring.wanted.load(std::memory_order_relaxed)) return;
  const std::uint64_t number = ring.next.fetch_add(1, std::memory_order_relaxed);
  WaitRing::Entry& e = ring.entries[number % WaitRing::kRoom];
  e.number.store(0, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  e.tid = t.tid;
  e.start = start;
  e.end = end;
  e.number.store(number + 1, std::memory_order_release);
}

void prepare_waits() { pages::wipe_in_child(wait_ring); }

}  // namespace prof::wait
