#include "agent/gpu/nvml_library.hpp"

#include <dlfcn.h>

namespace prof::gpu::nvml {
namespace {

template <class F>
void find(void* library, F& function, const char* name) {
  function = reinterpret_cast<F>(dlsym(library, name));
}

}  // namespace

const char* load(Functions& f) {
  void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    dlerror();
    return "libnvidia-ml.so.1 was not found";
  }
  find(library, f.init, "nvmlInit_v2");
  find(library, f.error_string, "nvmlErrorString");
  find(library, f.count, "nvmlDeviceGetCount_v2");
  find(library, f.by_index, "nvmlDeviceGetHandleByIndex_v2");
  find(library, f.by_uuid, "nvmlDeviceGetHandleByUUID");
  find(library, f.name, "nvmlDeviceGetName");
  find(library, f.memory, "nvmlDeviceGetMemoryInfo");
  find(library, f.utilization, "nvmlDeviceGetUtilizationRates");
  find(library, f.power, "nvmlDeviceGetPowerUsage");
  find(library, f.energy, "nvmlDeviceGetTotalEnergyConsumption");
  find(library, f.temperature, "nvmlDeviceGetTemperature");
  find(library, f.clock, "nvmlDeviceGetClockInfo");
  find(library, f.max_clock, "nvmlDeviceGetMaxClockInfo");
  find(library, f.bus_width, "nvmlDeviceGetMemoryBusWidth");
  find(library, f.processes, "nvmlDeviceGetComputeRunningProcesses_v3");
  if (f.processes == nullptr) find(library, f.processes, "nvmlDeviceGetComputeRunningProcesses_v2");
  dlerror();
  if (f.init == nullptr || f.memory == nullptr || f.by_uuid == nullptr) return "libnvidia-ml.so.1 lacks functions";
  const int error = f.init();
  if (error == kSuccess) return nullptr;
  return f.error_string != nullptr ? f.error_string(error) : "nvmlInit failed";
}

}  // namespace prof::gpu::nvml
