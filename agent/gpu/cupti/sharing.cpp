#include "agent/gpu/cupti/sharing.hpp"

#include "agent/core/guard.hpp"
#include "agent/gpu/cupti/callbacks.hpp"
#include "agent/gpu/cupti/client.hpp"
#include "agent/gpu/cupti/consumer.hpp"
#include "agent/gpu/cupti/kinds.hpp"
#include "agent/gpu/cupti/session.hpp"
#include "agent/gpu/cupti/thread.hpp"
#include "agent/gpu/info.hpp"
#include "agent/process/process.hpp"

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

void note(const char* text) {
  const HookGuard guard;
  if (guard) tell_note(text);
}

}  // namespace

bool take_client(const void* real, RequestBuffer request, CompleteBuffer complete) {
  const Whose w = whose(real, &Functions::register_callbacks);
  if (w == Whose::NotOurs) return false;
  client_registers(request, complete);
  note("the program uses CUPTI itself (PyTorch's profiler?): it is served from the same records");
  return w == Whose::Ours;
}

bool enable_for_client(const void* real, Kind kind) {
  if (whose(real, &Functions::enable) != Whose::Ours || !own_kind(kind)) return false;
  // What was recorded for us before is not the client's.
  if (!client_active()) take_now(kTake, kMostNs);
  client_enables(kind);
  return true;
}

void enabled_by_client(const void* real, Kind kind) {
  if (whose(real, &Functions::enable) != Whose::NotOurs) client_enables(kind);
}

bool disable_for_client(const void* real, Kind kind) {
  const Whose w = whose(real, &Functions::disable);
  if (w == Whose::NotOurs) return false;
  client_disables(kind);
  return w == Whose::Ours && own_kind(kind);
}

void disabled_by_client(const void* real, Kind kind) {
  if (whose(real, &Functions::disable) == Whose::Ours) restore_kind(session_library().functions, kind);
}

void flushed_by_client(const void* real) {
  if (whose(real, &Functions::flush_all) != Whose::NotOurs) client_flushed();
}

void clock_of_client(const void* real, Timestamp clock) {
  if (whose(real, &Functions::register_timestamp) == Whose::NotOurs) return;
  client_has_clock(clock);
  use_clock_of_client(clock);
  note("the program gave CUPTI its own clock: times on the devices are converted from it");
}

void leave_callbacks(const void* real) {
  if (whose(real, &Functions::subscribe) == Whose::Ours) end_callbacks();
}

void before_finalize(const void* real) {
  if (whose(real, &Functions::finalize) != Whose::Ours) return;
  take_now(kSynchronise, kMostNs);
  client_registers(nullptr, nullptr);
  const HookGuard guard;
  if (guard) suspend_session();
}

}  // namespace prof::gpu::cupti
