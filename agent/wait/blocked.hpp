// Times in which threads were blocked in the system, as wait::Call sees them: kept for a moment,
// for the question what a thread did while its device was idle. Nothing is kept in a process that does not use a
// device.
#pragma once

#include <atomic>
#include <cstdint>

#include "agent/core/pages.hpp"

namespace prof::wait {

struct WaitRing {
  static constexpr std::uint32_t kRoom = 8192;
  struct Entry {
    std::atomic<std::uint64_t> number;  // of the entry, plus 1; stored last
    std::uint32_t tid;
    std::uint64_t start, end;
  };
  std::atomic<bool> wanted;  // in this process
  std::atomic<std::uint64_t> next;
  std::uint64_t taken;
  Entry entries[kRoom];
};
extern pages::Wiped<WaitRing> wait_ring;

// Whether waits are wanted, in this process or in one that it is a fork of: a load. Any context.
extern constinit std::atomic<bool> waits_wanted;
inline bool wants_waits() { return waits_wanted.load(std::memory_order_relaxed); }

// From now on waits are wanted.
void want_waits();

// The calling thread was blocked from `start` to `end`: noted if waits are wanted. Any context; lock-free.
void note_blocked(std::uint64_t start, std::uint64_t end);

// Calls `visit(tid, start, end)` for those that were noted since it was called last; of one thread alone.
template <class Visit>
void take_waits(const Visit& visit) {
  WaitRing& ring = wait_ring.value;
  const std::uint64_t next = ring.next.load(std::memory_order_acquire);
  if (ring.taken + WaitRing::kRoom < next) ring.taken = next - WaitRing::kRoom;
  for (; ring.taken < next; ++ring.taken) {
    const WaitRing::Entry& e = ring.entries[ring.taken % WaitRing::kRoom];
    if (e.number.load(std::memory_order_acquire) != ring.taken + 1) continue;
    const std::uint32_t tid = e.tid;
    const std::uint64_t start = e.start, end = e.end;
    std::atomic_thread_fence(std::memory_order_acquire);
    if (e.number.load(std::memory_order_relaxed) == ring.taken + 1) visit(tid, start, end);
  }
}

// Before waits are wanted, once; again is harmless.
void prepare_waits();

}  // namespace prof::wait
