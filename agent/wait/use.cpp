#include "agent/wait/use.hpp"

#include <atomic>
#include <string_view>

#include "agent/core/allowance.hpp"
#include "agent/core/clock.hpp"
#include "agent/core/helper_thread.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/core/raw.hpp"
#include "agent/log/file.hpp"
#include "agent/thread/slots.hpp"
#include "agent/thread/threads.hpp"
#include "agent/thread/vitals.hpp"
#include "agent/wait/local.hpp"
#include "agent/wait/task_files.hpp"

namespace prof::wait {
namespace {

using log::ThreadUseRecord;

constexpr std::uint32_t kFirstChunkSlots = 7;  // one granule: most processes have few threads
constexpr std::uint32_t kChunkSlots = 63;      // just below 8 KiB
constexpr std::uint32_t kMaxChunks = 2048;
static_assert(sizeof(log::ChunkHeader) + kFirstChunkSlots * sizeof(ThreadUseRecord) <= log::kGranule);

constexpr std::uint64_t kEveryNs = 1'000'000'000;
constexpr std::uint32_t kAtOnce = 16;          // threads in one look, each about twenty microseconds
constexpr std::uint64_t kMostNs = 10'000'000;  // for all of them, when the process ends
// Who lived so shortly is asked for what costs least, and who lived still shorter for nothing: a look at /proc takes a
// thread of its own, some hundred microseconds on a busy machine.
constexpr std::uint64_t kShortNs = 100'000'000, kTinyNs = 20'000'000;
// A program whose threads come and go by the thousand must not pay for each: what only the system knows of one that
// ends is asked while that takes little of what the program works.
constexpr Allowance kAllowance{20'000'000, 50};
constexpr std::uint64_t kExpectedNs = 100'000;
// Of a program that was exec'ed by one that had used so much CPU time, more is asked at its start than what costs
// least: how long others waited for a processor under this pid before would be counted as this one's.
constexpr std::uint64_t kWorkedNs = 5'000'000;

struct Uses {
  std::atomic<ThreadUseRecord*> chunks[kMaxChunks];
  std::atomic<std::uint64_t> due;
  std::atomic<std::uint32_t> next;      // thread to look at, in the order of threads::for_each
  std::atomic<std::uint64_t> spent_ns;  // on threads that ended
};
PROF_WIPED constinit pages::Wiped<Uses> g_uses{};

constexpr std::uint64_t ThreadUseRecord::*const kSums[] = {
    &ThreadUseRecord::run_queue_ns,       &ThreadUseRecord::slices,
    &ThreadUseRecord::minor_faults,       &ThreadUseRecord::major_faults,
    &ThreadUseRecord::voluntary_switches, &ThreadUseRecord::involuntary_switches,
    &ThreadUseRecord::storage_read_bytes, &ThreadUseRecord::storage_written_bytes,
    &ThreadUseRecord::storage_delay_ns,   &ThreadUseRecord::system_ns};

void store(ThreadUseRecord& to, const ThreadUseRecord& before, const ThreadUseRecord& now, std::uint64_t at) {
  for (const auto figure : kSums) __atomic_store_n(&(to.*figure), before.*figure + now.*figure, __ATOMIC_RELAXED);
  to.noted_ns = at;
  __atomic_store_n(&to.known, before.known | now.known, __ATOMIC_RELEASE);
}

// Another thread may end meanwhile, and its state become a later thread's.
void note(ThreadState& t, const Asker& asker, std::uint64_t now) {
  const std::uint32_t tid = __atomic_load_n(&t.tid, __ATOMIC_ACQUIRE);
  ThreadUseRecord* to = use_of(t);
  if (to == nullptr) return;
  const ThreadUseRecord before = local(t).before;
  ThreadUseRecord r{};
  if (tid == asker.tid) {
    r = asker.faults;
    read_run_queue(tid, r);
    read_stat(tid, false, r);
  } else {
    if (!read_run_queue(tid, r)) return;
    read_switches(tid, r);
    read_stat(tid, true, r);
  }
  read_storage(tid, r);
  const bool same = __atomic_load_n(&t.tid, __ATOMIC_ACQUIRE) == tid && threads::alive(t) && local(t).use == to;
  if (same && r.known != 0) store(*to, before, r, now);
}

bool wanted() { return process().options.wait && log::header() != nullptr; }

}  // namespace

Asker::Asker() : tid(raw::tid()), faults{} { read_own_faults(faults); }

ThreadUseRecord* use_of_slot(std::uint32_t slot) {
  const bool first = slot < kFirstChunkSlots;
  const std::uint32_t chunk = first ? 0 : 1 + (slot - kFirstChunkSlots) / kChunkSlots;
  const std::uint32_t index = first ? slot : (slot - kFirstChunkSlots) % kChunkSlots;
  if (chunk >= kMaxChunks || log::header() == nullptr) return nullptr;
  auto& entry = g_uses.value.chunks[chunk];
  if (entry.load(std::memory_order_acquire) == nullptr) {
    const std::uint32_t records = first ? kFirstChunkSlots : kChunkSlots;
    log::ChunkHeader* made = log::take_chunk(log::ChunkType::ThreadUse, 0, slot - index,
                                             sizeof(log::ChunkHeader) + records * sizeof(ThreadUseRecord));
    if (made == nullptr) return nullptr;
    ThreadUseRecord* expected = nullptr;
    if (!entry.compare_exchange_strong(expected, log::content<ThreadUseRecord>(made))) log::give_up_chunk(made);
  }
  return entry.load(std::memory_order_acquire) + index;
}

ThreadUseRecord* use_of(ThreadState& t) {
  Local& w = local(t);
  if (ThreadUseRecord* use = __atomic_load_n(&w.use, __ATOMIC_ACQUIRE)) return use;
  if (!wanted() || t.slot == kNoSlot || t.seat == nullptr) return nullptr;
  ThreadUseRecord* use = use_of_slot(t.slot);
  if (use == nullptr) return nullptr;
  for (const auto figure : kSums) w.before.*figure += use->*figure;
  w.before.known = use->known;
  __atomic_store_n(&w.use, use, __ATOMIC_RELEASE);
  return use;
}

void begin_use(ThreadState& t) {
  ThreadUseRecord& before = local(t).before;
  before = {};
  if (t.tid == process().pid && process().origin == log::Origin::Started && process().options.wait) {
    ThreadUseRecord r{};
    read_own_faults(r);
    if (process().start_cpu_ns >= kWorkedNs) {
      read_run_queue(t.tid, r);
      read_stat(t.tid, false, r);
      read_storage(t.tid, r);
    }
    for (const auto figure : kSums) before.*figure -= r.*figure;  // sums are taken modulo 2^64
  }
  if (t.tid != process().pid) use_of(t);  // the main thread's waits until there is something to note
}

void note_last_use(ThreadState& t) {
  if (t.record == nullptr) return;
  const std::uint64_t now = clock::monotonic();
  const std::uint64_t lived = now - local(t).began;
  if (lived < kTinyNs) return;
  ThreadUseRecord* to = use_of(t);
  if (to == nullptr) return;
  ThreadUseRecord r{};
  read_own_faults(r);
  // Told before it is spent: they end all at once.
  std::atomic<std::uint64_t>& spent = g_uses.value.spent_ns;
  const std::uint64_t would_be = spent.fetch_add(kExpectedNs, std::memory_order_relaxed) + kExpectedNs;
  const bool main = t.tid == process().pid;
  if (main || affordable(kAllowance, would_be, now - process().start_monotonic_ns, cpu_time_so_far())) {
    const std::uint64_t began = clock::thread_cpu();
    const std::uint64_t elsewhere = helper_thread::run([&] {
      read_run_queue(t.tid, r);
      if (lived < kShortNs) return;
      read_stat(t.tid, false, r);
      read_storage(t.tid, r);
    });
    spent.fetch_add(clock::thread_cpu() - began + elsewhere, std::memory_order_relaxed);
  }
  spent.fetch_sub(kExpectedNs, std::memory_order_relaxed);
  // Of a short life it is known to be nearly nothing, which does not make the others' figures doubtful.
  if (lived < kShortNs) r.known |= local(t).before.known;
  store(*to, local(t).before, r, now);
}

void pass_uses(const Asker& asker, std::uint64_t now) {
  Uses& u = g_uses.value;
  std::uint64_t due = u.due.load(std::memory_order_relaxed);
  if (now < due || !wanted() || !u.due.compare_exchange_strong(due, now + kEveryNs)) return;
  const std::uint32_t from = u.next.load(std::memory_order_relaxed);
  std::uint32_t at = 0, looked = 0;
  threads::for_each([&](ThreadState& t) {
    if (at++ < from || looked == kAtOnce) return;
    note(t, asker, now);
    ++looked;
  });
  u.next.store(looked == kAtOnce ? from + looked : 0, std::memory_order_relaxed);
}

void note_uses() {
  if (!wanted()) return;
  const Asker asker;
  threads::for_each([&](ThreadState& t) {
    if (t.tid == asker.tid) note_last_use(t);
  });
  helper_thread::run([&] {
    const std::uint64_t began = clock::monotonic();
    std::uint64_t now = began;
    threads::for_each([&](ThreadState& t) {
      if (now - began > kMostNs || t.tid == asker.tid) return;
      note(t, asker, now);
      now = clock::monotonic();
    });
  });
}

void prepare_uses() { pages::wipe_in_child(g_uses); }

}  // namespace prof::wait
