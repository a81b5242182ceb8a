#include "agent/heap/heap.hpp"

#include <atomic>
#include <limits>

#include "agent/core/clock.hpp"
#include "agent/core/guard.hpp"
#include "agent/core/pages.hpp"
#include "agent/heap/mappings.hpp"
#include "agent/heap/peak.hpp"
#include "agent/log/file.hpp"
#include "agent/process/process.hpp"
#include "agent/stack/stack.hpp"
#include "agent/thread/threads.hpp"
#include "agent/tree/context.hpp"

namespace prof::heap {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max() / 2;

// A site's estimate is as good as its number of samples: the first gigabyte is sampled finely, and the interval then
// grows with what was allocated. Time is bounded as well: start-up code, where every stack is new and a sample costs
// most, may spend three percent of the time so far; a program that has shown that it allocates much, ten percent within
// its first gigabyte. Above its share the interval widens step by step.
constexpr std::uint64_t kStartUpBytes = 32ULL << 20;
constexpr std::uint64_t kFineBytes = 1ULL << 30;
constexpr std::uint64_t kShare = 32, kShareOfAllocators = 10;
constexpr std::uint64_t kLongestSampleNs = 20'000;  // longer ones were preempted, which is no cost of ours

struct Spent {
  std::atomic<std::uint64_t> sampled_bytes;  // sum of the samples' weights: the allocated volume
  std::atomic<std::uint64_t> ns;             // in taking samples
};
constinit pages::Wiped<Spent> g_spent{};

std::uint64_t interval_now(std::uint64_t now) {
  const Options& o = process().options;
  const std::uint64_t volume = g_spent.value.sampled_bytes.load(std::memory_order_relaxed);
  const std::uint64_t elapsed = now - process().start_monotonic_ns;
  const std::uint64_t allowed = elapsed / (volume > kStartUpBytes && volume < kFineBytes ? kShareOfAllocators : kShare);
  std::uint64_t interval = o.heap_interval_first;
  for (std::uint64_t spent = g_spent.value.ns.load(std::memory_order_relaxed);
       spent > allowed && interval < o.heap_interval; spent /= 2)
    interval *= 4;
  std::uint64_t by_volume = o.heap_interval_first;
  for (std::uint64_t bytes = kFineBytes; bytes < volume && by_volume < o.heap_interval; bytes *= 2) by_volume *= 4;
  if (by_volume > interval) interval = by_volume;
  return interval < o.heap_interval ? interval : o.heap_interval;
}

void draw(ThreadState& t, std::uint64_t now) {
  if (process().options.heap == log::HeapMode::Off) {
    t.budget = kNever;
    return;
  }
  t.interval = interval_now(now);
  t.budget = draw_gap(t.random, t.interval);
}

void sample(const Guard& guard, void* block, std::size_t size) {
  ThreadState& t = guard.thread();
  const Weight w = weight_of(size, t.interval);
  const tree::Context c = tree::context_of(guard, stack_here(guard), log::RecordClass::Heap, log::kHeapWordCount);
  if (c.record == nullptr) return;
  if (!remember(block, {c.node, w})) return count_loss(log::Loss::LiveTableFull);
  book_allocation(guard, *reinterpret_cast<log::HeapWords*>(c.record), log::header()->heap, w);
  add(t.record->heap_samples, 1);
  g_spent.value.sampled_bytes.fetch_add(w.bytes, std::memory_order_relaxed);
}

void book_freed(const Guard& guard, const LiveBlock& live) {
  if (std::uint64_t* record = tree::record_of(guard, live.node, log::RecordClass::Heap, log::kHeapWordCount)) {
    book_free(guard, *reinterpret_cast<log::HeapWords*>(record), log::header()->heap, live.weight);
  }
}

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

}  // namespace

[[gnu::noinline]] void allocated_slow(void* block, std::size_t size) {
  if (late(&log::Header::late_allocations, size)) return count_loss(log::Loss::LateAllocation);
  const HookGuard guard;
  if (!guard) return nested(&log::ThreadRecord::allocations, size);
  ThreadState& t = guard.thread();
  add(t.record->allocations, 1);
  add(t.record->allocated_bytes, size);
  // A thread that has just been registered comes here with its first gap still unspent.
  const std::int64_t left = t.budget - static_cast<std::int64_t>(size);
  if (left > 0) {
    t.budget = left;
    return;
  }
  const std::uint64_t started = clock::monotonic();
  if (process().options.heap != log::HeapMode::Off && log::ensure_created()) {
    threads::settle(t);
    sample(guard, block, size);
  }
  const std::uint64_t ended = clock::monotonic();
  add(t.record->agent_ns, ended - started);
  const std::uint64_t spent = ended - started;
  g_spent.value.ns.fetch_add(spent < kLongestSampleNs ? spent : kLongestSampleNs, std::memory_order_relaxed);
  draw(t, ended);
}

[[gnu::noinline]] void freeing_slow(void* block) {
  if (late(&log::Header::late_frees, 0)) return;
  const HookGuard guard;
  LiveBlock live{};
  if (!guard) {
    // Nowhere to book it; but the table must not keep an address that the next malloc may return.
    take(block, live);
    return nested(&log::ThreadRecord::frees, 0);
  }
  add(guard.thread().record->frees, 1);
  if (take(block, live)) book_freed(guard, live);
}

Moving moving(void* block) {
  Moving m{};
  m.sampled = maybe_live(block) && take(block, m.live);
  return m;
}

void not_moved(void* block, const Moving& m) {
  if (m.sampled && !remember(block, m.live)) count_loss(log::Loss::LiveTableFull);
}

void freed(const Moving& m, bool counted) {
  if (late(&log::Header::late_frees, 0)) return;
  const std::uint64_t one = counted ? 0 : 1;
  if (!m.sampled && tls.state->record != nullptr) return add(tls.state->record->frees, one);
  const HookGuard guard;
  if (!guard) return nested(&log::ThreadRecord::frees, 0);
  add(guard.thread().record->frees, one);
  if (m.sampled) book_freed(guard, m.live);
}

void moved(const Moving& m, void* to, std::size_t size) {
  freed(m, false);
  if (to == nullptr) return;
  if (tls.state->record != nullptr) add(tls.state->record->reallocations, 1);
  allocated(to, size);
}

void begin_thread(ThreadState& t) {
  if (t.random == 0) t.random = 1;
  draw(t, clock::monotonic());
}

void prepare_heap() {
  pages::wipe_in_child(g_spent);
  prepare_live_table();
  prepare_mappings();
}

}  // namespace prof::heap
