#include "agent/gpu/nvml.hpp"

#include <cstring>
#include <initializer_list>

#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/core/text.hpp"
#include "agent/gpu/device.hpp"
#include "agent/gpu/device_series.hpp"
#include "agent/gpu/info.hpp"
#include "agent/gpu/nvml_library.hpp"
#include "agent/log/file.hpp"

namespace prof::gpu {
namespace {

constexpr std::uint32_t kDevices = 64;
constexpr unsigned kMostProcesses = 256;
constexpr std::uint32_t kUnknown = UINT32_MAX;  // as DevicePoint's rates have it

// The list of a device's processes is the one question for which the driver holds up others for long.
constexpr std::uint64_t kOwnBytesNs = 8'000'000'000;
// Where much is launched, the thread looks after CUPTI's buffers more often than twice a second.
constexpr std::uint64_t kApartNs = 400'000'000;

enum class Began { No, Yes, Failed };

struct Watched {
  bool looked_for;
  nvml::Handle* handle;  // null: NVML does not know the device
  std::uint64_t own_bytes, own_bytes_at;
  DeviceSeries series;
};
struct State {
  Began began;
  std::uint64_t polled;
  nvml::Functions nvml;
  Watched devices[kDevices];
  nvml::ProcessInfo processes[kMostProcesses];
};
PROF_WIPED constinit pages::Wiped<State> g_state{};

bool is_zero(const std::uint8_t (&uuid)[16]) {
  for (const std::uint8_t byte : uuid) {
    if (byte != 0) return false;
  }
  return true;
}

// CUDA and NVML number devices each in its own way, and CUDA only those that CUDA_VISIBLE_DEVICES lets it see: what is
// whose, the UUID tells.
nvml::Handle* handle_of(const nvml::Functions& nvml, std::uint32_t index, const log::DeviceRecord& record) {
  nvml::Handle* handle = nullptr;
  if (is_zero(record.uuid)) {
    // Without one, and only where there is nothing to mistake.
    unsigned count = 0;
    const bool only = nvml.count != nullptr && nvml.count(&count) == nvml::kSuccess && count == 1 && index == 0;
    return only && nvml.by_index != nullptr && nvml.by_index(0, &handle) == nvml::kSuccess ? handle : nullptr;
  }
  for (const std::string_view kind : {"GPU-", "MIG-"}) {
    Text<64> text;
    text << kind;
    for (std::size_t i = 0; i < sizeof(record.uuid); ++i) {
      if (i == 4 || i == 6 || i == 8 || i == 10) text << '-';
      text.hex(record.uuid[i], 2);
    }
    if (nvml.by_uuid(text.c_str(), &handle) == nvml::kSuccess) return handle;
  }
  return nullptr;
}

template <class T, class F, class... A>
T asked(F* function, T otherwise, nvml::Handle* device, A... arguments) {
  T value{};
  return function != nullptr && function(device, arguments..., &value) == nvml::kSuccess ? value : otherwise;
}

// What CUDA itself did not tell.
void fill_in(const nvml::Functions& nvml, nvml::Handle* device, log::DeviceRecord& r) {
  char name[sizeof(r.name)] = {};
  if (r.name[0] == '\0' && nvml.name != nullptr && nvml.name(device, name, sizeof(name)) == nvml::kSuccess)
    std::memcpy(r.name, name, sizeof(name) - 1);
  if (r.memory_bytes == 0) r.memory_bytes = asked(nvml.memory, nvml::Memory{}, device).total;
  if (r.memory_bus_bits == 0) r.memory_bus_bits = asked(nvml.bus_width, 0U, device);
  if (r.clock_khz == 0) r.clock_khz = asked(nvml.max_clock, 0U, device, nvml::kSmClock) * 1000;
  if (r.memory_clock_khz == 0) r.memory_clock_khz = asked(nvml.max_clock, 0U, device, nvml::kMemoryClock) * 1000;
}

// By this process. In a container the driver's pids are not ours: then it cannot be told.
std::uint64_t own_bytes(State& s, nvml::Handle* device) {
  unsigned count = kMostProcesses;
  if (s.nvml.processes == nullptr || s.nvml.processes(device, &count, s.processes) != nvml::kSuccess) return 0;
  for (unsigned i = 0; i < count && i < kMostProcesses; ++i) {
    const nvml::ProcessInfo& p = s.processes[i];
    if (p.pid == process().pid && p.used != ~0ULL) return p.used;
  }
  return 0;
}

log::DevicePoint seen(State& s, Watched& watched, const log::DeviceRecord& r, std::uint64_t now) {
  const nvml::Functions& nvml = s.nvml;
  nvml::Handle* device = watched.handle;
  if (watched.own_bytes_at == 0 || now - watched.own_bytes_at >= kOwnBytesNs) {
    watched.own_bytes = own_bytes(s, device);
    watched.own_bytes_at = now;
  }
  log::DevicePoint p{};
  p.used_bytes = asked(nvml.memory, nvml::Memory{}, device).used;
  p.own_bytes = watched.own_bytes;
  p.segments_live = __atomic_load_n(&r.segments_live, __ATOMIC_RELAXED);
  p.tensors_live = __atomic_load_n(&r.tensors_live, __ATOMIC_RELAXED);
  p.energy_mj = asked(nvml.energy, 0ULL, device);
  const nvml::Utilization busy = asked(nvml.utilization, nvml::Utilization{kUnknown, kUnknown}, device);
  p.busy_percent = busy.gpu;
  p.memory_busy_percent = busy.memory;
  p.power_mw = asked(nvml.power, kUnknown, device);
  p.temperature_c = asked(nvml.temperature, kUnknown, device, nvml::kGpuSensor);
  p.clock_mhz = asked(nvml.clock, kUnknown, device, nvml::kSmClock);
  p.memory_clock_mhz = asked(nvml.clock, kUnknown, device, nvml::kMemoryClock);
  return p;
}

bool begin(State& s) {
  if (s.began == Began::No) {
    const char* reason = nvml::load(s.nvml);
    s.began = reason == nullptr ? Began::Yes : Began::Failed;
    if (reason != nullptr) {
      Text<200> text;
      text << "no utilisation, power and clocks of devices: " << std::string_view(reason);
      tell_note(text.view());
    }
  }
  return s.began == Began::Yes;
}

}  // namespace

void nvml_poll(const Guard& guard, std::uint64_t now) {
  State& s = g_state.value;
  if (!guard || log::header() == nullptr || !begin(s) || (s.polled != 0 && now - s.polled < kApartNs)) return;
  s.polled = now;
  for (std::uint32_t i = 0; i < kDevices; ++i) {
    log::DeviceRecord* r = device_record(i);
    if (r == nullptr || __atomic_load_n(&r->state, __ATOMIC_ACQUIRE) == 0) continue;
    Watched& device = s.devices[i];
    if (!device.looked_for) {
      device.looked_for = true;
      device.handle = handle_of(s.nvml, i, *r);
      if (device.handle == nullptr)
        tell_note("NVML does not know a device that CUDA does: no utilisation, power and clocks of it");
      else
        fill_in(s.nvml, device.handle, *r);
    }
    if (device.handle != nullptr) device.series.add(i, seen(s, device, *r, now), now);
  }
}

void prepare_nvml() { pages::wipe_in_child(g_state); }

}  // namespace prof::gpu
