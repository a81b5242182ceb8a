#include "agent/ops/ending.hpp"

#include "agent/core/counter.hpp"
#include "agent/core/process.hpp"
#include "agent/core/quick_clock.hpp"
#include "agent/log/conditions.hpp"
#include "agent/log/file.hpp"
#include "agent/ops/detached.hpp"
#include "agent/ops/events.hpp"
#include "agent/ops/other_thread.hpp"
#include "agent/ops/stacks.hpp"
#include "agent/steps/steps.hpp"
#include "agent/thread/thread_state.hpp"
#include "agent/trace/trace.hpp"
#include "agent/tree/context.hpp"

namespace prof::ops {
namespace {

std::uint64_t ns_of(const Open& open, std::uint64_t ended) { return ended > open.started ? ended - open.started : 0; }

void book(log::OperatorWords& words, const Open& open, std::uint64_t ns, std::uint64_t nested_ns) {
  if (words.calls == 0 || ns < words.min_ns) words.min_ns = ns;
  if (ns > words.max_ns) words.max_ns = ns;
  add(words.total_ns, ns);
  add(words.nested_ns, nested_ns);
  add(words.calls, 1);
  if (open.flops != 0) add(words.flops, open.flops);
  if (open.unlinked) add(words.unlinked, 1);
}

// Ends the operator at `i` of those that are open. Whether a range ends with it.
inline bool close(const Guard& guard, Thread& mine, std::uint32_t i, std::uint64_t ended, bool by_other_thread) {
  const Open& open = mine.open[i];
  const bool ranged = open.ranged;
  if (open.words != nullptr) {
    const std::uint64_t ns = ns_of(open, ended);
    book(*open.words, open, ns, by_other_thread ? ns : open.nested_ns);
    steps::operator_ends(guard, open.role, false, ended);
    if (i > 0) mine.open[i - 1].nested_ns += ns;
    if (!ranged && trace::wanted()) [[unlikely]]
      note_event(guard, common.torch, open, ns, by_other_thread);  // a range has its own event
  }
  if (mine.stacks != nullptr) [[unlikely]] {
    mine.stacks->end(guard, common.torch, i);
    mine.stacks->drop(i, mine.depth - i - 1);
  }
  // Those of the program's own that began within it may go on.
  for (++i; i < mine.depth; ++i) [[unlikely]] mine.open[i - 1] = mine.open[i];
  --mine.depth;
  return ranged;
}

// Of none that is open on the thread.
[[gnu::noinline]] void end_unknown(const Guard& guard, Thread& mine, const RecordFunction* function,
                                   std::uint64_t ended) {
  if (end_detached(guard, function, ended)) return;
  if (mine.too_deep > 0)
    --mine.too_deep;
  else if (!on_stack(mine, function))
    note_end_on_other_thread(function, ended);
  else
    count_loss(log::Loss::OperatorUnbalanced);
}

}  // namespace

bool end(const Guard& guard, Thread& mine, const RecordFunction* function) {
  const std::uint64_t ended = clock::quick();
  clock::tune(ended);
  std::uint32_t i = mine.depth;
  while (i > 0 && mine.open[i - 1].function != function) [[unlikely]]-- i;
  if (i == 0) [[unlikely]] {
    end_unknown(guard, mine, function, ended);
    return false;
  }
  return close(guard, mine, i - 1, ended, false);
}

std::uint32_t end_on_other_thread(const Guard& guard, Thread& mine) {
  std::uint32_t ranges = 0;
  mine.other_ends = noted_on_other_thread();
  for (std::uint32_t i = mine.depth; i > 0; --i) {
    const Open& open = mine.open[i - 1];
    if (open.on_stack) continue;
    const std::uint64_t ended = take_end_on_other_thread(open.function, open.started);
    if (ended != 0 && close(guard, mine, i - 1, ended, true)) ++ranges;
  }
  return ranges;
}

bool end_detached(const Guard& guard, const RecordFunction* function, std::uint64_t ended) {
  Open open{};
  if (!take_detached(function, open)) return false;
  auto* words = reinterpret_cast<log::OperatorWords*>(
      tree::record_of(guard, open.node, log::RecordClass::Operator, log::kOperatorWordCount));
  const std::uint64_t ns = ns_of(open, ended);
  if (words != nullptr) book(*words, open, ns, ns);
  steps::operator_ends(guard, open.role, true, ended);
  return true;
}

}  // namespace prof::ops
