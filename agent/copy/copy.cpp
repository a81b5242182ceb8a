#include "agent/copy/copy.hpp"

#include <atomic>

#include "agent/core/clock.hpp"
#include "agent/core/gap.hpp"
#include "agent/core/own_time.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/log/file.hpp"
#include "agent/stack/stack.hpp"
#include "agent/thread/feature.hpp"
#include "agent/thread/guard.hpp"
#include "agent/thread/threads.hpp"
#include "agent/thread/vitals.hpp"
#include "agent/tree/context.hpp"

namespace prof::copy {
namespace {

// Finely while a process has copied little; a sample in 4 MiB once it has copied gigabytes: memory is fast, and a
// sample must stay small beside what it stands for. Many small copies are sampled as often as a few large ones of as
// many bytes, and take longer: so the interval also widens while samples took more than their share of the CPU time,
// and more than what no program notices.
constexpr std::uint64_t kFirstInterval = 64 << 10;
constexpr std::uint64_t kLastInterval = 4 << 20;
constexpr std::uint64_t kFineBytes = 64 << 20;
constexpr std::uint64_t kShare = 400;
constexpr std::uint64_t kOnceNs = 5'000'000;
constexpr std::uint64_t kLongestSampleNs = 20'000;  // longer ones are no usual samples

struct Volume {
  std::atomic<std::uint64_t> sampled_bytes;  // sum of the samples' weights
  std::atomic<std::uint64_t> ns;             // in taking samples
};
PROF_WIPED_AT_START constinit pages::Wiped<Volume> g_volume{};

std::uint64_t interval_now(std::uint64_t now) {
  const std::uint64_t volume = g_volume.value.sampled_bytes.load(std::memory_order_relaxed);
  std::uint64_t interval = kFirstInterval;
  for (std::uint64_t bytes = kFineBytes; bytes < volume && interval < kLastInterval; bytes *= 2) interval *= 2;
  const std::uint64_t allowed = kOnceNs + cpu_time_of(now - process().start_monotonic_ns) / kShare;
  std::uint64_t by_time = kFirstInterval;
  for (std::uint64_t spent = g_volume.value.ns.load(std::memory_order_relaxed);
       spent > allowed && by_time < kLastInterval; spent /= 2)
    by_time *= 4;
  return by_time > interval ? by_time : interval;
}

void draw(ThreadState& t, std::uint64_t now) {
  local(t).interval = interval_now(now);
  local(t).budget = heap::draw_gap(t.random, local(t).interval);
}

// Copies are made where hardly any stack is left: on a handler's own, on a coroutine's. There no stack is taken.
bool has_room(const ThreadState& t) {
  constexpr std::uintptr_t kRoom = 8 << 10;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return here >= t.bounds.low + kRoom && here < t.bounds.high;
}

void sample(const Guard& guard, std::size_t bytes) {
  ThreadState& t = guard.thread();
  const heap::Weight w = heap::weight_of(bytes, local(t).interval);
  const tree::Context c =
      tree::context_of(guard, has_room(t) ? stack_here(guard) : Stack{}, log::RecordClass::Copy, log::kCopyWordCount);
  if (c.record == nullptr) return;
  auto& words = *reinterpret_cast<log::CopyWords*>(c.record);
  add(words.count, w.count);
  add(words.bytes, w.bytes);
  add(words.samples, 1);
  g_volume.value.sampled_bytes.fetch_add(w.bytes, std::memory_order_relaxed);
}

}  // namespace

// Registers nobody: copies are made where nothing else may be called, in handlers and in half-made threads. Such a
// thread is counted from its first allocation on.
[[gnu::noinline]] void count_slowly(std::size_t bytes) {
  ThreadState& t = *tls.state;
  if (tls.phase != ThreadPhase::Known || !own_process()) return;
  const HookGuard guard;
  if (guard) {
    ThreadState& mine = guard.thread();
    add(mine.record->copies, 1);
    add(mine.record->copied_bytes, bytes);
    const std::int64_t left = local(mine).budget - static_cast<std::int64_t>(bytes);
    if (left > 0) {  // a fork that nobody saw: the guard has just begun a new thread
      local(mine).budget = left;
      return;
    }
    const OwnTime own(mine.cpu_seen);
    if (log::ensure_created()) {
      threads::settle(mine);
      sample(guard, bytes);
    }
    const std::uint64_t now = clock::monotonic(), spent = own.until(now);
    g_volume.value.ns.fetch_add(spent < kLongestSampleNs ? spent : kLongestSampleNs, std::memory_order_relaxed);
    draw(mine, now);
    add(mine.record->agent_ns, spent);
  } else if (t.record != nullptr) {
    // In a handler that interrupted the agent: counted, but no context can be taken. The chosen byte is lost.
    add(t.record->copies, 1);
    add(t.record->copied_bytes, bytes);
    local(t).budget = static_cast<std::int64_t>(kFirstInterval);
  }
}

void begin_thread(ThreadState& t) {
  if (process().options.copies) draw(t, clock::monotonic());
}

static void end_thread(ThreadState& t) { local(t).budget = 0; }

void prepare_copies() { pages::wipe_in_child(g_volume); }

extern constinit const Feature feature{
    .prepare = prepare_copies, .begin_thread = begin_thread, .end_thread = end_thread};

}  // namespace prof::copy
