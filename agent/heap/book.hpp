// The counters of one context: live bytes now, at the peak and over time, without ever scanning anything.
//
// When the total of live bytes passes its old peak, the clock's `epoch` is raised. The next write to a record first
// keeps the record's live bytes as of then, once per epoch; a record that is not written again still holds them. So
// every record knows at every instant what it held at the last peak, also when the process is killed. The moments of
// GrowthWords are kept in the same way: the live bytes of a record did not change since it was last written.
//
// The total is one number for all threads, and adding to it at every event would make them wait for each other: in
// exact mode each hands its changes on when they make a new peak, and else in lots of 0.2 percent of the peak (but a
// kilobyte at least) divided by the number of threads.
#pragma once

#include <cstdint>

#include "agent/core/counter.hpp"
#include "agent/core/gap.hpp"
#include "agent/heap/growth.hpp"
#include "agent/heap/kinds.hpp"
#include "agent/heap/local.hpp"
#include "agent/log/file.hpp"
#include "agent/thread/guard.hpp"
#include "agent/thread/thread_state.hpp"

namespace prof::heap {

// The peak is followed in steps of about 0.1 percent.
inline std::int64_t next_peak(std::int64_t peak) { return peak + (peak >> 10); }

void hand_on_more(const Guard& guard, Kind kind);

// Adds to the total of live bytes, and begins a new epoch when that is a new peak: after the record was written.
inline void account(const Guard& guard, Kind kind, std::int64_t bytes) {
  LiveDelta& delta = local(guard.thread()).deltas[static_cast<unsigned>(kind)];
  delta.bytes += bytes;
  const log::PeakClock& clock = log::header()->*classes_of(kind).clock;
  const std::int64_t live = __atomic_load_n(&clock.live, __ATOMIC_RELAXED) + delta.bytes;
  if (delta.bytes > delta.most || delta.bytes < -delta.most ||
      live > next_peak(__atomic_load_n(&clock.peak, __ATOMIC_RELAXED)))
    hand_on_more(guard, kind);
}

// Before a record is written: keeps what it held at the last peak and at the moments that have passed.
inline void keep_past(const Guard& guard, log::HeapWords& r, Kind kind) {
  const log::PeakClock& clock = log::header()->*classes_of(kind).clock;
  const std::uint64_t epoch = __atomic_load_n(&clock.epoch, __ATOMIC_ACQUIRE);
  if (r.epoch != epoch) {
    r.at_peak = r.bytes - r.freed_bytes;
    __atomic_store_n(&r.epoch, epoch, __ATOMIC_RELEASE);  // after the copy: a reader that sees the epoch sees it
  }
  const std::uint64_t checkpoint = __atomic_load_n(&clock.checkpoint, __ATOMIC_RELAXED);
  if (r.checkpoint != checkpoint) [[unlikely]]
    keep_growth(guard, r, kind, checkpoint);
}

// The size of a block that is about to be booked. Hook contexts.
inline void note_size(log::HeapWords& r, std::uint64_t bytes) {
  if (bytes < r.largest) return;
  r.largest = bytes;
  add(r.growing, 1);
}

// Each books one event on `record`, which is of the guard's region and of the words class of `kind`. `w` is what the
// event stands for. Hook contexts.
inline void book_allocation(const Guard& guard, log::HeapWords& r, Kind kind, const Weight& w) {
  keep_past(guard, r, kind);
  add(r.count, w.count);
  add(r.bytes, w.bytes);
  add(r.samples, 1);
  account(guard, kind, static_cast<std::int64_t>(w.bytes));
}

inline void book_free(const Guard& guard, log::HeapWords& r, Kind kind, const Weight& w) {
  keep_past(guard, r, kind);
  add(r.freed_count, w.count);
  add(r.freed_bytes, w.bytes);
  account(guard, kind, -static_cast<std::int64_t>(w.bytes));
}

// The epoch as HeapOnceWords keep it.
inline std::uint32_t epoch_now(Kind kind) {
  return static_cast<std::uint32_t>(__atomic_load_n(&(log::header()->*classes_of(kind).clock).epoch, __ATOMIC_ACQUIRE));
}

// A thread begins and ends (its changes are handed on).
void begin_account();
void end_account(ThreadState& t);

// Once at start.
void prepare_book();

}  // namespace prof::heap
