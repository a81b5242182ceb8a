// The fake CUDA driver: its start, devices, contexts, and how others find its functions.
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <string>

#include "tests/fakes/libcuda/cuda.hpp"

using namespace fakegpu;
using driver::Result;

namespace fakegpu::driver {
namespace {

std::atomic<bool> initialised{false};

// As the driver does: a tool named by the environment is loaded and told, once.
void inject() {
  const char* const path = getenv("CUDA_INJECTION64_PATH");
  if (path == nullptr || *path == 0) return;
  void* const tool = dlopen(path, RTLD_LAZY);
  auto* const entry = tool != nullptr ? reinterpret_cast<int (*)()>(dlsym(tool, "InitializeInjection")) : nullptr;
  const int answer = entry != nullptr ? entry() : 0;
  write_ledger(R"({"t":"injection","pid":%d,"found":%d,"answer":%d})", getpid(), entry != nullptr, answer);
}

}  // namespace

Result begin(const Scope& scope) {
  if (scope.refused() != 0) return scope.refused();
  return initialised.load() ? 0 : kNotInitialized;
}

}  // namespace fakegpu::driver

// What a runtime that is linked into a program tells CUPTI of its calls, by the driver's private tables: the beginning
// of one, by its name, and its end. Properly nested.
CUDA_API void* cuFakeRuntimeBegins(const char* name) {
  for (const auto& one : cbid::runtime::kNames) {
    if (std::string_view(one.name).substr(0, std::string_view(one.name).rfind("_v")) == name)
      return new Scope(Domain::Runtime, one.id, intern(name));
  }
  abort();
}
CUDA_API void cuFakeRuntimeEnds(void* call) { delete static_cast<Scope*>(call); }

CUDA_API Result cuInit(unsigned flags) {
  Scope scope(Domain::Driver, cbid::driver::cuInit, "cuInit");
  if (scope.refused() != 0) return scope.done(scope.refused());
  if (flags != 0) return scope.done(driver::kInvalidValue);
  static std::recursive_mutex mutex;
  const std::lock_guard lock(mutex);
  if (driver::initialised.exchange(true)) return scope.done(0);
  claim();
  driver::inject();
  return scope.done(0);
}

CUDA_API Result cuDriverGetVersion(int* version) {
  *version = 13000;
  return 0;
}

CUDA_API Result cuDeviceGetCount(int* count) {
  CUDA_CALL(cuDeviceGetCount);
  *count = device_count();
  return scope.done(0);
}

CUDA_API Result cuDeviceGet(int* device, int ordinal) {
  CUDA_CALL(cuDeviceGet);
  if (ordinal < 0 || ordinal >= device_count()) return scope.done(driver::kInvalidDevice);
  *device = ordinal;
  return scope.done(0);
}

CUDA_API Result cuDeviceGetName(char* name, int length, int device) {
  CUDA_CALL(cuDeviceGetName);
  if (length <= 0) return scope.done(driver::kInvalidValue);
  const std::string text = device_name(device).substr(0, static_cast<std::size_t>(length) - 1);
  memcpy(name, text.c_str(), text.size() + 1);
  return scope.done(0);
}

CUDA_API Result cuDeviceGetUuid(unsigned char* uuid, int device) {
  CUDA_CALL(cuDeviceGetUuid);
  device_uuid(device, uuid);
  return scope.done(0);
}

CUDA_API Result cuDeviceGetUuid_v2(unsigned char* uuid, int device) {
  CUDA_CALL(cuDeviceGetUuid_v2);
  device_uuid(device, uuid);
  return scope.done(0);
}

CUDA_API Result cuDeviceGetAttribute(int* value, int attribute, int device) {
  CUDA_CALL(cuDeviceGetAttribute);
  if (device < 0 || device >= device_count()) return scope.done(driver::kInvalidDevice);
  switch (attribute) {
    case 13:
      *value = static_cast<int>(kClockKhz);
      break;
    case 16:
      *value = static_cast<int>(kMultiprocessors);
      break;
    case 36:
      *value = static_cast<int>(kMemoryClockKhz);
      break;
    case 37:
      *value = static_cast<int>(kMemoryBusBits);
      break;
    case 75:
      *value = static_cast<int>(kComputeMajor);
      break;
    case 76:
      *value = static_cast<int>(kComputeMinor);
      break;
    default:
      *value = 0;
  }
  return scope.done(0);
}

CUDA_API Result cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  CUDA_CALL(cuDeviceTotalMem_v2);
  *bytes = kDeviceBytes;
  return scope.done(0);
}

CUDA_API Result cuDevicePrimaryCtxRetain(Context** to, int device) {
  CUDA_CALL(cuDevicePrimaryCtxRetain);
  if (device < 0 || device >= device_count()) return scope.done(driver::kInvalidDevice);
  *to = primary_context(device);
  return scope.done(0);
}

CUDA_API Result cuDevicePrimaryCtxGetState(int device, unsigned* flags, int* active) {
  CUDA_CALL(cuDevicePrimaryCtxGetState);
  *flags = 0;
  *active = has_primary_context(device) ? 1 : 0;
  return scope.done(0);
}

CUDA_API Result cuDevicePrimaryCtxRelease_v2(int) {
  CUDA_CALL(cuDevicePrimaryCtxRelease_v2);
  return scope.done(0);
}

CUDA_API Result cuCtxCreate_v2(Context** to, unsigned, int device) {
  CUDA_CALL(cuCtxCreate_v2);
  if (device < 0 || device >= device_count()) return scope.done(driver::kInvalidDevice);
  *to = make_context(device);
  set_current(*to);
  return scope.done(0);
}

CUDA_API Result cuCtxDestroy_v2(Context* context) {
  CUDA_CALL(cuCtxDestroy_v2);
  synchronize_context(context);
  if (current() == context) set_current(nullptr);
  return scope.done(0);
}

CUDA_API Result cuCtxSetCurrent(Context* context) {
  CUDA_CALL(cuCtxSetCurrent);
  set_current(context);
  return scope.done(0);
}

CUDA_API Result cuCtxPushCurrent_v2(Context* context) {
  CUDA_CALL(cuCtxPushCurrent_v2);
  push_current(context);
  return scope.done(0);
}

CUDA_API Result cuCtxPopCurrent_v2(Context** to) {
  CUDA_CALL(cuCtxPopCurrent_v2);
  Context* const was = pop_current();
  if (to != nullptr) *to = was;
  return scope.done(was != nullptr ? 0 : driver::kInvalidContext);
}

CUDA_API Result cuCtxGetCurrent(Context** to) {
  CUDA_CALL(cuCtxGetCurrent);
  *to = current();
  return scope.done(0);
}

CUDA_API Result cuCtxGetDevice(int* device) {
  CUDA_CALL(cuCtxGetDevice);
  *device = current_id() != 0 ? current()->device : 0;
  return scope.done(0);
}

CUDA_API Result cuCtxSynchronize() {
  CUDA_CALL(cuCtxSynchronize);
  synchronize_context(current());
  return scope.done(0);
}

CUDA_API Result cuGetErrorString(Result error, const char** text) {
  *text = error == 0 ? "no error" : "fake error";
  return 0;
}

CUDA_API Result cuGetErrorName(Result error, const char** text) {
  *text = error == 0 ? "CUDA_SUCCESS" : "CUDA_ERROR_FAKE";
  return 0;
}

namespace {

// The newest form of a function that this driver has.
void* find(const char* name, bool per_thread) {
  Dl_info self;
  if (dladdr(reinterpret_cast<void*>(&cuDriverGetVersion), &self) == 0) return nullptr;
  void* const handle = dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return nullptr;
  void* found = nullptr;
  const std::string base = name;
  if (per_thread) found = dlsym(handle, (base + "_ptsz").c_str());
  if (found == nullptr) found = dlsym(handle, (base + "_v2").c_str());
  if (found == nullptr) found = dlsym(handle, name);
  dlclose(handle);
  return found;
}

}  // namespace

CUDA_API Result cuGetProcAddress_v2(const char* name, void** function, int, std::uint64_t flags, int* status) {
  *function = find(name, (flags & 2) != 0);
  if (status != nullptr) *status = *function != nullptr ? 0 : 1;
  return *function != nullptr ? 0 : driver::kNotFound;
}

CUDA_API Result cuGetProcAddress(const char* name, void** function, int version, std::uint64_t flags) {
  return cuGetProcAddress_v2(name, function, version, flags, nullptr);
}
