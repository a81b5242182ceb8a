#include "agent/thread/threads.hpp"

#include <sys/prctl.h>

#include <atomic>
#include <cstring>

#include "agent/core/counter.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/raw.hpp"
#include "agent/log/file.hpp"
#include "agent/thread/slots.hpp"

namespace prof::threads {
namespace {

constexpr std::uint32_t kFirstSeats = 4;  // most processes have few threads: these need no mapping
constexpr std::uint32_t kSeats = 1024;    // of one mapping

struct SeatTable {
  std::atomic<Seat*> first;
  std::atomic<std::uint32_t> first_taken;
  std::atomic<std::uint64_t> fresh;  // address of a mapping's next seat, and above it how many are left from there on
  Seat few[kFirstSeats];
};
PROF_WIPED_AT_START constinit pages::Wiped<SeatTable> g_seats{};

constexpr unsigned kAddressBits = 48;
std::uint64_t rest_of(std::uint64_t left, const Seat* next) {
  return left << kAddressBits | reinterpret_cast<std::uintptr_t>(next);
}

// A seat that nobody had so far; null: no memory.
Seat* fresh_seat() {
  SeatTable& k = g_seats.value;
  if (k.first_taken.load(std::memory_order_relaxed) < kFirstSeats) {
    const std::uint32_t mine = k.first_taken.fetch_add(1, std::memory_order_relaxed);
    if (mine < kFirstSeats) return &k.few[mine];
  }
  std::uint64_t seen = k.fresh.load(std::memory_order_acquire);
  while (const std::uint64_t left = seen >> kAddressBits) {
    auto* const seat = reinterpret_cast<Seat*>(seen & ((std::uint64_t{1} << kAddressBits) - 1));
    if (k.fresh.compare_exchange_weak(seen, rest_of(left - 1, seat + 1), std::memory_order_acquire)) return seat;
  }
  auto* const made = static_cast<Seat*>(pages::map_sparsely(kSeats * sizeof(Seat)));
  if (made == nullptr) return nullptr;
  // Two threads may have come here at once: the second one's others are then mapped, but never touched.
  k.fresh.compare_exchange_strong(seen, rest_of(kSeats - 1, made + 1));
  return made;
}

}  // namespace

Seat* first_known() { return g_seats.value.first.load(std::memory_order_acquire); }

Seat* make_seat(ThreadState& t) {
  Seat* const seat = fresh_seat();
  if (seat == nullptr) return nullptr;
  seat->state = &t;
  std::atomic<Seat*>& head = g_seats.value.first;
  Seat* first = head.load(std::memory_order_relaxed);
  do seat->next_known = first;
  while (!head.compare_exchange_weak(first, seat, std::memory_order_release));
  return seat;
}

void settle(ThreadState& t) {
  if (log::header() == nullptr) return;
  if (t.record == &t.early) {
    log::ThreadRecord* in_log = record_of_slot(t.slot);
    if (in_log == nullptr) return;
    in_log->tid = t.early.tid;
    in_log->flags = t.early.flags;
    in_log->start_ns = t.early.start_ns;
    std::memcpy(in_log->name, t.early.name, sizeof(in_log->name));
    __atomic_store_n(&in_log->state, t.early.state, __ATOMIC_RELEASE);
    __atomic_store_n(&t.record, in_log, __ATOMIC_RELEASE);
  }
  // Counts that stand in `early` are moved; code that a tick interrupted between loading `record` and adding to it may
  // still add there afterwards, so this is repeated whenever somebody passes.
  for (const auto counter : log::kThreadCounters) {
    const std::uint64_t v = t.early.*counter;
    if (v == 0) continue;
    add(t.record->*counter, v);
    add(t.early.*counter, ~v + 1);
  }
}

void note_name(ThreadState& t) { raw::call(SYS_prctl, PR_GET_NAME, raw::word(t.record->name)); }

void prepare_known() { pages::wipe_in_child(g_seats); }

}  // namespace prof::threads
