#include "agent/gpu/driver.hpp"

#include <dlfcn.h>

#include <cstring>

#include "agent/thread/guard.hpp"

namespace prof::gpu::driver {
namespace {

using Error = int;
constexpr Error kNone = 0;
constexpr int kMostDevices = 64;

enum Attribute : int {
  kClockKhz = 13,
  kMultiprocessors = 16,
  kMemoryClockKhz = 36,
  kMemoryBusBits = 37,
  kComputeMajor = 75,
  kComputeMinor = 76,
};

void* loaded_driver() {
  const RealCall nested;
  void* handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (handle == nullptr) dlerror();
  return handle;
}

template <class... A>
class Function {
 public:
  Function(void* handle, const char* name) {
    const RealCall nested;
    if (handle != nullptr) function_ = reinterpret_cast<Error (*)(A...)>(dlsym(handle, name));
    if (handle != nullptr && function_ == nullptr) dlerror();
  }
  bool operator()(A... arguments) const {
    const RealCall nested;
    return function_ != nullptr && function_(arguments...) == kNone;
  }

 private:
  Error (*function_)(A...) = nullptr;
};

std::uint32_t attribute(const Function<int*, int, int>& get, Attribute which, int device) {
  int value = 0;
  return get(&value, which, device) && value > 0 ? static_cast<std::uint32_t>(value) : 0;
}

// The driver's handle is kept open for the moment only: its use count is the program's.
class Driver {
 public:
  Driver() : handle(loaded_driver()) {}
  ~Driver() {
    const RealCall nested;
    if (handle != nullptr) dlclose(handle);
  }
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;
  void* const handle;
};

int device_count(void* handle) {
  int count = 0;
  const Function<int*> get(handle, "cuDeviceGetCount");
  return get(&count) && count > 0 ? count : 0;
}

}  // namespace

bool initialised() {
  const Driver driver;
  return device_count(driver.handle) > 0;
}

std::uint32_t version() {
  const Driver driver;
  int value = 0;
  const Function<int*> get(driver.handle, "cuDriverGetVersion");
  return get(&value) && value > 0 ? static_cast<std::uint32_t>(value) : 0;
}

void describe(std::uint32_t device, log::DeviceRecord& record) {
  const Driver driver;
  const auto d = static_cast<int>(device);
  if (d >= device_count(driver.handle)) return;
  const Function<int*, int, int> get(driver.handle, "cuDeviceGetAttribute");
  record.compute_major = attribute(get, kComputeMajor, d);
  record.compute_minor = attribute(get, kComputeMinor, d);
  record.multiprocessors = attribute(get, kMultiprocessors, d);
  record.clock_khz = attribute(get, kClockKhz, d);
  record.memory_clock_khz = attribute(get, kMemoryClockKhz, d);
  record.memory_bus_bits = attribute(get, kMemoryBusBits, d);
  std::size_t bytes = 0;
  if (Function<std::size_t*, int>(driver.handle, "cuDeviceTotalMem_v2")(&bytes, d)) record.memory_bytes = bytes;
  char name[sizeof(record.name)] = {};
  if (Function<char*, int, int>(driver.handle, "cuDeviceGetName")(name, sizeof(name) - 1, d))
    std::memcpy(record.name, name, sizeof(name));
  std::uint8_t uuid[16] = {};
  if (Function<void*, int>(driver.handle, "cuDeviceGetUuid_v2")(uuid, d) ||
      Function<void*, int>(driver.handle, "cuDeviceGetUuid")(uuid, d))
    std::memcpy(record.uuid, uuid, sizeof(uuid));
}

void each_active(void (*visit)(std::uint32_t device)) {
  const Driver driver;
  const int count = device_count(driver.handle);
  const Function<int, unsigned*, int*> state(driver.handle, "cuDevicePrimaryCtxGetState");
  for (int d = 0; d < count && d < kMostDevices; ++d) {
    unsigned flags = 0;
    int active = 0;
    if (state(d, &flags, &active) && active != 0) visit(static_cast<std::uint32_t>(d));
  }
}

void synchronise() {
  const Driver driver;
  const int count = device_count(driver.handle);
  const Function<int, unsigned*, int*> state(driver.handle, "cuDevicePrimaryCtxGetState");
  const Function<void**, int> retain(driver.handle, "cuDevicePrimaryCtxRetain");
  const Function<int> release(driver.handle, "cuDevicePrimaryCtxRelease_v2");
  const Function<void*> push(driver.handle, "cuCtxPushCurrent_v2");
  const Function<void**> pop(driver.handle, "cuCtxPopCurrent_v2");
  const Function<> wait(driver.handle, "cuCtxSynchronize");
  for (int d = 0; d < count && d < kMostDevices; ++d) {
    unsigned flags = 0;
    int active = 0;
    void* context = nullptr;
    if (!state(d, &flags, &active) || active == 0 || !retain(&context, d)) continue;
    if (push(context)) {
      wait();
      void* popped = nullptr;
      pop(&popped);
    }
    release(d);
  }
}

void call_quietly() {
  const Driver driver;
  void* current = nullptr;
  Function<void**>(driver.handle, "cuCtxGetCurrent")(&current);
}

}  // namespace prof::gpu::driver
