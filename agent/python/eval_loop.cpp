#include "agent/python/eval_loop.hpp"

#include <atomic>

#include "agent/python/stack_switchers.hpp"
#include "agent/unwind/eh_frame.hpp"

namespace prof::python {

EvalRange eval_ranges[kEvalRanges];

namespace {

std::atomic<unsigned> g_claimed{0};

}  // namespace

void learn_eval_loop(std::uintptr_t address) {
  const unsigned known = g_claimed.load(std::memory_order_relaxed);
  if (in_eval_loop(address) || known >= kEvalRanges) return;
  // Of a stack that greenlet is about to switch the frames are one greenlet's and the objects on it another's: what
  // would be learned is whoever switches.
  if (known != 0 && greenlets_seen()) return;
  Object object{};
  eh::Description d{};
  if (!object_at(address, object) || eh::find_description(object, address, d) != eh::Search::Found) return;
  // All of it is in one file.
  const std::uintptr_t first = eval_ranges[0].begin.load(std::memory_order_relaxed);
  if (first != 0 && (first < object.start || first >= object.end)) return;
  const unsigned mine = g_claimed.fetch_add(1);
  if (mine >= kEvalRanges) return;
  eval_ranges[mine].begin.store(d.begin, std::memory_order_relaxed);
  eval_ranges[mine].end.store(d.end, std::memory_order_release);
}

}  // namespace prof::python
