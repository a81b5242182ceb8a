#include "agent/python/eval_loop.hpp"

#include <atomic>

#include "agent/unwind/eh_frame.hpp"

namespace prof::python {

EvalRange eval_ranges[kEvalRanges];

namespace {

std::atomic<unsigned> g_claimed{0};

}  // namespace

void learn_eval_loop(std::uintptr_t address) {
  if (in_eval_loop(address) || g_claimed.load(std::memory_order_relaxed) >= kEvalRanges) return;
  Object object{};
  eh::Description d{};
  if (!object_at(address, object) || eh::find_description(object, address, d) != eh::Search::Found) return;
  const unsigned mine = g_claimed.fetch_add(1);
  if (mine >= kEvalRanges) return;
  eval_ranges[mine].begin.store(d.begin, std::memory_order_relaxed);
  eval_ranges[mine].end.store(d.end, std::memory_order_release);
}

}  // namespace prof::python
