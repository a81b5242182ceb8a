#include "agent/wait/functions.hpp"

#include "agent/core/counter.hpp"
#include "agent/core/pages.hpp"
#include "agent/tree/context.hpp"
#include "agent/tree/names.hpp"
#include "agent/wait/local.hpp"

namespace prof::wait {
namespace {

constinit std::atomic<std::uint32_t> g_numbers{0};

// 0: there is no room for it.
std::uint32_t number_of(const Function& function, WaitClass what) {
  std::atomic<std::uint16_t>& to = function.numbers[static_cast<std::uint32_t>(what)];
  std::uint16_t number = to.load(std::memory_order_relaxed);
  if (number != 0 || g_numbers.load(std::memory_order_relaxed) >= kFunctions - 1) return number;
  const std::uint32_t mine = g_numbers.fetch_add(1, std::memory_order_relaxed) + 1;
  if (mine >= kFunctions) return 0;
  return to.compare_exchange_strong(number, static_cast<std::uint16_t>(mine), std::memory_order_relaxed) ? mine
                                                                                                         : number;
}

ThreadCalls& calls_of(ThreadState& t) {
  ThreadCalls& calls = *local(t).calls;
  if (calls.slot != t.slot) {
    for (std::uint32_t i = 0; i <= calls.most; ++i) calls.counters[i] = {};
    calls.most = 0;
    calls.slot = t.slot;
  }
  begin_functions(t);
  return calls;
}

std::uint32_t below(const Guard& guard, log::SpecialFrame root, std::uint64_t frame) {
  const std::uint32_t node =
      tree::child_of(guard, 0, log::frame_word(log::FrameKind::Special, static_cast<std::uint64_t>(root)));
  return node != 0 ? tree::child_of(guard, node, frame) : 0;
}

[[gnu::noinline]] bool learn(const Guard& guard, const Function& function, WaitClass what, FunctionCounters& counters) {
  const std::uint32_t name =
      log::name_id(guard, log::NameKind::Wait, function.name, log::kWaitClassNames[static_cast<std::uint32_t>(what)]);
  if (name == 0) return false;
  const std::uint64_t frame = log::named_frame(name, 0);
  const std::uint32_t node = below(guard, log::SpecialFrame::Waits, frame);
  if (node == 0) return false;
  counters.totals = reinterpret_cast<log::WaitTotalWords*>(
      tree::record_of(guard, node, log::RecordClass::WaitTotal, log::kWaitTotalWordCount));
  if (counters.totals == nullptr) return false;
  counters.frame = frame;
  return true;
}

// The calls so far come with it, as far as they are still known. No call is as short as class 0.
[[gnu::noinline]] void begin_spread(const Guard& guard, FunctionCounters& counters, bool first) {
  const std::uint32_t node = below(guard, log::SpecialFrame::Spreads, counters.frame);
  if (node == 0) return;
  counters.spread = reinterpret_cast<log::SpreadWords*>(
      tree::record_of(guard, node, log::RecordClass::Spread, log::kSpreadWordCount));
  if (counters.spread == nullptr) return;
  if (!first) return;
  for (const std::uint8_t c : counters.early) add(counters.spread->count[c], c != 0 ? 1 : 0);
}

}  // namespace

void begin_functions(ThreadState& t) {
  Local& w = local(t);
  w.counters = w.calls->slot == t.slot && t.record != &t.early ? w.calls->counters : nullptr;
}

FunctionCounters* counters_of(const Guard& guard, const Function& function, WaitClass what, bool& news) {
  ThreadCalls& calls = calls_of(guard.thread());
  const std::uint32_t number = number_of(function, what);
  FunctionCounters& counters = number != 0 ? calls.counters[number] : calls.others;
  news = number == 0 || counters.frame == 0;
  if (!news) [[likely]]
    return &counters;
  if (number > calls.most) calls.most = number;
  counters = {};
  return learn(guard, function, what, counters) ? &counters : nullptr;
}

void count_call(const Guard& guard, FunctionCounters& counters, std::uint64_t ns, std::uint64_t nested_ns, int error,
                std::uint64_t bytes) {
  log::WaitTotalWords& w = *counters.totals;
  const std::uint64_t before = w.calls;
  if (before == 0) w.min_ns = ns;
  if (nested_ns != 0) add(w.nested_ns, nested_ns);
  count_total(w, ns, error, bytes);
  if (counters.spread == nullptr) [[unlikely]] {
    if (before < kWithoutSpread) {
      counters.early[before] = static_cast<std::uint8_t>(log::spread_class(ns));
      return;
    }
    begin_spread(guard, counters, before == kWithoutSpread);
    if (counters.spread == nullptr) return;
  }
  count_spread(counters, ns);
}

}  // namespace prof::wait
