#include "agent/ops/detached.hpp"

#include <atomic>

#include "agent/core/lock.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/log/conditions.hpp"

namespace prof::ops {
namespace {

constexpr std::uint32_t kMost = 256;

struct Detached {
  Lock lock;
  std::atomic<std::uint32_t> count;
  Open open[kMost];
};
PROF_WIPED constinit pages::Wiped<Detached> g_detached{};

// While some are open every operator's end asks: without the lock. From the end on, where one that is being moved was
// before.
bool seems_known(const RecordFunction* function) {
  const Detached& all = g_detached.value;
  for (std::uint32_t i = all.count.load(std::memory_order_acquire); i > 0; --i) {
    if (__atomic_load_n(&all.open[i - 1].function, __ATOMIC_ACQUIRE) == function) return true;
  }
  return false;
}

}  // namespace

bool put_detached(const Open& open) {
  Detached& all = g_detached.value;
  const HeldLock locked(all.lock);
  const std::uint32_t count = all.count.load(std::memory_order_relaxed);
  if (!locked || count == kMost) return false;
  all.open[count] = open;
  all.count.store(count + 1, std::memory_order_release);
  return true;
}

bool take_detached(const RecordFunction* function, Open& open) {
  if (!seems_known(function)) return false;
  Detached& all = g_detached.value;
  const HeldLock locked(all.lock);
  if (!locked) {
    count_loss(log::Loss::Contended);
    return false;
  }
  const std::uint32_t count = all.count.load(std::memory_order_relaxed);
  for (std::uint32_t i = count; i > 0; --i) {
    if (all.open[i - 1].function != function) continue;
    open = all.open[i - 1];
    all.open[i - 1] = all.open[count - 1];
    all.count.store(count - 1, std::memory_order_release);
    return true;
  }
  return false;
}

bool any_detached() { return g_detached.value.count.load(std::memory_order_relaxed) != 0; }

void prepare_detached() { pages::wipe_in_child(g_detached); }

}  // namespace prof::ops
