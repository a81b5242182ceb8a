#include "agent/python/runs.hpp"

#include <atomic>

namespace prof::python {
namespace {

// What was seen once may have been a coincidence in the midst of a switch. And so many stacks in a row that do not
// agree are no switches: the distance itself is in doubt.
constexpr std::uint32_t kDoubtful = 256;

std::atomic<std::uintptr_t> g_distance{0}, g_candidate{0};
std::atomic<std::uint32_t> g_misses{0};

}  // namespace

bool Runs::seen(std::uintptr_t at, bool proven) {
  const std::uintptr_t distance = run_distance();
  if (at >= sp_ && distance == 0) return !proven;
  const Ends found = at >= sp_ ? ends_at_(native_, at + distance) : Ends::Nothing;
  if (found == Ends::Run) {
    if (g_misses.load(std::memory_order_relaxed) != 0) g_misses.store(0, std::memory_order_relaxed);
    return agreed_ = true;
  }
  if (found == Ends::Other || !certain_) return !proven && at >= sp_;
  disagreed_ = true;
  if (g_misses.fetch_add(1, std::memory_order_relaxed) >= kDoubtful) {
    g_misses.store(0, std::memory_order_relaxed);
    g_distance.store(0, std::memory_order_relaxed);
  }
  return false;
}

std::uintptr_t run_distance() { return g_distance.load(std::memory_order_relaxed); }

void learn_run_distance(std::uintptr_t distance) {
  if (g_distance.load(std::memory_order_relaxed) == distance) return;
  if (g_candidate.exchange(distance, std::memory_order_relaxed) == distance)
    g_distance.store(distance, std::memory_order_relaxed);
}

}  // namespace prof::python
