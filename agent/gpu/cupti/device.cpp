#include "agent/gpu/device.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/core/raw.hpp"
#include "agent/core/text.hpp"
#include "agent/core/variables.hpp"
#include "agent/gpu/cupti/callbacks.hpp"
#include "agent/gpu/cupti/session.hpp"
#include "agent/gpu/cupti/thread.hpp"
#include "agent/gpu/driver.hpp"
#include "agent/gpu/local.hpp"
#include "agent/log/file.hpp"
#include "agent/ops/operators.hpp"
#include "agent/thread/guard.hpp"
#include "agent/thread/thread_state.hpp"

namespace prof::gpu {
namespace {

constexpr std::uint32_t kMostDevices = 64;
// How long the end of a process may take for its last records: work that never ends does not keep it from ending.
constexpr std::uint64_t kEndNs = 3'000'000'000, kFlushNs = 1'000'000'000;
// The driver tells us when it starts. Where it does not, it is looked at by itself: at the first calls that give the
// device work, and then at one in so many.
constexpr std::uint32_t kFirstLooks = 16, kLaterLooks = 1024;

struct Devices {
  std::atomic<log::DeviceRecord*> records;
  std::atomic<std::uint32_t> looks;
  std::atomic<bool> touched;   // the program called CUDA
  std::atomic<bool> will_end;  // somebody will tell us of the end
  std::atomic<bool> ended;     // and did; nothing was given since
};
PROF_WIPED_AT_START constinit pages::Wiped<Devices> g_devices{};
// Another tool has the driver's door: known at start, and inherited by forked children.
constinit bool g_door_taken = false;

bool exists(const char* path) { return raw::call(SYS_faccessat, AT_FDCWD, raw::word(path), F_OK, 0) == 0; }

bool wanted() {
  return process().options.cuda == CudaMode::Device && process().stage.load(std::memory_order_relaxed) == Stage::Ready;
}

void start(bool by_driver) {
  const HookGuard guard;
  if (guard) cupti::start_session(guard, by_driver);
}

// A handler that was registered late runs early: before those that end the CUDA runtime. After these, CUPTI is left
// alone, unless the program gave a device work.
void at_exit(int, void*) { end_device(true); }

void register_exit() {
  const RealCall nested;
  on_exit(at_exit, nullptr);
}

// The call in which the driver was initialised may give a device work itself. Nobody takes its number back when it
// ends: the thread's next call does.
void push_late() {
  ThreadState& t = *tls.state;
  if (tls.call_node == 0 || local(t).told_call.node != 0) return;
  const RealCall nested;
  if (cupti::session_library().functions.push_external(cupti::kExternalCustom2, external_id(tls.call_node)) ==
      cupti::kSuccess)
    local(t).told_call = {0, tls.call_node, 0, 0, 0};
}

// The program's first call, where no device is to be looked at: says why.
[[gnu::noinline]] void first_call() {
  g_devices.value.touched.store(true, std::memory_order_relaxed);
  const bool off = process().options.cuda != CudaMode::Device;
  if (!off && !g_door_taken) return;
  const HookGuard guard;
  if (!guard || !log::ensure_created()) return;
  Text<1200> why;
  if (off) {
    why << "PROF_CUDA says so";
  } else {
    const char* tool = getenv("CUDA_INJECTION64_PATH");
    why << "CUDA_INJECTION64_PATH names another tool, which has the devices to itself: "
        << std::string_view(tool != nullptr ? tool : "");
  }
  cupti::refuse_session(why.c_str());
}

[[gnu::noinline]] void look_for_driver() {
  if (!wanted() || g_door_taken) return;
  const std::uint32_t n = g_devices.value.looks.fetch_add(1, std::memory_order_relaxed);
  if (n >= kFirstLooks && n % kLaterLooks != 0) return;
  if (driver::initialised()) start(false);
}

}  // namespace

void offer_device_door() {
  if (process().options.cuda != CudaMode::Device || offer_ourselves("CUDA_INJECTION64_PATH")) return;
  // A file that is not there takes nothing: a container inherits the paths of another file system. It stays in the
  // environment, for children that have it.
  const char* tool = getenv("CUDA_INJECTION64_PATH");
  g_door_taken = tool == nullptr || std::strchr(tool, '/') == nullptr || exists(tool);
}

void driver_begins() {
  if (!wanted()) return;
  start(true);
  // For programs whose calls nobody sees; others register once more, later and so better.
  if (!cupti::session_active()) return;
  push_late();
  register_exit();
}

void begin_device() {
  if (!g_devices.value.touched.load(std::memory_order_relaxed)) [[unlikely]]
    first_call();
}

std::uint64_t external_id(std::uint32_t node) { return std::uint64_t{ops::current_node(*tls.state)} << 32 | node; }

bool push_context(std::uint32_t node) {
  const cupti::State state = cupti::session_state();
  if (state != cupti::State::Active) [[unlikely]] {
    if (state == cupti::State::Idle || state == cupti::State::Suspended) look_for_driver();
    if (!cupti::session_active()) return false;
  }
  Devices& d = g_devices.value;
  if (!d.will_end.load(std::memory_order_relaxed) && !d.will_end.exchange(true)) [[unlikely]]
    register_exit();
  if (d.ended.load(std::memory_order_relaxed)) [[unlikely]]
    resume_device();
  pop_late();
  const RealCall nested;
  return cupti::session_library().functions.push_external(cupti::kExternalCustom2, external_id(node)) ==
         cupti::kSuccess;
}

bool has_pushed() { return g_devices.value.will_end.load(std::memory_order_relaxed); }

void pop_late() {
  ToldCall& late = local(*tls.state).told_call;
  if (late.node == 0 || late.started != 0) [[likely]]
    return;
  late = {};
  pop_context();
}

bool leave_lost_call() {
  if (tls.state == nullptr) return false;
  Local& l = local(*tls.state);
  if (l.told_call.started == 0 || cupti::callbacks_told(l.told_from)) return false;
  l.told_call = {};
  pop_context();
  tls.call_depth = 0;
  tls.call_node = 0;
  return true;
}

void pop_context() {
  if (!cupti::session_active()) return;
  const RealCall nested;
  std::uint64_t node = 0;
  cupti::session_library().functions.pop_external(cupti::kExternalCustom2, &node);
}

void end_device(bool may_wait) {
  if (process().stage.load(std::memory_order_relaxed) != Stage::Ready || !own_process()) return;
  if (g_devices.value.ended.exchange(true)) return;
  if (cupti::session_active()) {
    if (!cupti::take_now(cupti::kLast | (may_wait ? cupti::kSynchronise : 0U), may_wait ? kEndNs : kFlushNs)) {
      const HookGuard guard;
      if (guard) cupti::take_here(guard);
    }
  } else if (cupti::session_state() == cupti::State::Idle) {
    const bool touched = g_devices.value.touched.load(std::memory_order_relaxed);
    cupti::give_up_session(touched ? "the program did not get as far as using a device" : nullptr);
  }
  cupti::rest_thread(true);
}

void resume_device() {
  if (g_devices.value.ended.exchange(false)) cupti::rest_thread(false);
}

void flush_device(bool may_wait) {
  if (!cupti::session_active()) return;
  cupti::take_now(may_wait ? cupti::kSynchronise : cupti::kTake, may_wait ? kEndNs : kFlushNs);
}

log::DeviceRecord* used_device(std::uint32_t index) {
  log::DeviceRecord* record = device_record(index);
  if (record == nullptr || record->state != 0) return record;
  driver::describe(index, *record);
  __atomic_store_n(&record->state, 1, __ATOMIC_RELEASE);
  return record;
}

void find_used_devices() {
  driver::each_active([](std::uint32_t device) { used_device(device); });
}

log::DeviceRecord* device_record(std::uint32_t index) {
  if (index >= kMostDevices || log::header() == nullptr) return nullptr;
  auto& records = g_devices.value.records;
  if (records.load(std::memory_order_acquire) == nullptr) {
    log::ChunkHeader* made = log::take_chunk(log::ChunkType::Devices, 0, 0,
                                             sizeof(log::ChunkHeader) + kMostDevices * sizeof(log::DeviceRecord));
    if (made == nullptr) return nullptr;
    log::DeviceRecord* expected = nullptr;
    if (!records.compare_exchange_strong(expected, log::content<log::DeviceRecord>(made))) log::give_up_chunk(made);
  }
  return records.load(std::memory_order_acquire) + index;
}

void prepare_device() { pages::wipe_in_child(g_devices); }

}  // namespace prof::gpu
