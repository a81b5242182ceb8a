#include "agent/gpu/cupti/callbacks.hpp"

#include <atomic>
#include <string_view>

#include "agent/capture/window.hpp"
#include "agent/core/clock.hpp"
#include "agent/core/counter.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/core/raw.hpp"
#include "agent/core/text.hpp"
#include "agent/gpu/calls.hpp"
#include "agent/gpu/cupti/consumer.hpp"
#include "agent/gpu/cupti/host_time.hpp"
#include "agent/gpu/cupti/kinds.hpp"
#include "agent/gpu/cupti/session.hpp"
#include "agent/gpu/device.hpp"
#include "agent/gpu/driver.hpp"
#include "agent/gpu/info.hpp"
#include "agent/gpu/launch_marks.hpp"
#include "agent/gpu/local.hpp"
#include "agent/log/file.hpp"
#include "agent/thread/threads.hpp"
#include "agent/tree/context.hpp"
#include "agent/tree/names.hpp"
#include "agent/unwind/objects.hpp"

namespace prof::gpu::cupti {
namespace {

// So much work of unseen origin is no accident.
constexpr std::uint64_t kManyUnlinked = 16;

struct Callbacks {
  std::atomic<bool> tried;
  std::atomic<bool> held;             // CUPTI's one subscription is ours
  std::atomic<std::uint32_t> ends;    // thread that ends CUPTI; 0: none
  std::atomic<std::uint32_t> number;  // of the subscription
  Subscriber subscriber;
};
PROF_WIPED constinit pages::Wiped<Callbacks> g_callbacks{};

// The driver and what stands between it and the code that meant to call it.
bool is_inner(std::uintptr_t address) {
  Object object{};
  if (!object_at(address, object)) return false;
  std::string_view file(object.name);
  file = from(file, file.rfind('/') + 1);
  return file.starts_with("libcuda.so") || file.starts_with("libcupti.so") || file.starts_with("libcudart.so") ||
         file.starts_with("libnvidia-");
}

// A thread of the driver's own, which runs what the program gave it, has it at its outermost end: not looked at.
constexpr std::uint32_t kInnerFrames = 16;

Stack without_driver(Stack stack) {
  std::uint32_t inner = 0;
  for (std::uint32_t i = 0; i < stack.depth && i < kInnerFrames; ++i) {
    if (is_inner(stack.frames[i])) inner = i + 1;
  }
  stack.frames += inner;
  stack.depth -= inner;
  return stack;
}

// The distribution of times of the call whose frame is `word`.
log::SpreadWords* spread_of(const Guard& guard, std::uint64_t word) {
  constexpr std::uint64_t kSpreads =
      log::frame_word(log::FrameKind::Special, static_cast<std::uint64_t>(log::SpecialFrame::Spreads));
  const std::uint32_t node = tree::child_of(guard, tree::child_of(guard, 0, kSpreads), word);
  if (node == 0) return nullptr;
  return reinterpret_cast<log::SpreadWords*>(
      tree::record_of(guard, node, log::RecordClass::Spread, log::kSpreadWordCount));
}

// The frame of a call; 0: it has no name.
std::uint64_t frame_of(const Guard& guard, std::uint32_t domain, std::uint32_t id) {
  const std::string_view name = call_name(session_library().functions, domain, id);
  if (name.empty()) return 0;
  const gpu::Library library = domain == kDomainRuntime ? gpu::Library::Runtime : gpu::Library::Driver;
  return log::named_frame(log::name_id(guard, log::NameKind::Api, name, to_string(library)), 0);
}

// The call is entered: what the device does for it hangs below the node that is made here.
void enter(std::uint32_t domain, std::uint32_t id) {
  if (tls.call_depth != 0 && !leave_lost_call()) return;  // it was made inside a call that is recorded
  const HookGuard guard;
  if (!guard || !log::ensure_created()) return;
  const RealCall nested;
  ThreadState& t = guard.thread();
  threads::settle(t);
  pop_late();
  resume_device();
  const std::uint64_t frame = frame_of(guard, domain, id);
  const std::uint32_t caller = frame != 0 ? tree::node_of(guard, without_driver(stack_here(guard))) : 0;
  const std::uint32_t node = frame != 0 ? tree::child_of(guard, caller, frame) : 0;
  if (node == 0 || session_library().functions.push_external(kExternalCustom2, external_id(node)) != kSuccess) return;
  const std::uint64_t now = clock::monotonic();
  mark_launch(t, now);
  local(t).told_call = {now, node, static_cast<std::uint16_t>(domain), static_cast<std::uint16_t>(id), frame};
  local(t).told_from = g_callbacks.value.number.load(std::memory_order_relaxed);
  ++tls.call_depth;
  tls.call_node = node;
}

void leave(std::uint32_t domain, std::uint32_t id, const CallbackData& data) {
  ThreadState& t = *tls.state;
  const ToldCall call = local(t).told_call;
  if (call.started == 0 || call.domain != domain || call.id != id) return;  // a call of the driver inside it
  local(t).told_call = {};
  if (--tls.call_depth == 0) tls.call_node = 0;
  const std::uint64_t now = clock::monotonic();
  const HookGuard guard;
  if (!guard) return;
  const RealCall nested;
  std::uint64_t popped = 0;
  session_library().functions.pop_external(kExternalCustom2, &popped);
  if (!capture::is_open(now)) return;
  auto* words =
      reinterpret_cast<log::ApiWords*>(tree::record_of(guard, call.node, log::RecordClass::Api, log::kApiWordCount));
  if (words == nullptr) return;
  const std::uint64_t ns = now - call.started;
  if (words->calls == 0 || ns < words->min_ns) words->min_ns = ns;
  if (ns > words->max_ns) words->max_ns = ns;
  add(words->total_ns, ns);
  if (const std::int32_t error = data.result != nullptr ? *static_cast<const std::int32_t*>(data.result) : 0) {
    add(words->failed, 1);
    words->last_error = static_cast<std::uint64_t>(error);
  }
  add(words->calls, 1);
  if (log::SpreadWords* spread = spread_of(guard, call.frame)) add(spread->count[log::spread_class(ns)], 1);
}

// A call that does nothing but let CUPTI call us: cuCtxGetCurrent.
constexpr std::uint32_t kQuietCall = 304;

void finalize(const Functions& f) {
  Callbacks& c = g_callbacks.value;
  if (c.held.exchange(false) && f.unsubscribe != nullptr) f.unsubscribe(c.subscriber);
  f.finalize();
}

void on_callback(void*, std::uint32_t domain, std::uint32_t id, const void* data) {
  if ((domain != kDomainDriver && domain != kDomainRuntime) || data == nullptr) return;
  const auto& call = *static_cast<const CallbackData*>(data);
  if (domain == kDomainDriver && id == kQuietCall) {
    std::uint32_t self = raw::tid();
    if (call.site == kSiteExit && g_callbacks.value.ends.compare_exchange_strong(self, 0))
      finalize(session_library().functions);
    return;
  }
  if (call.site == kSiteEnter)
    enter(domain, id);
  else if (call.site == kSiteExit)
    leave(domain, id, call);
}

// Without any callback yet. A client that reaches CUPTI past our functions is told by this that CUPTI is taken; else it
// would put its own buffers in the place of ours, and be given ours, which it would free.
Result hold(const Functions& f) {
  Callbacks& c = g_callbacks.value;
  if (c.held) return kSuccess;
  const Result r = f.subscribe(&c.subscriber, on_callback, nullptr);
  if (r == kSuccess) {
    ++c.number;
    c.held = true;
  }
  return r;
}

// Calls of the runtime, too, since CUPTI joins work with the outermost call that it records: where a runtime is at work
// whose functions are not ours, what is pushed inside its calls of the driver joins nothing (measured with CUDA 13.0).
// Not with PyTorch, whose calls of the runtime are seen by the interposed functions: they would be told of twice.
void subscribe(const gpu::cupti::Library& library) {
  Callbacks& c = g_callbacks.value;
  const Functions& f = library.functions;
  if (c.tried.exchange(true) || f.subscribe == nullptr || f.enable_callback == nullptr) return;
  if (const Result r = hold(f); r != kSuccess) {
    Text<200> text;
    text << "launches that no interposed function sees have no context: CUPTI gives no callbacks, error " << r << " ("
         << std::string_view(result_text(f, r)) << ')';
    tell_note(text.view());
    return;
  }
  const Subscriber subscriber = c.subscriber;
  each_classed_call([&](std::uint32_t domain, std::uint32_t id) {
    const CallClass what = call_class(domain, id);
    if ((domain == kDomainDriver || !library.torch) && (what == CallClass::Launch || what == CallClass::Copy))
      f.enable_callback(1, subscriber, domain, id);
  });
}

}  // namespace

void begin_callbacks(const gpu::cupti::Library& library) {
  const Choice choice = process().options.cuda_callbacks;
  // A PyTorch with a CUPTI of its own inside asks that one, which nobody sees: it is to find the subscription free.
  char torch[1024];
  const bool hidden = !library.programs && loaded_object("libtorch_cuda", torch, sizeof(torch));
  if (choice == Choice::Off || (hidden && choice != Choice::On)) {
    g_callbacks.value.tried = true;
    return;
  }
  if (library.functions.subscribe != nullptr) hold(library.functions);
  // Whoever initialised the driver past our functions will launch past them as well: a runtime that is linked in, or a
  // library that has its functions from the driver's own handle.
  if (choice == Choice::On || (choice == Choice::Auto && !library.torch && tls.call_depth == 0)) subscribe(library);
}

void more_callbacks(const gpu::cupti::Library& library) {
  if (process().options.cuda_callbacks != Choice::Auto || g_callbacks.value.tried) return;
  // Triton, which has its launches from the driver's own handle, is known before it launches anything.
  char triton[1024];
  if (unlinked_so_far() >= kManyUnlinked || loaded_object("libtriton", triton, sizeof(triton))) subscribe(library);
}

bool end_callbacks(bool for_good) {
  Callbacks& c = g_callbacks.value;
  const Functions& f = session_library().functions;
  const bool used = c.tried.exchange(for_good);
  if (!c.held.exchange(false) || f.unsubscribe == nullptr) return false;
  f.unsubscribe(c.subscriber);
  return used;
}

bool callbacks_told(std::uint32_t number) {
  return g_callbacks.value.held.load(std::memory_order_relaxed) &&
         g_callbacks.value.number.load(std::memory_order_relaxed) == number;
}

void detach(const gpu::cupti::Library& library) {
  Callbacks& c = g_callbacks.value;
  const Functions& f = library.functions;
  c.tried = true;
  if (f.finalize == nullptr) return;
  const RealCall nested;
  if (f.subscribe != nullptr && f.enable_callback != nullptr && hold(f) == kSuccess) {
    c.ends = raw::tid();
    if (f.enable_callback(1, c.subscriber, kDomainDriver, kQuietCall) == kSuccess) driver::call_quietly();
    std::uint32_t self = raw::tid();
    if (!c.ends.compare_exchange_strong(self, 0)) return;
  }
  finalize(f);
}

void prepare_callbacks() { pages::wipe_in_child(g_callbacks); }

}  // namespace prof::gpu::cupti
