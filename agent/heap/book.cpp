#include "agent/heap/book.hpp"

#include <atomic>

#include "agent/core/clock.hpp"
#include "agent/core/counter.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/heap/local.hpp"
#include "agent/log/file.hpp"
#include "agent/thread/thread_state.hpp"

namespace prof::heap {
namespace {

constexpr int kLotShift = 9;  // of the peak: about 0.2 %
constexpr std::int64_t kSmallestLot = 1 << 10, kLargestLot = 64 << 10;

struct Accounts {
  std::atomic<std::int64_t> threads;
};
PROF_WIPED_AT_START constinit pages::Wiped<Accounts> g_accounts{};

void hand_on(LiveDelta& delta, log::PeakClock& clock) {
  const std::int64_t live = __atomic_add_fetch(&clock.live, delta.bytes, __ATOMIC_RELAXED);
  delta.bytes = 0;
  std::int64_t peak = __atomic_load_n(&clock.peak, __ATOMIC_RELAXED);
  while (live > next_peak(peak)) {
    if (!__atomic_compare_exchange_n(&clock.peak, &peak, live, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) continue;
    clock.peak_ns = clock::monotonic();
    __atomic_add_fetch(&clock.epoch, 1, __ATOMIC_ACQ_REL);
    break;
  }
  if (process().options.heap != log::HeapMode::Exact) return;
  const std::int64_t threads = g_accounts.value.threads.load(std::memory_order_relaxed);
  std::int64_t lot = peak >> kLotShift;
  if (lot < kSmallestLot) lot = kSmallestLot;
  if (lot > kLargestLot) lot = kLargestLot;
  delta.most = lot / (threads < 1 ? 1 : threads);
}

}  // namespace

void hand_on_more(const Guard& guard, Kind kind) {
  hand_on(local(guard.thread()).deltas[static_cast<unsigned>(kind)], log::header()->*classes_of(kind).clock);
}

void begin_account() { g_accounts.value.threads.fetch_add(1, std::memory_order_relaxed); }

void end_account(ThreadState& t) {
  g_accounts.value.threads.fetch_sub(1, std::memory_order_relaxed);
  if (log::header() == nullptr) return;
  for (std::uint32_t k = 0; k < kKinds; ++k) {
    LiveDelta& delta = local(t).deltas[k];
    if (delta.bytes != 0) hand_on(delta, log::header()->*classes_of(static_cast<Kind>(k)).clock);
  }
}

void prepare_book() { pages::wipe_in_child(g_accounts); }

}  // namespace prof::heap
