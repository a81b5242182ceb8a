#include "agent/gpu/calls.hpp"

#include "agent/capture/window.hpp"
#include "agent/core/clock.hpp"
#include "agent/core/counter.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/core/quick_clock.hpp"
#include "agent/gpu/device.hpp"
#include "agent/gpu/launch_marks.hpp"
#include "agent/gpu/local.hpp"
#include "agent/ops/operators.hpp"
#include "agent/range/ranges.hpp"
#include "agent/steps/steps.hpp"
#include "agent/thread/guard.hpp"
#include "agent/thread/ready.hpp"
#include "agent/trace/trace.hpp"
#include "agent/tree/context.hpp"
#include "agent/tree/names.hpp"
#include "agent/wait/call.hpp"
#include "agent/wait/local.hpp"
#include "agent/wait/open_call.hpp"

namespace prof::gpu {
namespace {

// Functions that a thread finds again without a look-up: more than any program calls.
constexpr std::uint32_t kKnown = 680;
// The profiler's own time is measured at one call in so many: a clock costs as much as all the rest.
constexpr std::uint32_t kMeasured = 64;
// Longer ones were preempted, which is no cost of ours; what is met for the first time takes longer.
constexpr std::uint64_t kLongestNs = 20'000, kLongestNewsNs = 1'000'000;

constinit std::atomic<std::uint32_t> g_numbers{0};

std::uint64_t spent_since(std::uint64_t began, std::uint64_t longest) {
  const std::uint64_t now = clock::quick();
  const std::uint64_t spent = now > began ? now - began : 0;
  return spent < longest ? spent : longest;
}

}  // namespace

// What a thread keeps of the functions that it calls, by their numbers.
struct ThreadCalls {
  struct Known {
    std::uint64_t frame;   // 0: nothing of this is set
    log::ApiWords* words;  // of a call without a stack, below the range `root`
    log::SpreadWords* spread;
    std::uint32_t root;
  };
  // Whether the thread is yet to learn of the function with that number.
  bool is_news(std::uint32_t number) const { return number - 1 >= kKnown || known[number - 1].frame == 0; }

  std::uint32_t slot;  // of the thread for which the records were found
  std::uint32_t turn;
  Known others;  // of a function beyond the room below: for the call that asks
  Known known[kKnown];
};

namespace {

using Known = ThreadCalls::Known;

std::uint32_t number_of(const Api& api) {
  std::uint32_t number = api.number.load(std::memory_order_relaxed);
  if (number != 0) return number;
  const std::uint32_t mine = g_numbers.fetch_add(1, std::memory_order_relaxed) + 1;
  return api.number.compare_exchange_strong(number, mine, std::memory_order_relaxed) ? mine : number;
}

ThreadCalls* calls_of(ThreadState& t) {
  ThreadCalls* calls = local(t).calls;
  if (calls != nullptr && calls->slot == t.slot) [[likely]]
    return calls;
  if (calls == nullptr) {
    calls = static_cast<ThreadCalls*>(pages::map(sizeof(ThreadCalls), pages::InChild::Gone));
    if (calls == nullptr) return nullptr;
    local(t).calls = calls;
  } else {
    for (Known& k : calls->known) k = {};
  }
  calls->slot = t.slot;
  calls->turn = kMeasured / 2;
  return calls;
}

[[gnu::noinline]] bool learn(const Guard& guard, const Api& api, const char* called, Known& known) {
  const std::uint32_t name = log::name_id(guard, log::NameKind::Api, called, to_string(api.library));
  if (name == 0) return false;
  const std::uint64_t frame = log::named_frame(name, 0);
  constexpr std::uint64_t kSpreads =
      log::frame_word(log::FrameKind::Special, static_cast<std::uint64_t>(log::SpecialFrame::Spreads));
  const std::uint32_t spreads = tree::child_of(guard, 0, kSpreads);
  const std::uint32_t spread = spreads != 0 ? tree::child_of(guard, spreads, frame) : 0;
  if (spread == 0) return false;
  known.spread = reinterpret_cast<log::SpreadWords*>(
      tree::record_of(guard, spread, log::RecordClass::Spread, log::kSpreadWordCount));
  if (known.spread == nullptr) return false;
  known.frame = frame;
  return true;
}

// Where the calls without a stack are counted; null: there is no room.
log::ApiWords* words_below_range(const Guard& guard, Known& known) {
  const std::uint32_t root = range::root_node();
  if (known.words != nullptr && known.root == root) [[likely]]
    return known.words;
  const std::uint32_t node = tree::child_of(guard, root, known.frame);
  known.words =
      node == 0
          ? nullptr
          : reinterpret_cast<log::ApiWords*>(tree::record_of(guard, node, log::RecordClass::Api, log::kApiWordCount));
  known.root = root;
  return known.words;
}

// What the thread knows of the function; null: there is no room to record it, which was counted. `news`: it was not
// known before.
Known* known_of(const Guard& guard, ThreadCalls& calls, const Api& api, const char* called, bool& news) {
  const std::uint32_t number = number_of(api);
  Known& known = number <= kKnown ? calls.known[number - 1] : calls.others;
  news = number > kKnown || known.frame == 0;
  if (!news) [[likely]]
    return &known;
  known = {};
  return learn(guard, api, called, known) ? &known : nullptr;
}

void add_call(log::ApiWords& words, std::uint64_t ns, const Api& api, std::int64_t error, std::uint64_t bytes,
              std::uint64_t flops) {
  if (words.calls == 0 || ns < words.min_ns) words.min_ns = ns;
  if (ns > words.max_ns) words.max_ns = ns;
  add(words.total_ns, ns);
  if (error != 0 && (error != api.not_ready || api.not_ready == 0)) {
    add(words.failed, 1);
    words.last_error = static_cast<std::uint64_t>(error);
  } else {
    add(words.bytes, bytes);
    add(words.flops, flops);
  }
  add(words.calls, 1);
}

}  // namespace

const char* to_string(Library library) {
  constexpr const char* names[] = {"CUDA runtime", "CUDA driver", "cuBLAS",   "cuBLASLt", "cuDNN",
                                   "cuFFT",        "cuRAND",      "cuSPARSE", "cuSOLVER", "NCCL"};
  static_assert(sizeof(names) / sizeof(names[0]) == static_cast<std::size_t>(Library::Count));
  return names[static_cast<std::size_t>(library)];
}

Call::Call(const Api& api, const char* name, const void* caller) : api_(api), name_(name) {
  if (process().options.cuda == CudaMode::Off || process().stage.load(std::memory_order_relaxed) == Stage::Off) return;
  entered_ = true;
  if (tls.call_depth != 0 && tls.suppressed == 0) [[unlikely]]
    leave_lost_call();
  if (tls.call_depth++ != 0 || tls.suppressed != 0) return;
  begin_device();
  active_ = true;
  if (!capture::is_open()) return;
  recorded_ = true;
  if (api.role != Role::Plain) locate();
  started_ = clock::quick();
  if (api.role == Role::Plain) return;
  if (node_ != 0 && (api.role == Role::Launch || api.role == Role::Copy || api.role == Role::Library)) {
    launches();
    started_ = clock::quick();
  }
  if (api.role == Role::Sync && node_ != 0 && wait::wanted()) begin_wait(caller);
}

void Call::launches() {
  pushed_ = push_context(node_);
  if (pushed_) mark_launch(*tls.state, started_);
}

// What the thread does meanwhile is part of the wait: its CPU time is booked on the call's own frame.
[[gnu::noinline]] void Call::begin_wait(const void* caller) {
  ThreadState& t = *tls.state;
  const std::uint32_t at = api_.number.load(std::memory_order_relaxed) - 1;
  if (at >= kKnown) return;
  wait::begin_open_call(t, reinterpret_cast<std::uintptr_t>(this), reinterpret_cast<std::uintptr_t>(caller),
                        calls_->known[at].frame, started_, outer_);
  wait::show_node(wait::local(t).use, node_, started_);
  wait::local(t).of_device = true;
  waits_ = true;
}

void Call::end_wait(const Guard& guard, std::uint64_t ns) {
  auto* words =
      reinterpret_cast<log::WaitWords*>(tree::record_of(guard, node_, log::RecordClass::Wait, log::kWaitWordCount));
  if (words == nullptr) return;
  add(words->count, log::kCountUnit);
  add(words->ns, ns - nested_ns_);
  add(words->samples, 1);
  steps::waited(guard, log::WaitClass::Gpu, started_, started_ + ns, ns - nested_ns_, ops::in_operator);
}

[[gnu::noinline]] void Call::locate() {
  const HookGuard guard;
  if (!guard || !threads::ready(guard)) return;
  ThreadState& t = guard.thread();
  ThreadCalls* calls = calls_of(t);
  if (calls == nullptr) return;
  const bool measured = calls->turn % kMeasured == 0;
  bool news = calls->is_news(api_.number.load(std::memory_order_relaxed));
  const std::uint64_t began = measured || news ? clock::quick() : 0;
  const Known* known = known_of(guard, *calls, api_, name_, news);
  if (known == nullptr) return;
  const tree::Context here = tree::child_here(guard, known->frame, log::RecordClass::Api, log::kApiWordCount);
  if (here.record == nullptr) return;
  calls_ = calls;
  words_ = reinterpret_cast<log::ApiWords*>(here.record);
  node_ = here.node;
  tls.call_node = node_;
  if (news)
    add(t.record->agent_ns, spent_since(began, kLongestNewsNs));
  else if (measured)
    add(t.record->agent_ns, kMeasured * spent_since(began, kLongestNs));
}

void Call::done(std::int64_t error) {
  if (!recorded_) return;
  const std::uint64_t ended = clock::quick();
  if (pushed_) pop_context();
  ThreadState& t = *tls.state;
  if (waits_) {
    const std::uint64_t ns = ended > started_ ? ended - started_ : 0;
    nested_ns_ = wait::end_open_call(t, reinterpret_cast<std::uintptr_t>(this), ns, outer_);
    wait::local(t).of_device = false;
  }
  const std::uint32_t at = api_.number.load(std::memory_order_relaxed) - 1;
  // The quick door is for the thread whose records are all in place.
  if (t.record != nullptr && local(t).calls != nullptr && local(t).calls->slot == t.slot && at < kKnown &&
      local(t).calls->known[at].frame != 0) [[likely]] {
    const HookGuard guard(t);
    if (guard) book(guard, ended, error);
  } else {
    const HookGuard guard;
    if (guard && threads::ready(guard)) book(guard, ended, error);
  }
}

// Work that a library was asked for is counted below the operator that asked, too.
[[gnu::noinline]] void Call::book_operator(const Guard& guard, std::uint64_t frame, std::uint64_t ns,
                                           std::int64_t error) {
  const std::uint32_t op = ops::current_node(guard.thread());
  const std::uint32_t node = op != 0 ? tree::child_of(guard, op, frame) : 0;
  if (node == 0) return;
  auto* words =
      reinterpret_cast<log::ApiWords*>(tree::record_of(guard, node, log::RecordClass::Api, log::kApiWordCount));
  if (words != nullptr) add_call(*words, ns, api_, error, bytes, flops);
}

void Call::book(const Guard& guard, std::uint64_t ended, std::int64_t error) {
  ThreadState& t = guard.thread();
  ThreadCalls* calls = calls_of(t);
  if (calls == nullptr) return;
  const bool measured = calls->turn++ % kMeasured == 0;
  if (measured) clock::tune(ended);
  bool news = false;
  Known* known = known_of(guard, *calls, api_, name_, news);
  if (known == nullptr) return;
  // Not what was found before a fork in the middle of the call.
  log::ApiWords* words = api_.role == Role::Plain ? words_below_range(guard, *known)
                         : calls == calls_        ? words_
                                                  : nullptr;
  if (words == nullptr) return;
  const std::uint64_t ns = ended > started_ ? ended - started_ : 0;
  add_call(*words, ns, api_, error, bytes, flops);
  add(known->spread->count[log::spread_class(ns)], 1);
  if (waits_) end_wait(guard, ns);
  if (api_.role == Role::Copy) steps::took(guard, log::StepPart::Copy, started_, ended);
  if (api_.library == Library::Nccl) steps::took(guard, log::StepPart::Communication, started_, ended);
  if (flops != 0) book_operator(guard, known->frame, ns, error);
  // Of a launch that CUPTI knows of, the event comes with its records, and with what joins it to the device's work.
  if (trace::wanted() && (!pushed_ || api_.role == Role::Library)) {
    log::TraceEvent event{};
    event.start_ns = started_;
    event.end_ns = ended;
    event.frame = known->frame;
    event.kind = static_cast<std::uint32_t>(log::TraceKind::Api);
    event.node = node_;
    event.tid = t.tid;
    event.bytes = bytes;
    trace::note(event);
  }
  if (news)
    add(t.record->agent_ns, spent_since(ended, kLongestNewsNs));
  else if (measured)
    add(t.record->agent_ns, kMeasured * spent_since(ended, kLongestNs));
}

void Call::leave() {
  entered_ = false;
  if (--tls.call_depth == 0) tls.call_node = 0;
}

}  // namespace prof::gpu
