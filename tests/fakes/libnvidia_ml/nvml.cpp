// A fake NVML over the fake device: what a driver says of its devices. The values follow from the device's memory and
// clock; $FAKE_NVML_FAIL=F:RC,... makes function F return RC.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <atomic>
#include <string>

#include "tests/fakes/device/fakegpu.hpp"

using namespace fakegpu;

#define NVML_API extern "C" __attribute__((visibility("default")))

namespace {

enum Result : int { kSuccess = 0, kUninitialized = 1, kInvalidArgument = 2, kNotFound = 6, kInsufficientSize = 7 };

constexpr std::uint64_t kDriverBytes = 600ULL << 20;  // what the driver keeps for itself on each device
constexpr std::uint64_t kContextBytes = 400ULL << 20;
constexpr std::uint64_t kOtherBytes = 1ULL << 30;  // another process
constexpr unsigned kOtherPid = 4'000'000;

struct Device {
  int index;
};
Device devices[16];
std::atomic<int> users{0};

int begin(const char* function) {
  std::string_view rest = setting("FAKE_NVML_FAIL");
  while (!rest.empty()) {
    const std::string one(rest.substr(0, rest.find(',')));
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    const auto colon = one.find(':');
    if (one.substr(0, colon) == function) return std::stoi(one.substr(colon + 1));
  }
  return users > 0 ? kSuccess : kUninitialized;
}

std::string uuid_text(int device) {
  unsigned char id[16];
  device_uuid(device, id);
  char text[48];
  snprintf(text, sizeof text, "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", id[0], id[1],
           id[2], id[3], id[4], id[5], id[6], id[7], id[8], id[9], id[10], id[11], id[12], id[13], id[14], id[15]);
  return text;
}

int give(const std::string& text, char* to, unsigned length) {
  if (text.size() + 1 > length) return kInsufficientSize;
  memcpy(to, text.c_str(), text.size() + 1);
  return kSuccess;
}

std::uint64_t own_bytes(int device) { return has_primary_context(device) ? kContextBytes + used_bytes(device) : 0; }

}  // namespace

#define NVML_CALL(name) \
  if (const int failed = begin(#name); failed != 0) return failed

NVML_API int nvmlInit_v2() {
  ++users;
  const int result = begin("nvmlInit_v2");
  if (result != kSuccess) --users;
  if (result == kSuccess) write_ledger(R"({"t":"nvml","pid":%d})", getpid());
  return result;
}

NVML_API int nvmlShutdown() {
  NVML_CALL(nvmlShutdown);
  --users;
  return kSuccess;
}

NVML_API int nvmlDeviceGetCount_v2(unsigned* count) {
  NVML_CALL(nvmlDeviceGetCount_v2);
  *count = static_cast<unsigned>(device_count());
  return kSuccess;
}

NVML_API int nvmlDeviceGetHandleByIndex_v2(unsigned index, Device** device) {
  NVML_CALL(nvmlDeviceGetHandleByIndex_v2);
  if (index >= static_cast<unsigned>(device_count()) || index >= std::size(devices)) return kInvalidArgument;
  // In the other order than CUDA's: what is whose, only the UUID tells.
  devices[index].index = device_count() - 1 - static_cast<int>(index);
  *device = &devices[index];
  return kSuccess;
}

NVML_API int nvmlDeviceGetHandleByUUID(const char* uuid, Device** device) {
  NVML_CALL(nvmlDeviceGetHandleByUUID);
  for (unsigned i = 0; i < static_cast<unsigned>(device_count()); ++i) {
    Device* found = nullptr;
    if (nvmlDeviceGetHandleByIndex_v2(i, &found) == kSuccess && uuid_text(found->index) == uuid) {
      *device = found;
      return kSuccess;
    }
  }
  return kNotFound;
}

NVML_API int nvmlDeviceGetUUID(const Device* device, char* to, unsigned length) {
  NVML_CALL(nvmlDeviceGetUUID);
  return give(uuid_text(device->index), to, length);
}

NVML_API int nvmlDeviceGetName(const Device* device, char* to, unsigned length) {
  NVML_CALL(nvmlDeviceGetName);
  return give(device_name(device->index), to, length);
}

namespace {
struct Memory {
  unsigned long long total, free, used;
};
struct MemoryV2 {
  unsigned version;
  unsigned long long total, reserved, free, used;
};
}  // namespace

NVML_API int nvmlDeviceGetMemoryInfo(const Device* device, Memory* to) {
  NVML_CALL(nvmlDeviceGetMemoryInfo);
  const std::uint64_t used = kDriverBytes + kOtherBytes + own_bytes(device->index);
  *to = {kDeviceBytes, kDeviceBytes - used, used};
  return kSuccess;
}

NVML_API int nvmlDeviceGetMemoryInfo_v2(const Device* device, MemoryV2* to) {
  NVML_CALL(nvmlDeviceGetMemoryInfo_v2);
  if (to->version != (sizeof(MemoryV2) | 2U << 24)) return kInvalidArgument;
  const std::uint64_t used = kOtherBytes + own_bytes(device->index);
  to->total = kDeviceBytes;
  to->reserved = kDriverBytes;
  to->used = used;
  to->free = kDeviceBytes - kDriverBytes - used;
  return kSuccess;
}

NVML_API int nvmlDeviceGetUtilizationRates(const Device* device, unsigned* rates) {
  NVML_CALL(nvmlDeviceGetUtilizationRates);
  rates[0] = 60 + static_cast<unsigned>(device->index);
  rates[1] = 25;
  return kSuccess;
}

NVML_API int nvmlDeviceGetPowerUsage(const Device*, unsigned* mw) {
  NVML_CALL(nvmlDeviceGetPowerUsage);
  *mw = 100'000;
  return kSuccess;
}

NVML_API int nvmlDeviceGetTotalEnergyConsumption(const Device*, unsigned long long* mj) {
  NVML_CALL(nvmlDeviceGetTotalEnergyConsumption);
  *mj = now() / 10'000;  // 100 W, as nvmlDeviceGetPowerUsage says
  return kSuccess;
}

NVML_API int nvmlDeviceGetTemperature(const Device*, unsigned sensor, unsigned* celsius) {
  NVML_CALL(nvmlDeviceGetTemperature);
  if (sensor != 0) return kInvalidArgument;
  *celsius = 55;
  return kSuccess;
}

NVML_API int nvmlDeviceGetClockInfo(const Device*, unsigned which, unsigned* mhz) {
  NVML_CALL(nvmlDeviceGetClockInfo);
  if (which > 3) return kInvalidArgument;
  *mhz = which == 2 ? kMemoryClockKhz / 1000 : kClockKhz / 1000;
  return kSuccess;
}

NVML_API int nvmlDeviceGetMaxClockInfo(const Device* device, unsigned which, unsigned* mhz) {
  return nvmlDeviceGetClockInfo(device, which, mhz);
}

NVML_API int nvmlDeviceGetMemoryBusWidth(const Device*, unsigned* bits) {
  NVML_CALL(nvmlDeviceGetMemoryBusWidth);
  *bits = kMemoryBusBits;
  return kSuccess;
}

NVML_API int nvmlDeviceGetCudaComputeCapability(const Device*, int* major, int* minor) {
  NVML_CALL(nvmlDeviceGetCudaComputeCapability);
  *major = static_cast<int>(kComputeMajor);
  *minor = static_cast<int>(kComputeMinor);
  return kSuccess;
}

namespace {
struct Process {
  unsigned pid;
  unsigned long long used;
  unsigned instance, compute_instance;
};
int processes(const Device* device, unsigned* count, Process* to) {
  write_ledger(R"({"t":"nvml_processes","pid":%d,"device":%d})", getpid(), device->index);
  const bool own = own_bytes(device->index) != 0;
  const unsigned all = own ? 2 : 1;
  const unsigned room = *count;
  *count = all;
  if (room < all) return kInsufficientSize;
  if (to == nullptr) return kInvalidArgument;
  to[0] = {kOtherPid, kOtherBytes, UINT32_MAX, UINT32_MAX};
  if (own) to[1] = {static_cast<unsigned>(getpid()), own_bytes(device->index), UINT32_MAX, UINT32_MAX};
  return kSuccess;
}
}  // namespace

NVML_API int nvmlDeviceGetComputeRunningProcesses_v3(const Device* device, unsigned* count, Process* to) {
  NVML_CALL(nvmlDeviceGetComputeRunningProcesses_v3);
  return processes(device, count, to);
}

NVML_API int nvmlDeviceGetComputeRunningProcesses_v2(const Device* device, unsigned* count, Process* to) {
  NVML_CALL(nvmlDeviceGetComputeRunningProcesses_v2);
  return processes(device, count, to);
}

NVML_API const char* nvmlErrorString(int) { return "a fake error"; }
