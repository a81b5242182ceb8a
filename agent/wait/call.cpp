#include "agent/wait/call.hpp"

#include "agent/capture/window.hpp"
#include "agent/core/clock.hpp"
#include "agent/core/counter.hpp"
#include "agent/core/gap.hpp"
#include "agent/core/own_time.hpp"
#include "agent/core/quick_clock.hpp"
#include "agent/core/raw.hpp"
#include "agent/log/file.hpp"
#include "agent/loops/loops.hpp"
#include "agent/ops/operators.hpp"
#include "agent/steps/steps.hpp"
#include "agent/thread/entry.hpp"
#include "agent/thread/guard.hpp"
#include "agent/thread/ready.hpp"
#include "agent/thread/vitals.hpp"
#include "agent/trace/trace.hpp"
#include "agent/tree/context.hpp"
#include "agent/wait/blocked.hpp"
#include "agent/wait/functions.hpp"
#include "agent/wait/local.hpp"
#include "agent/wait/open_call.hpp"
#include "agent/wait/sampling.hpp"
#include "agent/wait/use.hpp"

namespace prof::wait {
namespace {

// The profiler's own time is measured at one call in so many: a clock costs as much as all the rest. Of a thread's
// first calls at each of which the number doubles, and for as many as came since the one before.
constexpr std::uint32_t kMeasured = 64;
constexpr std::uint64_t kLongestNs = 20'000;  // longer ones were preempted, which is no cost of ours
// What counting a call takes is less (0.05 to 0.2 us were seen): more is what only the first call of a function has,
// and what comes of that is no others'.
constexpr std::uint64_t kUsualNs = 500;
// A sign of life from a process that does nothing but wait: so often at most.
constexpr std::uint64_t kLifeNs = 100'000'000;

bool is_measured(std::uint32_t turn) {
  const std::uint32_t next = turn + 1;
  return (next & (next < kMeasured ? turn : kMeasured - 1)) == 0;
}
std::uint32_t calls_measured(std::uint32_t turn) {
  return turn == 0 ? 1 : turn < kMeasured ? (turn + 1) / 2 : kMeasured;
}

// Of that and of the calls before it, which were not measured.
std::uint64_t of_all(std::uint32_t turn, std::uint64_t spent) {
  return spent + (calls_measured(turn) - 1) * (spent < kUsualNs ? spent : kUsualNs);
}

std::uint64_t usual_since(std::uint64_t began) {
  const std::uint64_t spent = clock::quick() - began;
  return spent < kLongestNs ? spent : kLongestNs;
}

bool forked_without_log() { return log::header() == nullptr && process().origin == log::Origin::Forked; }

// In a thread whose records are not all in place: makes them, so that who is killed in its first call shows it.
[[gnu::noinline]] std::uint64_t frame_of(const Function& function, WaitClass what) {
  if (forked_without_log()) return 0;
  const HookGuard guard;
  if (!guard || !threads::ready(guard)) return 0;
  bool news = false;
  const FunctionCounters* counters = counters_of(guard, function, what, news);
  ThreadState& t = guard.thread();
  if (local(t).use == nullptr) use_of(t);
  return counters != nullptr ? counters->frame : 0;
}

void book_context(log::WaitWords& words, const heap::Weight& weight) {
  add(words.count, weight.count);
  add(words.ns, weight.bytes);
  add(words.samples, 1);
}

// The stack of the call; null: there is no room for it.
[[gnu::noinline]] log::WaitWords* words_here(const Guard& guard, std::uint64_t frame, std::uint32_t& node) {
  const tree::Context c = tree::child_here(guard, frame, log::RecordClass::Wait, log::kWaitWordCount);
  node = c.record != nullptr ? c.node : 0;
  return reinterpret_cast<log::WaitWords*>(c.record);
}

void note_event(const ThreadState& t, std::uint64_t frame, std::uint32_t node, std::uint64_t began, std::uint64_t ended,
                std::uint64_t bytes) {
  log::TraceEvent event{};
  event.start_ns = began;
  event.end_ns = ended;
  event.frame = frame;
  event.kind = static_cast<std::uint32_t>(log::TraceKind::Wait);
  event.node = node;
  event.tid = t.tid;
  event.bytes = bytes;
  trace::note(event);
}

}  // namespace

bool wanted() {
  const Process& p = process();
  return p.options.wait && p.stage.load(std::memory_order_relaxed) == Stage::Ready;
}

bool in_vfork_child() {
  if (!tls.vforked) [[likely]]
    return false;
  if (!own_process()) return true;
  tls.vforked = false;
  return false;
}

// Most calls stand in no other one and are of a function that is known. What is needed for these stands together and
// is short, since its code has to come from memory, too; whatever is otherwise about a call sends it the other way,
// which knows all.
[[gnu::hot]] void Call::enter(std::uintptr_t caller) {
  ThreadState& t = *tls.state;
  Local& w = local(t);
  const FunctionCounters* counters = counters_if_there(t, function_, what_);
  if (counters == nullptr || w.use == nullptr || w.at != 0 || tls.vforked || !wanted()) [[unlikely]]
    return enter_slowly(caller);
  entered_ = true;
  expect_count(*counters);
  started_ = clock::quick();
  w.nested_ns = 0;
  set_open_call(w, caller, place(), counters->frame);
  show_open(w.use, counters->frame, started_);
  if (may_last(*counters, what_)) [[unlikely]]
    locate(*counters);
}

// Before the call, what is left of its context stays true of it: its caller waits for it.
[[gnu::noinline]] void Call::locate(const FunctionCounters& counters) {
  ThreadState& t = *tls.state;
  if (counters.spread != nullptr && counters.last < log::spread_class(sure_ns(local(t)))) return;
  const HookGuard guard(t);
  if (!guard || !capture::is_open(started_)) return;
  const int kept = errno;
  const OwnTime own(t.cpu_seen);
  words_ = words_here(guard, counters.frame, node_);
  started_ = clock::quick();  // that was none of the call's time
  show_open(local(t).use, counters.frame, started_);
  if (node_ != 0) {
    show_node(local(t).use, node_, started_);
    local(t).last_node = node_;
  }
  const std::uint64_t spent = own.until(clock::monotonic());
  add(t.record->agent_ns, spent);
  note_stack(t, spent < kLongestNs ? spent : kLongestNs, clock::quick());
  errno = kept;
}

[[gnu::noinline]] void Call::enter_slowly(std::uintptr_t caller) {
  if (!wanted() || in_vfork_child()) return;
  ThreadState& t = *tls.state;
  // What waits for a device is one call: what it does meanwhile is its own doing.
  if (local(t).of_device && around(t, place())) return;
  entered_ = true;
  if (t.record == nullptr) {  // not registered, or in a process that is none of ours yet
    started_ = clock::quick();
    return;
  }
  const FunctionCounters* counters = counters_if_there(t, function_, what_);
  // A lock that was free before has counters, and nothing else.
  const bool whole = counters != nullptr && local(t).use != nullptr;
  const std::uint64_t frame = whole ? counters->frame : frame_of(function_, what_);
  started_ = clock::quick();
  begin_open_call(t, place(), caller, frame, started_, outer_);
  if (const FunctionCounters* there = counters_if_there(t, function_, what_);
      there != nullptr && local(t).use != nullptr && may_last(*there, what_))
    locate(*there);
}

[[gnu::hot]] void Call::done(int error, std::uint64_t bytes) {
  if (!entered_) return;
  entered_ = false;
  ended_ = true;
  const std::uint64_t ended = clock::quick();
  const std::uint64_t ns = ended > started_ ? ended - started_ : 0;
  ThreadState& t = *tls.state;
  Local& w = local(t);
  if (FunctionCounters* counters = counters_if_there(t, function_, what_)) [[likely]] {
    const HookGuard guard(t);
    // In no other call, nor around one; neither sampled nor measured; and nobody else wants to know of it, as the
    // training step does of all that are not short, whatever the thread's limit is.
    if (guard && w.at == place() && outer_.at == 0 && w.nested_ns == 0 && !is_measured(w.turn) && ns < log::kWaitSure &&
        !is_chosen(w, ns) && counters->spread != nullptr && !capture::state.narrowed && !trace::wanted() &&
        !wants_waits()) [[likely]] {
      // What is stored here is stored while the guard is entered, as a handler sees it.
      __atomic_signal_fence(__ATOMIC_SEQ_CST);
      ns_ = ns;
      leave_outermost(w);
      ++w.turn;
      w.budget -= static_cast<std::int64_t>(ns);
      count_total(*counters->totals, ns, error, bytes);
      count_spread(*counters, ns);
      __atomic_signal_fence(__ATOMIC_SEQ_CST);
      return;
    }
  }
  done_slowly(ended, error, bytes);
}

[[gnu::noinline]] void Call::done_slowly(std::uint64_t ended, int error, std::uint64_t bytes) {
  ns_ = ended > started_ ? ended - started_ : 0;
  ThreadState& t = *tls.state;
  if (local(t).at != place()) forget_context();
  if (t.record == nullptr) return late(ended, 0, error, bytes);
  const std::uint64_t nested = end_open_call(t, place(), ns_, outer_);
  if (t.awaits_stack) [[unlikely]] {  // what a thread of a pool does next may be what it must have the stack for
    if (const HookGuard guard(t); guard) ticks::end_pause(t);
  }
  if (wants_waits()) note_blocked(started_, ended);
  FunctionCounters* counters = counters_if_there(t, function_, what_);
  if (counters == nullptr) return late(ended, nested, error, bytes);
  const HookGuard guard(t);
  if (guard) book(guard, *counters, ended, nested, error, bytes);
}

// A thread that was not known, or whose records are not in place. A forked child that has told nothing yet makes no log
// for what most of them do before they become another program.
[[gnu::noinline]] void Call::late(std::uint64_t ended, std::uint64_t nested, int error, std::uint64_t bytes) {
  forget_context();
  if (forked_without_log() && ns_ < log::kWaitSure) return;
  const HookGuard guard;
  if (!guard || !threads::ready(guard)) return;
  const std::uint64_t born = process().start_monotonic_ns;
  if (started_ < born) {  // it was called before the fork
    started_ = born;
    ns_ = ended > born ? ended - born : 0;
  }
  bool news = false;
  if (FunctionCounters* counters = counters_of(guard, function_, what_, news); counters != nullptr)
    book(guard, *counters, ended, nested < ns_ ? nested : ns_, error, bytes);
}

void Call::book(const Guard& guard, FunctionCounters& counters, std::uint64_t ended, std::uint64_t nested, int error,
                std::uint64_t bytes) {
  ThreadState& t = guard.thread();
  const std::uint64_t all = ns_;
  ns_ = capture::within(started_, ended);
  if (ns_ == 0 && all != 0) return;
  if (nested > ns_) nested = ns_;
  const std::uint32_t turn = local(t).turn++;
  const bool measured = is_measured(turn);
  count_call(guard, counters, ns_, nested, error, bytes);
  heap::Weight weight{};
  steps::waited(guard, what_, started_, ended, ns_ - nested, ops::in_operator);
  const bool sampled = chosen(t, ns_ - nested, weight);
  std::uint64_t spent = 0;
  if (sampled) {
    const int kept = errno;
    spent = usual_since(ended);
    const OwnTime own(t.cpu_seen);
    if (words_ == nullptr) words_ = words_here(guard, counters.frame, node_);
    if (words_ != nullptr) book_context(*words_, weight);
    local(t).last_node = node_;
    if (node_ != 0) loops::seen(t, node_, ns_ - nested);
    const log::Header* h = log::header();
    if (h != nullptr && ended > h->last_monotonic_ns + kLifeNs) note_life(guard, ended);
    spent += own.until(clock::monotonic());
    errno = kept;
  }
  if (trace::wanted() && all >= process().options.wait_threshold)
    note_event(t, counters.frame, node_, started_, ended, error == 0 ? bytes : 0);
  if (!sampled && !measured) return;
  if (measured && turn > kMeasured) clock::tune(ended);
  if (!sampled) return add(t.record->agent_ns, of_all(turn, usual_since(ended)));
  add(t.record->agent_ns, spent);
  note_stack(t, spent < kLongestNs ? spent : kLongestNs, clock::quick());
}

void begin_thread(ThreadState& t) {
  Local& w = local(t);
  w.use = nullptr;  // it may be another slot's
  begin_functions(t);
  leave_open_call(t);
  w.stretched = 0;
  w.stacks = {};
  begin_sampling(t);
  w.began = clock::monotonic();
  w.last_node = 0;
  begin_use(t);
}

void forget_left_call(ThreadState& t, std::uintptr_t sp) {
  const std::uintptr_t at = local(t).at;
  if (at != 0 && sp > at && within(t.bounds, sp) && within(t.bounds, at)) leave_open_call(t);
}

void end_thread(ThreadState& t) {
  Local& w = local(t);
  const std::uint64_t frame = w.at != 0 ? w.frame : 0, nested = w.nested_ns;
  const std::uint64_t since = w.use != nullptr ? w.use->open_since : 0;
  leave_open_call(t);
  if (frame == 0 || since == 0) return;
  const HookGuard guard(t);
  if (!guard || w.calls == nullptr || w.calls->slot != t.slot) return;
  const std::uint64_t ended = clock::monotonic();
  const std::uint64_t ns = capture::within(since, ended);
  if (ns == 0) return;
  const std::uint64_t inside = nested < ns ? nested : ns;
  for (std::uint32_t i = 1; i <= w.calls->most; ++i) {
    FunctionCounters& counters = w.calls->counters[i];
    if (counters.frame != frame) continue;
    const int kept = errno;
    count_call(guard, counters, ns, inside, 0, 0);
    heap::Weight weight{};
    std::uint32_t node = 0;
    if (chosen(t, ns - inside, weight)) {
      if (log::WaitWords* words = words_here(guard, frame, node)) book_context(*words, weight);
    }
    errno = kept;
    return;
  }
}

}  // namespace prof::wait
