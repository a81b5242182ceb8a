#include "agent/gpu/cupti/session.hpp"

#include <atomic>

#include "agent/capture/window.hpp"
#include "agent/core/clock.hpp"
#include "agent/core/notice.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/core/text.hpp"
#include "agent/gpu/cupti/buffers.hpp"
#include "agent/gpu/cupti/callbacks.hpp"
#include "agent/gpu/cupti/client.hpp"
#include "agent/gpu/cupti/consumer.hpp"
#include "agent/gpu/cupti/kinds.hpp"
#include "agent/gpu/cupti/thread.hpp"
#include "agent/gpu/device.hpp"
#include "agent/gpu/driver.hpp"
#include "agent/gpu/info.hpp"
#include "agent/gpu/launch_marks.hpp"
#include "agent/gpu/nvml.hpp"
#include "agent/log/conditions.hpp"
#include "agent/log/file.hpp"
#include "agent/wait/blocked.hpp"

namespace prof::gpu::cupti {
namespace {

constexpr std::uint32_t kMostFailures = 3;
constexpr std::uint32_t kTurnsPerLook = 4;
constexpr std::uint32_t kHurryFrom = 32;  // filled buffers
constexpr std::uint64_t kLeaveNs = 2'000'000'000;

struct Session {
  std::atomic<State> state;
  std::uint32_t turns;  // of our thread
  std::uint32_t failures;
  bool late;       // there may be a context of the program's
  Result result;   // of setting up the library that was accepted
  Result refusal;  // of the first one that was not: the one that fits best
  Library refused;
  Library library;
};
PROF_WIPED_AT_START constinit pages::Wiped<Session> g_session{};
// In ordinary memory, so that a forked child knows that CUPTI was at work in its parent: it must not touch it.
constinit std::uint32_t g_used_by = 0;

// CUPTI before 12.9 does not survive a refusal: there is always something to give. What is written there is not read.
constexpr std::uint32_t kSpares = 256;
struct Spares {
  std::atomic<std::uint8_t*> buffers[kSpares];
};
PROF_WIPED constinit pages::Wiped<Spares> g_spares{};

std::uint8_t* spare_buffer() {
  for (std::atomic<std::uint8_t*>& place : g_spares.value.buffers) {
    std::uint8_t* none = nullptr;
    if (place.load(std::memory_order_relaxed) != nullptr) continue;
    auto* made = static_cast<std::uint8_t*>(pages::map(kBufferBytes, pages::InChild::Gone));
    if (made == nullptr || place.compare_exchange_strong(none, made)) return made;
    pages::unmap(made, kBufferBytes);
  }
  return nullptr;
}

bool drop_spare(std::uint8_t* buffer) {
  for (std::atomic<std::uint8_t*>& place : g_spares.value.buffers) {
    if (place.load(std::memory_order_relaxed) != buffer) continue;
    pages::unmap(buffer, kBufferBytes);
    place.store(nullptr, std::memory_order_release);
    return true;
  }
  return false;
}

void on_request(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records) {
  *buffer = take_buffer();
  if (*buffer == nullptr && g_session.value.library.version < kMayRefuseBuffers) *buffer = spare_buffer();
  *bytes = *buffer != nullptr ? kBufferBytes : 0;
  *most_records = 0;
}

void on_complete(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t bytes,
                 std::size_t valid_bytes) {
  if (buffer == nullptr) return;
  if (is_buffer(buffer)) {
    serve_client(g_session.value.library.functions, context, stream, buffer, valid_bytes);
    put_filled(buffer, valid_bytes);
    if (filled_count() >= kHurryFrom) hurry_thread();
  } else if (drop_spare(buffer)) {
    count_loss(log::Loss::DeviceDropped);
  } else {
    return_to_client(context, stream, buffer, bytes, valid_bytes);
  }
}

std::uint64_t on_timestamp() { return clock::monotonic(); }

void tell_number(const char* name, std::uint64_t value) {
  Text<24> text;
  text << value;
  tell(name, text.view());
}

void tell_library(const Library& library) {
  tell("library", library.path);
  tell_number("cupti", library.version);
  tell_number("driver", driver::version());
  char runtime[1024];
  if (loaded_object("libcudart.so", runtime, sizeof(runtime))) tell("runtime", runtime);
}

void refuse_for(const Library& library, Result result) {
  Text<300> why;
  why << "CUPTI does not work here: error " << result << " ("
      << std::string_view(result_text(library.functions, result)) << ')';
  if (result == kInsufficientPrivileges || result == kVirtualizedInsufficientPrivileges) {
    why << "; the driver lets only administrators profile: load its module with NVreg_RestrictProfilingToAdminUsers=0, "
           "or give the container CAP_SYS_ADMIN";
    notice(why.view());
  }
  refuse_session(why.c_str());
}

Result set_up(const Library& library, bool late) {
  const Functions& f = library.functions;
  if (f.set_attribute != nullptr) {
    std::uint8_t on = 1;
    std::size_t bytes = sizeof(on);
    f.set_attribute(kZeroedOutBuffers, &bytes, &on);
  }
  if (f.set_thread_id_type != nullptr) f.set_thread_id_type(kThreadIdSystem);
  // In the place of a clock that the program has set, too: its copies of the records get that one's times.
  const bool clock = f.register_timestamp != nullptr && f.register_timestamp(on_timestamp) == kSuccess;
  Result r = f.register_callbacks(on_request, on_complete);
  if (r == kSuccess) r = enable_kinds(f, late);
  if (r == kSuccess && !clock)
    tell_note("this CUPTI has no clock but CLOCK_REALTIME: a step of that clock shifts times on the devices");
  return r;
}

// Whether this is the CUPTI to go on with: one that does not know the driver says so, another one may.
bool accept(Library& library) {
  Session& s = g_session.value;
  s.result = set_up(library, s.late);
  if (s.result != kNotInitialized && s.result != kUnknown) return true;
  if (s.refusal == kSuccess) {
    s.refusal = s.result;
    s.refused = library;
  }
  return false;
}

// JAX, by the library that has its use of GPUs.
bool uses_xla() {
  char path[sizeof(Library::path)];
  return loaded_object("xla_cuda_plugin", path, sizeof(path));
}

bool allowed(bool by_driver, const char*& why) {
  if (process().options.cuda != CudaMode::Device) {
    why = "PROF_CUDA says so";
    return false;
  }
  if (g_used_by != 0 && g_used_by != process().pid && !by_driver) {
    why = "this process was forked from one that used CUDA, which cannot be used here";
    return false;
  }
  if (!process().options.cuda_given && uses_xla()) {
    why =
        "with CUPTI in use the driver fails in command buffers of XLA (JAX), seen with driver 580: --cuda on records "
        "devices all the same, XLA_FLAGS=--xla_gpu_enable_command_buffer= makes that safe";
    return false;
  }
  return true;
}

// The clock stays CUPTI's when CUPTI is ended (measured with CUDA 13.0): a client that asks it for the time after that
// compares with what it was told before.
void give_clock_back(const Functions& f) {
  if (f.register_timestamp != nullptr) f.register_timestamp(client_clock());
}

// A process that uses no device has none of this, and does not pay for it when it starts.
void prepare_parts() {
  pages::wipe_in_child(g_session);
  pages::wipe_in_child(g_spares);
  prepare_buffers();
  prepare_callbacks();
  prepare_client();
  prepare_consumer();
  prepare_info();
  prepare_kinds();
  prepare_launch_marks();
  prepare_thread();
  wait::prepare_waits();
}

void start(const Guard&, bool by_driver) {
  const RealCall nested;
  prepare_parts();
  Session& s = g_session.value;
  const char* why = nullptr;
  if (!allowed(by_driver, why) || !start_thread(s.library.functions)) {
    refuse_session(why != nullptr ? why : "the process can have no other thread");
    return;
  }
  if (!begin_consumer()) tell_note("there was no memory to join the devices' work with the calls that asked for it");
  refill_buffers();
  // CUPTI was at work in this process before, or the driver did not tell us of its start.
  s.late = g_used_by == process().pid || !by_driver;
  g_used_by = process().pid;
  s.refusal = kSuccess;
  if (!open_library(s.library, client_library(), accept, why)) {
    if (s.refusal == kSuccess)
      refuse_session(why);
    else if (++s.failures < kMostFailures)  // the driver was not ready after all: the next one to ask tries again
      s.state.store(State::Idle, std::memory_order_release);
    else
      give_up_session(nullptr);
    return;
  }
  tell_library(s.library);
  if (s.result != kSuccess) {
    refuse_for(s.library, s.result);
    return;
  }
  s.state.store(State::Active, std::memory_order_release);
  wait::want_waits();
  capture::records_come(true);
  tell("state", "active");
  begin_callbacks(s.library);
}

}  // namespace

State session_state() { return g_session.value.state.load(std::memory_order_acquire); }

const Library& session_library() { return g_session.value.library; }

void start_session(const Guard& guard, bool by_driver) {
  std::atomic<State>& state = g_session.value.state;
  State seen = State::Idle;
  if (!state.compare_exchange_strong(seen, State::Starting)) {
    if (seen != State::Suspended || !state.compare_exchange_strong(seen, State::Starting)) return;
  }
  if (!log::ensure_created()) {
    state.store(State::Idle, std::memory_order_release);
    return;
  }
  start(guard, by_driver);
}

void suspend_session() {
  end_callbacks(false);
  give_clock_back(g_session.value.library.functions);
  g_session.value.state.store(State::Suspended, std::memory_order_release);
  tell_note("the program ended CUPTI by cuptiFinalize: work of the devices was not seen until it was started again");
}

void leave_session(const char* text) {
  Session& s = g_session.value;
  s.state.store(State::Refused, std::memory_order_release);
  take_now(kTake, kLeaveNs);  // then our thread is out of CUPTI, and stays out
  end_callbacks(true);
  const RealCall nested;
  disable_kinds(s.library.functions);
  give_clock_back(s.library.functions);
  tell_note(text);
}

void end_left_session() { detach(g_session.value.library); }

void refuse_session(const char* why) {
  pages::wipe_in_child(g_session);
  tell("state", "host");
  tell("reason", why);
  g_session.value.state.store(State::Refused, std::memory_order_release);
}

void give_up_session(const char* why) {
  const Session& s = g_session.value;
  if (s.refusal == kSuccess) {
    if (why != nullptr) refuse_session(why);
    return;
  }
  tell_library(s.refused);
  refuse_for(s.refused, s.refusal);
}

void each_turn(const Guard& guard) {
  if (g_session.value.turns++ % kTurnsPerLook == 0) find_used_devices();
  nvml_poll(guard, clock::monotonic());
  if (!session_active()) return;
  if (links_fail_to_come()) enable_all_calls(g_session.value.library.functions);
  if (times_fail_to_come() && !client_wants_kernels()) enable_whole_graphs(g_session.value.library.functions);
  more_callbacks(g_session.value.library);
}

}  // namespace prof::gpu::cupti
