#include "agent/python/eval_loop.hpp"

#include <atomic>

#include "agent/stack/eh_frame.hpp"

namespace prof::python {
namespace {

// The compiler may have cut the loop into several functions (hot and cold parts).
constexpr unsigned kRanges = 8;
struct Range {
  std::atomic<std::uintptr_t> begin, end;  // end is stored last
};
Range g_ranges[kRanges];
std::atomic<unsigned> g_claimed{0};
std::atomic<std::uintptr_t> g_distance{0};

}  // namespace

bool in_eval_loop(std::uintptr_t address) {
  for (const Range& r : g_ranges) {
    const std::uintptr_t end = r.end.load(std::memory_order_acquire);
    if (end == 0) continue;
    if (address < end && address >= r.begin.load(std::memory_order_relaxed)) return true;
  }
  return false;
}

void learn_eval_loop(std::uintptr_t address) {
  if (in_eval_loop(address) || g_claimed.load(std::memory_order_relaxed) >= kRanges) return;
  Object object{};
  eh::Description d{};
  if (!object_at(address, object) || eh::find_description(object, address, d) != eh::Search::Found) return;
  const unsigned mine = g_claimed.fetch_add(1);
  if (mine >= kRanges) return;
  g_ranges[mine].begin.store(d.begin, std::memory_order_relaxed);
  g_ranges[mine].end.store(d.end, std::memory_order_release);
}

std::uintptr_t cframe_distance() { return g_distance.load(std::memory_order_relaxed); }
void learn_cframe_distance(std::uintptr_t distance) { g_distance.store(distance, std::memory_order_relaxed); }

}  // namespace prof::python
