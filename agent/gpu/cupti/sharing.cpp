#include "agent/gpu/cupti/sharing.hpp"

#include "agent/core/process.hpp"
#include "agent/core/text.hpp"
#include "agent/gpu/cupti/callbacks.hpp"
#include "agent/gpu/cupti/client.hpp"
#include "agent/gpu/cupti/consumer.hpp"
#include "agent/gpu/cupti/kinds.hpp"
#include "agent/gpu/cupti/session.hpp"
#include "agent/gpu/cupti/thread.hpp"
#include "agent/gpu/info.hpp"
#include "agent/thread/guard.hpp"
#include "agent/unwind/objects.hpp"

namespace prof::gpu::cupti {
namespace {

constexpr std::uint64_t kMostNs = 2'000'000'000;

enum class Whose { NotOurs, NotYetOurs, Ours };

// Our own calls reach CUPTI directly: who comes here is the program. A library that it uses before we do is the one
// that we shall use.
template <class F>
Whose whose(const void* real, F Functions::*function) {
  if (real == nullptr || !programs_own() || process().options.cuda != CudaMode::Device ||
      process().stage.load(std::memory_order_relaxed) != Stage::Ready)
    return Whose::NotOurs;
  switch (session_state()) {
    case State::Active:
      return reinterpret_cast<const void*>(session_library().functions.*function) == real ? Whose::Ours
                                                                                          : Whose::NotOurs;
    case State::Refused:
      return Whose::NotOurs;
    default:
      return Whose::NotYetOurs;
  }
}

bool is_kernels(Kind kind) { return kind == Kind::ConcurrentKernel || kind == Kind::Kernel; }

// Of graphs that it tells of as a whole, CUPTI does not tell the kernels: a client that wants kernels gets those.
void choose_graphs(Kind changed) {
  if ((!is_kernels(changed) && changed != Kind::GraphTrace) || !own_kind(Kind::GraphTrace)) return;
  const Functions& f = session_library().functions;
  if (client_wants_kernels())
    f.disable(Kind::GraphTrace);
  else
    f.enable(Kind::GraphTrace);
}

void note(const char* text) {
  const HookGuard guard;
  if (guard) tell_note(text);
}

// What was recorded for us before is not the client's.
void begin_kind(Kind kind) {
  if (session_active() && !client_active()) take_now(kTake, kMostNs);
  client_enables(kind);
}

// Whether the function is of a libcupti, and not of the one in use.
bool is_of_another(const void* real) {
  if (real == nullptr || !programs_own() || !session_active()) return false;
  Object theirs{}, ours{};
  const auto start = [](const void* function) { return reinterpret_cast<std::uintptr_t>(function); };
  return object_at(start(real), theirs) &&
         object_at(start(reinterpret_cast<const void*>(session_library().functions.enable)), ours) &&
         theirs.start != ours.start;
}

// The driver will refuse it: see where that library is chosen.
void note_other(const void* real) {
  if (!is_of_another(real)) return;
  char path[sizeof(Library::path)];
  path_of(real, path, sizeof(path));
  Text<2300> text;
  text << "the program profiles itself by a CUPTI of its own, which the driver refuses beside the one in use: "
          "PROF_CUPTI="
       << std::string_view(path) << " makes it the one for both";
  const HookGuard guard;
  if (guard) tell_note(text.view());
}

void give_callbacks() {
  if (end_callbacks(true))
    note(
        "launches that no interposed function sees (Triton's) have no context after the program took CUPTI's "
        "callbacks for itself");
}

}  // namespace

bool take_client(const void* real, RequestBuffer request, CompleteBuffer complete) {
  const Whose w = whose(real, &Functions::register_callbacks);
  if (w == Whose::NotOurs) return false;
  client_registers(request, complete);
  if (w == Whose::NotYetOurs) client_uses(real);
  note("the program uses CUPTI itself (PyTorch's profiler?): it is served from the same records");
  return w == Whose::Ours;
}

bool enable_for_client(const void* real, Kind kind) {
  if (whose(real, &Functions::enable) != Whose::Ours) return false;
  // Kernels one after the other, or as they come: CUPTI refuses the one who asks for the other after it.
  if (is_kernels(kind) && client_wants(kind == Kind::Kernel ? Kind::ConcurrentKernel : Kind::Kernel)) return false;
  if (kind == Kind::Kernel ? !serialise_kernels(session_library().functions, true) : !own_kind(kind)) return false;
  begin_kind(kind);
  choose_graphs(kind);
  client_begins();
  return true;
}

void dumped_by_client(const void* real, Kind kind) {
  const Whose w = whose(real, &Functions::enable_and_dump);
  if (w == Whose::NotOurs) return;
  begin_kind(kind);
  if (w == Whose::Ours) client_begins();
}

void enabled_by_client(const void* real, Kind kind) {
  const Whose w = whose(real, &Functions::enable);
  if (w == Whose::NotOurs) return;
  begin_kind(kind);
  if (w == Whose::Ours) client_begins();
}

bool disable_for_client(const void* real, Kind kind) {
  const Whose w = whose(real, &Functions::disable);
  if (w == Whose::NotOurs) return false;
  const bool wanted = client_wants(kind);
  client_disables(kind);
  if (w != Whose::Ours) return false;
  choose_graphs(kind);
  if (kind == Kind::Kernel && wanted && serialise_kernels(session_library().functions, false)) return true;
  if (kind != Kind::Runtime) return own_kind(kind);
  // Once the calls of the runtime are disabled as a whole, CUPTI records none of those that are asked for one by one
  // (measured with CUDA 13.0; those of the driver it does).
  if (wanted) keep_runtime_calls(session_library().functions);
  return true;
}

void disabled_by_client(const void* real, Kind kind) {
  if (whose(real, &Functions::disable) == Whose::Ours) restore_kind(session_library().functions, kind);
}

void flushed_by_client(const void* real) {
  const Whose w = whose(real, &Functions::flush_all);
  if (w == Whose::NotOurs) return;
  // What our thread has just been given is the client's as well.
  if (w == Whose::Ours && client_active()) take_now(kTake, kMostNs);
  client_flushed();
}

bool keeps_attribute(const void* real, std::uint32_t attribute) {
  return (attribute == kZeroedOutBuffers || attribute == kPerThreadBuffers) &&
         whose(real, &Functions::set_attribute) == Whose::Ours;
}

bool keeps_clock(const void* real, Timestamp clock) {
  if (clock == nullptr || whose(real, &Functions::register_timestamp) != Whose::Ours) return false;
  client_has_clock(clock);
  return true;
}

void clock_set_by_client(const void* real, Timestamp clock) {
  if (whose(real, &Functions::register_timestamp) == Whose::NotYetOurs) client_has_clock(clock);
}

std::size_t losses_for_client(const void* real) {
  return whose(real, &Functions::dropped) == Whose::Ours ? client_losses() : 0;
}

bool time_for_client(const void* real, std::uint64_t& time) {
  if (whose(real, &Functions::get_timestamp) != Whose::Ours) return false;
  time = client_clock()();
  return true;
}

bool leave_to_subscriber(const void* real) {
  note_other(real);
  const Whose w = whose(real, &Functions::subscribe_v2);
  if (w == Whose::NotOurs) return false;
  // Who has used CUPTI as we do has spoilt it for subscribers without us, too.
  const bool spoilt = client_known();
  if (w == Whose::Ours && (spoilt || session_library().functions.register_scoped == nullptr)) {
    give_callbacks();
    return false;
  }
  constexpr const char* kText =
      "the program has CUPTI's records delivered to a subscriber of its own (JAX's profiler? PyTorch's monitor?), "
      "which "
      "CUPTI does for one user alone: work of the devices is not recorded from then on";
  if (w == Whose::Ours) {
    take_now(kTake, kMostNs);
    const HookGuard guard;
    if (!guard) return false;
    leave_session(kText);
    return true;
  }
  if (!spoilt && has_scopes(real)) {
    const HookGuard guard;
    if (guard) refuse_session(kText);
  }
  return false;
}

// The program will set its own: until then nothing is enabled, and none of these is called.
bool subscribe_again(Result result, Subscriber subscriber) {
  const Functions& f = session_library().functions;
  const HookGuard guard;
  if (!guard) return false;
  const RealCall nested;
  if (result == kSuccess) {
    const auto request = [](std::uint8_t** buffer, std::size_t* bytes, std::size_t*, void*) {
      *buffer = nullptr;
      *bytes = 0;
    };
    const auto complete = [](std::uint8_t*, std::size_t, std::size_t, void*) {};
    if (f.register_scoped(subscriber, request, complete) != kNotCompatible) return false;
    if (f.unsubscribe != nullptr) f.unsubscribe(subscriber);
  }
  end_left_session();
  return true;
}

void leave_callbacks(const void* real) {
  note_other(real);
  if (whose(real, &Functions::subscribe) == Whose::Ours) give_callbacks();
}

void before_finalize(const void* real) {
  if (whose(real, &Functions::finalize) != Whose::Ours) return;
  // The program may be in one of CUPTI's callbacks, in the middle of a call of CUDA: the devices are not waited for.
  take_now(kTake, kMostNs);
  client_registers(nullptr, nullptr);
  {
    const HookGuard guard;
    if (!guard) return;
    suspend_session();
  }
  take_now(kTake, kMostNs);  // then our thread is out of CUPTI, and stays out
}

}  // namespace prof::gpu::cupti
