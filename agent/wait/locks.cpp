#include "agent/wait/locks.hpp"

#include <atomic>

#include "agent/core/clock.hpp"
#include "agent/core/own_time.hpp"
#include "agent/core/pages.hpp"
#include "agent/log/conditions.hpp"
#include "agent/log/file.hpp"
#include "agent/thread/guard.hpp"
#include "agent/thread/threads.hpp"
#include "agent/tree/context.hpp"
#include "agent/unwind/objects.hpp"
#include "agent/wait/address_table.hpp"
#include "agent/wait/local.hpp"

namespace prof::wait {
namespace {

// Time that a thread may spend on the contexts of new locks: this much, and then such a part of its life, of which what
// it leaves does not add up for ever.
constexpr std::uint64_t kFirstCreationNs = 1'000'000;
constexpr std::uint64_t kMostAtOnceNs = 2'000'000;
constexpr std::uint64_t kCreationShare = 64;
constexpr std::uint32_t kSkippedTogether = 256;  // before the clock is asked again

struct Locks {
  LockNodes nodes;
  std::atomic<std::uint32_t> generation;  // of modules, when `nodes` was empty
};
PROF_WIPED constinit pages::Wiped<Locks> g_locks{};
PROF_WIPED constinit pages::Wiped<LockSites> g_sites{};

// The node of the lock in the tree; 0: there is no room.
std::uint32_t node_of(const Guard& guard, const void* lock) {
  Locks& locks = g_locks.value;
  const auto address = reinterpret_cast<std::uintptr_t>(lock);
  // An address in a library is that library's: after a dlclose it may be another one's.
  const std::uint32_t generation = module_generation();
  if (locks.generation.load(std::memory_order_relaxed) != generation) {
    locks.nodes.clear();
    locks.generation.store(generation, std::memory_order_relaxed);
  }
  if (const std::uint32_t counters = locks.nodes.find(address)) return counters;
  if (locks.nodes.full()) {
    count_loss(log::Loss::LockTableFull);
    return 0;
  }
  const std::uint32_t root = tree::child_of(
      guard, 0, log::frame_word(log::FrameKind::Special, static_cast<std::uint64_t>(log::SpecialFrame::Locks)));
  const std::uint32_t node = root != 0 ? tree::child_of(guard, root, tree::frame_of(address)) : 0;
  if (node == 0)
    count_loss(log::Loss::TreeFull);
  else
    locks.nodes.insert(address, node);
  return node;
}

// Whether a lock that the program makes or destroys is of interest here.
bool watched() {
  return !inside_real_call() && tls.phase == ThreadPhase::Known && log::header() != nullptr && wanted() &&
         (!tls.vforked || !in_vfork_child());
}

[[gnu::noinline]] void take_site(std::uintptr_t address) {
  const HookGuard guard;
  if (!guard) return;
  ThreadState& t = guard.thread();
  const OwnTime own(t.cpu_seen);
  const std::uint64_t allowed = kFirstCreationNs + (own.began() - t.record->start_ns) / kCreationShare;
  if (local(t).creation_ns > allowed) {
    local(t).creations_skipped = kSkippedTogether;
    return g_sites.value.erase(address);
  }
  if (allowed - local(t).creation_ns > kMostAtOnceNs) local(t).creation_ns = allowed - kMostAtOnceNs;
  if (const tree::SeenContext* here = tree::current_context(guard)) g_sites.value.put(address, here->node);
  const std::uint64_t took = own.until(clock::monotonic());
  local(t).creation_ns += took;
  add(t.record->agent_ns, took);
}

// What other threads tell of a lock whose longest wait has ended. The calling thread has the lock now, for which others
// may wait: not more threads are looked at than take some 50 us.
void look_around(log::LockWords& words, std::uintptr_t address) {
  constexpr std::uint32_t kMostThreads = 512;
  std::uint32_t looked_at = 0;
  for (const threads::Seat* seat = threads::first_known(); seat != nullptr; seat = seat->next_known) {
    if (!seat->alive) continue;
    if (++looked_at > kMostThreads) return;
    const ThreadState& t = *seat->state;
    if (address >= t.bounds.low && address < t.bounds.high) words.stack_of = t.tid;
    if (t.tid == words.longest_holder) words.holder_node = __atomic_load_n(&local(t).last_node, __ATOMIC_RELAXED);
  }
}

}  // namespace

void contended(const void* lock, log::LockKind kind, const Call& call, std::uint32_t holder, bool failed) {
  if (!call || call.ns() == 0) return;  // not in the window
  const HookGuard guard;
  if (!guard || log::header() == nullptr) return;
  const std::uint32_t node = node_of(guard, lock);
  if (node == 0) return;
  std::uint64_t* record = tree::record_of(guard, node, log::RecordClass::Lock, log::kLockWordCount);
  if (record == nullptr) return;
  auto& words = *reinterpret_cast<log::LockWords*>(record);
  words.kind = static_cast<std::uint64_t>(kind);
  add(words.waits, 1);
  add(words.ns, call.ns());
  if (failed) add(words.failed, 1);
  if (call.ns() >= words.max_ns) {
    // In a queue of threads each waits a little longer than the one before: few of them look.
    const bool much_longer = call.ns() - words.max_ns >= words.max_ns / 8;
    words.max_ns = call.ns();
    words.longest_holder = holder;
    words.longest_waiter = call.node();
    words.holder_node = 0;
    if (much_longer && call.ns() >= log::kWaitSure) look_around(words, reinterpret_cast<std::uintptr_t>(lock));
  }
  if (const std::uint32_t site = g_sites.value.find(reinterpret_cast<std::uintptr_t>(lock))) words.created = site;
}

[[gnu::noinline]] void uncontended_slowly(const Function& function) {
  if (tls.phase != ThreadPhase::Known || log::header() == nullptr || !wanted() || in_vfork_child()) return;
  const HookGuard guard;
  if (!guard) return;
  threads::settle(guard.thread());
  bool news = false;
  if (const FunctionCounters* counters = counters_of(guard, function, WaitClass::Lock, news))
    add(counters->totals->uncontended, 1);
}

void created(const void* lock) {
  if (!watched()) return;
  const auto address = reinterpret_cast<std::uintptr_t>(lock);
  std::uint32_t& skipped = local(*tls.state).creations_skipped;
  if (skipped == 0) [[unlikely]]
    return take_site(address);
  --skipped;
  g_sites.value.erase(address);
}

void destroyed(const void* lock) {
  if (watched()) g_sites.value.erase(reinterpret_cast<std::uintptr_t>(lock));
}

void prepare_locks() {
  pages::wipe_in_child(g_locks);
  pages::wipe_in_child(g_sites);
}

}  // namespace prof::wait
