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
    for (std::uint32_t i = 0; i <= calls.most; ++i) calls.known[i] = {};
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

[[gnu::noinline]] bool learn(const Guard& guard, const Function& function, WaitClass what, Known& known) {
  const std::uint32_t name =
      log::name_id(guard, log::NameKind::Wait, function.name, log::kWaitClassNames[static_cast<std::uint32_t>(what)]);
  if (name == 0) return false;
  const std::uint64_t frame = log::named_frame(name, 0);
  const std::uint32_t node = below(guard, log::SpecialFrame::Waits, frame);
  if (node == 0) return false;
  known.totals = reinterpret_cast<log::WaitTotalWords*>(
      tree::record_of(guard, node, log::RecordClass::WaitTotal, log::kWaitTotalWordCount));
  if (known.totals == nullptr) return false;
  known.frame = frame;
  return true;
}

// The calls so far come with it, as far as they are still known. No call is as short as class 0.
[[gnu::noinline]] void begin_spread(const Guard& guard, Known& known, bool first) {
  const std::uint32_t node = below(guard, log::SpecialFrame::Spreads, known.frame);
  if (node == 0) return;
  known.spread = reinterpret_cast<log::SpreadWords*>(
      tree::record_of(guard, node, log::RecordClass::Spread, log::kSpreadWordCount));
  if (known.spread == nullptr) return;
  if (!first) return;
  for (const std::uint8_t c : known.early) add(known.spread->count[c], c != 0 ? 1 : 0);
}

}  // namespace

void begin_functions(ThreadState& t) {
  Local& w = local(t);
  w.known = w.calls->slot == t.slot && t.record != &t.early ? w.calls->known : nullptr;
}

Known* known_of(const Guard& guard, const Function& function, WaitClass what, bool& news) {
  ThreadCalls& calls = calls_of(guard.thread());
  const std::uint32_t number = number_of(function, what);
  Known& known = number != 0 ? calls.known[number] : calls.others;
  news = number == 0 || known.frame == 0;
  if (!news) [[likely]]
    return &known;
  if (number > calls.most) calls.most = number;
  known = {};
  return learn(guard, function, what, known) ? &known : nullptr;
}

void count_call(const Guard& guard, Known& known, std::uint64_t ns, std::uint64_t nested_ns, int error,
                std::uint64_t bytes) {
  log::WaitTotalWords& w = *known.totals;
  const std::uint64_t before = w.calls;
  if (before == 0) w.min_ns = ns;
  if (nested_ns != 0) add(w.nested_ns, nested_ns);
  count_total(w, ns, error, bytes);
  if (known.spread == nullptr) [[unlikely]] {
    if (before < kWithoutSpread) {
      known.early[before] = static_cast<std::uint8_t>(log::spread_class(ns));
      return;
    }
    begin_spread(guard, known, before == kWithoutSpread);
    if (known.spread == nullptr) return;
  }
  count_spread(known, ns);
}

}  // namespace prof::wait
