#include "agent/heap/heap.hpp"

#include <cstring>

#include "agent/core/clock.hpp"
#include "agent/core/own_time.hpp"
#include "agent/core/process.hpp"
#include "agent/heap/book.hpp"
#include "agent/heap/exact.hpp"
#include "agent/heap/local.hpp"
#include "agent/heap/mappings.hpp"
#include "agent/heap/sampling.hpp"
#include "agent/log/conditions.hpp"
#include "agent/log/file.hpp"
#include "agent/thread/feature.hpp"
#include "agent/thread/guard.hpp"
#include "agent/thread/threads.hpp"
#include "agent/thread/vitals.hpp"

namespace prof::heap {
namespace {

// Exact mode looks at the clock once in so many allocations: to say what it costs, and to pass the time on.
constexpr std::uint64_t kTimedEvery = 256;
constexpr std::uint64_t kLongestNs = 20'000;  // longer ones were preempted, which is no cost of ours

bool exact() { return process().options.heap == log::HeapMode::Exact; }
Filtered filtered() { return exact() ? Filtered::No : Filtered::Yes; }

// A thread whose end was recorded: other libraries' destructors still allocate and free.
bool late(std::uint64_t log::Header::*calls, std::uint64_t bytes) {
  if (tls.phase != ThreadPhase::Ended) return false;
  if (log::Header* h = log::header()) {
    add_shared(h->*calls, 1);
    if (bytes != 0) add_shared(h->late_allocated_bytes, bytes);
  }
  return true;
}

// In a host's signal handler that interrupted one of our hooks: counted, but no context can be taken.
void nested(std::uint64_t log::ThreadRecord::*calls, std::uint64_t bytes) {
  log::ThreadRecord* r = tls.state->record;
  if (r == nullptr) return;  // before the start, or switched off
  add(r->*calls, 1);
  if (bytes != 0) add(r->allocated_bytes, bytes);
  if (tls.busy != 0) count_loss(log::Loss::NestedAllocation);
}

bool recording(ThreadState& t) {
  if (!log::ensure_created()) return false;
  if (t.record == &t.early) threads::settle(t);
  return true;
}

void book_exactly(const Guard& guard, void* block, std::size_t size, Kind kind, const Origin& origin) {
  ThreadState& t = guard.thread();
  if (!recording(t)) return;
  if ((local(t).sequence + 1) % kTimedEvery != 0) return exact_allocation(guard, block, size, kind, origin);
  const std::uint64_t started = clock::monotonic();
  exact_allocation(guard, block, size, kind, origin);
  const std::uint64_t ended = clock::monotonic();
  const std::uint64_t spent = ended - started;
  add(t.record->agent_ns, (spent < kLongestNs ? spent : kLongestNs) * kTimedEvery + pass(guard, ended));
}

void book_sample(const Guard& guard, void* block, std::size_t size, Kind kind) {
  ThreadState& t = guard.thread();
  const OwnTime own(t.cpu_seen);
  if (process().options.heap != log::HeapMode::Off && log::ensure_created()) {
    threads::settle(t);
    sample_allocation(guard, block, size, kind, kind == Kind::Python ? local(t).python_interval : t.interval);
  }
  const std::uint64_t ended = clock::monotonic();
  const std::uint64_t spent = own.until(ended);
  note_spent(spent);
  add(t.record->agent_ns, spent + pass(guard, ended));
  draw(t, kind, ended);
}

void book_freed(const Guard& guard, const void* block, const LiveBlock& live) {
  if (exact())
    exact_free(guard, block, live);
  else
    sample_free(guard, live);
}

// The slow path of one allocation, for who may spend `budget`.
void allocated_by(std::int64_t& budget, const Guard& guard, void* block, std::size_t size, Kind kind) {
  if (budget == kEveryOne) return book_exactly(guard, block, size, kind, {});
  // A thread that has just been registered comes here with its first gap still unspent.
  const std::int64_t left = budget - static_cast<std::int64_t>(size);
  if (left > 0) {
    budget = left;
    return;
  }
  book_sample(guard, block, size, kind);
}

// Of a block that was not in the books nobody knows how much was copied.
Origin origin_of(const Moving& m, const void* to, std::size_t size) {
  const std::uint64_t old_size = m.known ? m.live.bytes : 0;
  return {true, to == m.block ? 0 : old_size < size ? old_size : size};
}

void free_exactly(const Guard& guard, void* block) {
  LiveBlock live{};
  const bool known = take(block, live, Filtered::No);
  // Nowhere to book it without a guard; but the table must not keep an address that the next malloc may return.
  if (!guard) return nested(&log::ThreadRecord::frees, 0);
  log::ThreadRecord& r = *guard.thread().record;
  add(r.frees, 1);
  if (known) return exact_free(guard, block, live);
  add(r.foreign_frees, 1);
}

void freed_by(const Guard& guard, const void* block, bool known, const LiveBlock& live, bool counted) {
  log::ThreadRecord& r = *guard.thread().record;
  // A free that was counted on its way through an inner free did not find its block there: it was already taken out.
  if (exact() && known == counted) add(r.foreign_frees, known ? ~std::uint64_t{0} : 1);
  if (known) book_freed(guard, block, live);
}

}  // namespace

[[gnu::noinline]] void allocated_slow(void* block, std::size_t size) {
  if (ThreadState& t = *tls.state; t.budget == kEveryOne && t.record != nullptr) [[likely]] {
    const HookGuard guard(t);
    if (!guard) return nested(&log::ThreadRecord::allocations, size);
    add(t.record->allocations, 1);
    add(t.record->allocated_bytes, size);
    return book_exactly(guard, block, size, Kind::Malloc, {});
  }
  if (late(&log::Header::late_allocations, size)) return count_loss(log::Loss::LateAllocation);
  const HookGuard guard(HookGuard::Starts::Agent);
  if (!guard) return nested(&log::ThreadRecord::allocations, size);
  ThreadState& t = guard.thread();
  add(t.record->allocations, 1);
  add(t.record->allocated_bytes, size);
  allocated_by(t.budget, guard, block, size, Kind::Malloc);
}

[[gnu::noinline]] void freeing_slow(void* block) {
  if (ThreadState& t = *tls.state; t.budget == kEveryOne && t.record != nullptr) [[likely]] {
    const HookGuard guard(t);
    return free_exactly(guard, block);
  }
  if (late(&log::Header::late_frees, 0)) return;
  const HookGuard guard;
  LiveBlock live{};
  const bool known = take(block, live, filtered());
  // Nowhere to book it without a guard; but the table must not keep an address that the next malloc may return.
  if (!guard) return nested(&log::ThreadRecord::frees, 0);
  add(guard.thread().record->frees, 1);
  freed_by(guard, block, known, live, false);
}

Moving moving(void* block) {
  Moving m{block, {}, false};
  m.known = (exact() || maybe_live(block)) && take(block, m.live, filtered());
  return m;
}

void not_moved(const Moving& m) {
  if (m.known && remember(m.block, m.live, filtered()) == Remembered::No) count_loss(log::Loss::LiveTableFull);
}

void freed(const Moving& m, bool counted) {
  if (late(&log::Header::late_frees, 0)) return;
  const std::uint64_t one = counted ? 0 : 1;
  if (!m.known && !exact() && tls.state->record != nullptr) return add(tls.state->record->frees, one);
  const HookGuard guard;
  if (!guard) return nested(&log::ThreadRecord::frees, 0);
  add(guard.thread().record->frees, one);
  freed_by(guard, m.block, m.known, m.live, counted);
}

void moved(const Moving& m, void* to, std::size_t size) {
  if (to != nullptr && m.known && !exact() && stays_sample(m.live, size) && tls.phase == ThreadPhase::Known) {
    if (const HookGuard guard; guard && recording(guard.thread())) {
      log::ThreadRecord& r = *guard.thread().record;
      add(r.frees, 1);
      add(r.reallocations, 1);
      add(r.allocations, 1);
      add(r.allocated_bytes, size);
      return sample_moved(guard, m.live, to, size);
    }
  }
  freed(m, false);
  if (to == nullptr) return;
  if (tls.state->record != nullptr) add(tls.state->record->reallocations, 1);
  if (!exact() || tls.phase == ThreadPhase::Ended) return allocated(to, size);
  const HookGuard guard;
  if (!guard) return nested(&log::ThreadRecord::allocations, size);
  ThreadState& t = guard.thread();
  add(t.record->allocations, 1);
  add(t.record->allocated_bytes, size);
  book_exactly(guard, to, size, Kind::Malloc, origin_of(m, to, size));
}

// Late and nested calls of Python's allocators are not counted: a thread runs no Python code any more, or the
// interpreter is not in a handler.
[[gnu::noinline]] void python_allocated(void* block, std::size_t size) {
  const HookGuard guard;
  if (!guard) return;
  ThreadState& t = guard.thread();
  add(t.record->python_allocations, 1);
  allocated_by(local(t).python_budget, guard, block, size, Kind::Python);
}

[[gnu::noinline]] void python_freeing(void* block) {
  if (!exact() && !maybe_live(block)) {
    if (tls.state->record != nullptr) add(tls.state->record->python_frees, 1);
    return;
  }
  const HookGuard guard;
  LiveBlock live{};
  const bool known = take(block, live, filtered());
  if (!guard) return;
  add(guard.thread().record->python_frees, 1);
  if (known) book_freed(guard, block, live);
}

void python_moved(const Moving& m, void* to, std::size_t size) {
  const HookGuard guard;
  if (!guard) return;
  ThreadState& t = guard.thread();
  add(t.record->python_frees, 1);
  if (m.known) book_freed(guard, m.block, m.live);
  if (to == nullptr) return;
  add(t.record->python_allocations, 1);
  if (exact()) return book_exactly(guard, to, size, Kind::Python, origin_of(m, to, size));
  allocated_by(local(t).python_budget, guard, to, size, Kind::Python);
}

void begin_thread(ThreadState& t) {
  if (t.random == 0) t.random = 1;
  Local& l = local(t);
  Recent* const records = l.records;
  l = {};
  l.records = records;
  if (exact()) std::memset(records, 0, kRecords * sizeof(Recent));
  const std::uint64_t now = clock::monotonic();
  draw(t, Kind::Malloc, now);
  draw(t, Kind::Python, now);
  begin_account();
}

void end_thread(ThreadState& t) { end_account(t); }

void prepare_heap() {
  prepare_sampling();
  prepare_book();
  prepare_live_table();
  prepare_mappings();
}

extern constinit const Feature feature{.prepare = prepare_heap,
                                       .begin_thread = begin_thread,
                                       .end_thread = end_thread,
                                       .settle = settle_mappings,
                                       .room = {sizeof(Recent[kRecords]), [](ThreadState& t, void* room) {
                                                  local(t).records = static_cast<Recent*>(room);
                                                }}};

}  // namespace prof::heap
