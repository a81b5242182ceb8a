#include "agent/heap/sampling.hpp"

#include <atomic>
#include <limits>

#include "agent/core/counter.hpp"
#include "agent/core/gap.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/heap/book.hpp"
#include "agent/heap/local.hpp"
#include "agent/log/conditions.hpp"
#include "agent/log/file.hpp"
#include "agent/thread/thread_state.hpp"
#include "agent/thread/vitals.hpp"
#include "agent/tree/context.hpp"

namespace prof::heap {
namespace {

// A site's estimate is as good as its number of samples: the first gigabyte is sampled finely, and the interval then
// grows with what was allocated. Time is bounded as well: to half a percent of the CPU time so far. A program that has
// shown that it allocates much may spend more than that once, within its first gigabyte, so that one which ends soon is
// told as finely: ten percent of the time, but no more than what servers never notice. Above its share the interval
// widens step by step.
constexpr std::uint64_t kStartUpBytes = 32ULL << 20;
constexpr std::uint64_t kFineBytes = 1ULL << 30;
constexpr std::uint64_t kShare = 200, kShareOfAllocators = 10;
constexpr std::uint64_t kOnceNs = 20'000'000;
constexpr std::uint64_t kLongestSampleNs = 20'000;  // longer ones are no usual samples

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max() / 2;

struct Spent {
  std::atomic<std::uint64_t> sampled_bytes;  // sum of the samples' weights: the allocated volume
  std::atomic<std::uint64_t> ns;             // in taking samples
};
PROF_WIPED_AT_START constinit pages::Wiped<Spent> g_spent{};

// Intervals are the first one times a power of four, and the largest: a block remembers its own by the number of the
// step.
std::uint64_t interval_of(std::uint8_t step) {
  const Options& o = process().options;
  const std::uint64_t interval = o.heap_interval_first << (2 * step);
  return interval < o.heap_interval ? interval : o.heap_interval;
}

std::uint8_t step_of(std::uint64_t interval) {
  std::uint8_t step = 0;
  while (interval_of(step) < interval) ++step;
  return step;
}

std::uint64_t interval_now(std::uint64_t now) {
  const Options& o = process().options;
  const std::uint64_t volume = g_spent.value.sampled_bytes.load(std::memory_order_relaxed);
  const std::uint64_t elapsed = now - process().start_monotonic_ns;
  std::uint64_t allowed = cpu_time_of(elapsed) / kShare;
  if (volume > kStartUpBytes && volume < kFineBytes) {
    const std::uint64_t once = elapsed / kShareOfAllocators;
    allowed += once < kOnceNs ? once : kOnceNs;
  }
  std::uint64_t interval = o.heap_interval_first;
  for (std::uint64_t spent = g_spent.value.ns.load(std::memory_order_relaxed);
       spent > allowed && interval < o.heap_interval; spent /= 2)
    interval *= 4;
  std::uint64_t by_volume = o.heap_interval_first;
  for (std::uint64_t bytes = kFineBytes; bytes < volume && by_volume < o.heap_interval; bytes *= 2) by_volume *= 4;
  if (by_volume > interval) interval = by_volume;
  return interval < o.heap_interval ? interval : o.heap_interval;
}

// Books a block on a record as a sample that was drawn at that step's interval. False: there is no room in the table.
bool book_sample_of(const Guard& guard, std::uint64_t* words, const void* block, Kind kind, std::uint8_t step,
                    std::size_t bytes) {
  switch (remember(block, {place_of_record(words), kind, step, bytes}, Filtered::Yes)) {
    case Remembered::Yes:
      break;
    case Remembered::Instead:
      count_loss(log::Loss::FreeNotSeen);
      break;
    case Remembered::No:
      count_loss(bytes >= kMostBytes ? log::Loss::BlockTooLarge : log::Loss::LiveTableFull);
      return false;
  }
  const Weight w = weight_of(bytes, interval_of(step));
  auto& record = *reinterpret_cast<log::HeapWords*>(words);
  note_size(record, bytes);
  book_allocation(guard, record, kind, w);
  g_spent.value.sampled_bytes.fetch_add(w.bytes, std::memory_order_relaxed);
  return true;
}

// The calling thread's record of the path that the block was booked on; null: there is no room for one.
std::uint64_t* words_of(const Guard& guard, const LiveBlock& live) {
  const std::uint32_t node = log::record_node(record_at(live.place)[-1]);
  return tree::record_of(guard, node, classes_of(live.kind).words, log::kHeapWordCount);
}

void book_free_of(const Guard& guard, std::uint64_t* words, const LiveBlock& live) {
  book_free(guard, *reinterpret_cast<log::HeapWords*>(words), live.kind, weight_of(live.bytes, interval_of(live.tag)));
}

}  // namespace

void draw(ThreadState& t, Kind kind, std::uint64_t now) {
  std::int64_t& budget = kind == Kind::Python ? local(t).python_budget : t.budget;
  std::uint64_t& interval = kind == Kind::Python ? local(t).python_interval : t.interval;
  switch (process().options.heap) {
    case log::HeapMode::Off:
      budget = kNever;
      return;
    case log::HeapMode::Exact:
      budget = kEveryOne;
      return;
    case log::HeapMode::Sampled:
      break;
  }
  interval = interval_now(now);
  budget = draw_gap(t.random, interval);
}

void sample_allocation(const Guard& guard, const void* block, std::size_t bytes, Kind kind, std::uint64_t interval) {
  const tree::Context c = tree::current_context(guard, classes_of(kind).words, log::kHeapWordCount);
  if (c.record == nullptr || !book_sample_of(guard, c.record, block, kind, step_of(interval), bytes)) return;
  add(guard.thread().record->heap_samples, 1);
}

void sample_free(const Guard& guard, const LiveBlock& live) {
  if (std::uint64_t* words = words_of(guard, live)) book_free_of(guard, words, live);
}

bool stays_sample(const LiveBlock& live, std::size_t bytes) {
  constexpr std::uint64_t kSure = 4;  // times the interval: of 55 such blocks one would be no sample
  constexpr int kParts = 3;           // of a power of two: eight
  if (live.kind != Kind::Malloc || bytes < kSure * interval_of(live.tag) || bytes >= kMostBytes) return false;
  const int shift = 63 - __builtin_clzll(bytes) - kParts;
  return bytes >> shift == live.bytes >> shift;
}

void sample_moved(const Guard& guard, const LiveBlock& live, const void* block, std::size_t bytes) {
  std::uint64_t* words = words_of(guard, live);
  if (words == nullptr) return;
  book_free_of(guard, words, live);
  book_sample_of(guard, words, block, live.kind, live.tag, bytes);
}

void note_spent(std::uint64_t ns) {
  g_spent.value.ns.fetch_add(ns < kLongestSampleNs ? ns : kLongestSampleNs, std::memory_order_relaxed);
}

void prepare_sampling() { pages::wipe_in_child(g_spent); }

}  // namespace prof::heap
