#include "agent/heap/peak.hpp"

#include "agent/core/clock.hpp"
#include "agent/core/counter.hpp"

namespace prof::heap {
namespace {

constexpr std::int64_t kThresholdShift = 10;  // the peak is followed in steps of about 0.1 %

void keep_peak(log::HeapWords& r, const log::PeakClock& clock) {
  const std::uint64_t epoch = __atomic_load_n(&clock.epoch, __ATOMIC_ACQUIRE);
  if (r.epoch == epoch) return;
  r.at_peak = r.bytes - r.freed_bytes;
  __atomic_store_n(&r.epoch, epoch, __ATOMIC_RELEASE);  // after the copy: a reader that sees the epoch sees it
}

}  // namespace

void book_allocation(const Guard&, log::HeapWords& r, log::PeakClock& clock, const Weight& w) {
  keep_peak(r, clock);
  add(r.count, w.count);
  add(r.bytes, w.bytes);
  add(r.samples, 1);
  const std::int64_t live = __atomic_add_fetch(&clock.live, static_cast<std::int64_t>(w.bytes), __ATOMIC_RELAXED);
  std::int64_t peak = __atomic_load_n(&clock.peak, __ATOMIC_RELAXED);
  while (live > peak + (peak >> kThresholdShift)) {
    if (!__atomic_compare_exchange_n(&clock.peak, &peak, live, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) continue;
    clock.peak_ns = clock::monotonic();
    __atomic_add_fetch(&clock.epoch, 1, __ATOMIC_ACQ_REL);
    return;
  }
}

void book_free(const Guard&, log::HeapWords& r, log::PeakClock& clock, const Weight& w) {
  keep_peak(r, clock);
  add(r.freed_count, w.count);
  add(r.freed_bytes, w.bytes);
  __atomic_sub_fetch(&clock.live, static_cast<std::int64_t>(w.bytes), __ATOMIC_RELAXED);
}

}  // namespace prof::heap
