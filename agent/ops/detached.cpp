#include "agent/ops/detached.hpp"

#include <atomic>

#include "agent/core/lock.hpp"
#include "agent/core/pages.hpp"

namespace prof::ops {
namespace {

constexpr std::uint32_t kMost = 256;

struct Detached {
  SpinLock lock;
  std::atomic<std::uint32_t> count;
  Open open[kMost];
};
PROF_WIPED constinit pages::Wiped<Detached> g_detached{};

}  // namespace

bool put_detached(const Open& open) {
  Detached& all = g_detached.value;
  Locked locked(all.lock);
  const std::uint32_t count = all.count.load(std::memory_order_relaxed);
  if (count == kMost) return false;
  all.open[count] = open;
  all.count.store(count + 1, std::memory_order_relaxed);
  return true;
}

bool take_detached(const RecordFunction* function, Open& open) {
  if (!any_detached()) return false;
  Detached& all = g_detached.value;
  Locked locked(all.lock);
  const std::uint32_t count = all.count.load(std::memory_order_relaxed);
  for (std::uint32_t i = count; i > 0; --i) {
    if (all.open[i - 1].function != function) continue;
    open = all.open[i - 1];
    all.open[i - 1] = all.open[count - 1];
    all.count.store(count - 1, std::memory_order_relaxed);
    return true;
  }
  return false;
}

bool any_detached() { return g_detached.value.count.load(std::memory_order_relaxed) != 0; }

void prepare_detached() { pages::wipe_in_child(g_detached); }

}  // namespace prof::ops
