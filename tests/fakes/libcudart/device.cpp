// The fake CUDA runtime: its start, devices and errors.
#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "tests/fakes/libcudart/cudart.hpp"

using namespace fakegpu;
using cudart::Error;

namespace fakegpu::cudart {
namespace {

thread_local Error last_error = 0;

Error start_driver() {
  static std::mutex mutex;
  static bool started = false;
  const std::lock_guard lock(mutex);
  if (started) return 0;
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (driver == nullptr) return kNoDriver;
  auto* const init = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
  if (init == nullptr) return kNoDriver;
  const int error = init(0);
  started = error == 0;
  return error;
}

}  // namespace

Error begin(Scope& scope, bool needs_driver) {
  if (scope.refused() != 0) return scope.refused();
  return needs_driver ? start_driver() : 0;
}

Error end(Scope& scope, Error error) {
  if (error != 0 && error != kNotReady) last_error = error;
  return scope.done(error);
}

}  // namespace fakegpu::cudart

#define API extern "C" __attribute__((visibility("default")))

API Error cudaDriverGetVersion(int* version) {
  Scope scope(Domain::Runtime, cbid::runtime::cudaDriverGetVersion, "cudaDriverGetVersion");
  *version = cudart::begin(scope) == 0 ? 13000 : 0;
  return cudart::end(scope, 0);
}

API Error cudaRuntimeGetVersion(int* version) {
  Scope scope(Domain::Runtime, cbid::runtime::cudaRuntimeGetVersion, "cudaRuntimeGetVersion");
  *version = FAKE_CUDART_VERSION;
  return cudart::end(scope, cudart::begin(scope, false));
}

API Error cudaGetDeviceCount(int* count) {
  CUDART_CALL(cudaGetDeviceCount);
  *count = device_count();
  return cudart::end(scope, 0);
}

API Error cudaGetDevice(int* device) {
  CUDART_CALL(cudaGetDevice);
  *device = current_id() != 0 ? current()->device : 0;
  return cudart::end(scope, 0);
}

API Error cudaSetDevice(int device) {
  CUDART_CALL(cudaSetDevice);
  if (device < 0 || device >= device_count()) return cudart::end(scope, cudart::kInvalidDevice);
  set_current(primary_context(device));
  return cudart::end(scope, 0);
}

namespace {
// The beginning of cudaDeviceProp, the same in all versions.
struct DeviceProperties {
  char name[256];
  unsigned char uuid[16];
  char luid[8];
  unsigned luid_mask;
  std::size_t memory, shared_per_block;
  int registers_per_block, warp;
  std::size_t pitch;
  int threads_per_block, block[3], grid[3];
};
Error properties(Scope& scope, void* to, int device) {
  if (device < 0 || device >= device_count()) return cudart::end(scope, cudart::kInvalidDevice);
  DeviceProperties all{};
  const std::string name = device_name(device);
  memcpy(all.name, name.data(), name.size());
  device_uuid(device, all.uuid);
  all.memory = kDeviceBytes;
  all.shared_per_block = 48 << 10;
  all.registers_per_block = 65536;
  all.warp = 32;
  all.pitch = 1U << 30;
  all.threads_per_block = 1024;
  for (int i = 0; i < 3; ++i) all.block[i] = all.grid[i] = 1024;
  memcpy(to, &all, sizeof all);
  return cudart::end(scope, 0);
}
}  // namespace

API Error cudaGetDeviceProperties(void* to, int device) {
  CUDART_CALL(cudaGetDeviceProperties);
  return properties(scope, to, device);
}

API Error cudaGetDeviceProperties_v2(void* to, int device) {
  CUDART_CALL(cudaGetDeviceProperties_v2);
  return properties(scope, to, device);
}

API Error cudaDeviceGetAttribute(int* value, int attribute, int device) {
  CUDART_CALL(cudaDeviceGetAttribute);
  if (device < 0 || device >= device_count()) return cudart::end(scope, cudart::kInvalidDevice);
  *value = attribute == 75   ? static_cast<int>(kComputeMajor)
           : attribute == 76 ? static_cast<int>(kComputeMinor)
           : attribute == 16 ? static_cast<int>(kMultiprocessors)
           : attribute == 13 ? static_cast<int>(kClockKhz)
                             : 0;
  return cudart::end(scope, 0);
}

API Error cudaDeviceSynchronize() {
  CUDART_CALL(cudaDeviceSynchronize);
  synchronize_context(current());
  return cudart::end(scope, 0);
}

API Error cudaDeviceReset() {
  CUDART_CALL(cudaDeviceReset);
  synchronize_context(current());
  return cudart::end(scope, 0);
}

API Error cudaDeviceCanAccessPeer(int* can, int, int) {
  CUDART_CALL(cudaDeviceCanAccessPeer);
  *can = 1;
  return cudart::end(scope, 0);
}

API Error cudaDeviceEnablePeerAccess(int, unsigned) {
  CUDART_CALL(cudaDeviceEnablePeerAccess);
  return cudart::end(scope, 0);
}

API Error cudaDeviceSetLimit(int, std::size_t) {
  CUDART_CALL(cudaDeviceSetLimit);
  return cudart::end(scope, 0);
}

API Error cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  CUDART_CALL(cudaDeviceGetStreamPriorityRange);
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = -5;
  return cudart::end(scope, 0);
}

API Error cudaProfilerStart() {
  CUDART_CALL(cudaProfilerStart);
  return cudart::end(scope, 0);
}

API Error cudaProfilerStop() {
  CUDART_CALL(cudaProfilerStop);
  return cudart::end(scope, 0);
}

API Error cudaGetLastError() {
  const Scope scope(Domain::Runtime, cbid::runtime::cudaGetLastError, "cudaGetLastError");
  return std::exchange(cudart::last_error, 0);
}

API Error cudaPeekAtLastError() {
  const Scope scope(Domain::Runtime, cbid::runtime::cudaPeekAtLastError, "cudaPeekAtLastError");
  return cudart::last_error;
}

API const char* cudaGetErrorName(Error error) {
  switch (error) {
    case 0:
      return "cudaSuccess";
    case cudart::kInvalidValue:
      return "cudaErrorInvalidValue";
    case cudart::kOutOfMemory:
      return "cudaErrorMemoryAllocation";
    case 3:
      return "cudaErrorInitializationError";
    case cudart::kNoDriver:
      return "cudaErrorInsufficientDriver";
    case cudart::kNotReady:
      return "cudaErrorNotReady";
    default:
      return "cudaErrorUnknown";
  }
}

API const char* cudaGetErrorString(Error error) { return cudaGetErrorName(error); }
