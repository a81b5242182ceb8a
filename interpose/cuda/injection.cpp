// The CUDA driver's door: it loads the library that CUDA_INJECTION64_PATH names and calls this, once it is initialised.
#include "agent/gpu/device.hpp"
#include "interpose/hook/hook.hpp"

// 1: all is well, whatever we make of it.
PROF_EXPORT int InitializeInjection() {
  prof::gpu::driver_begins();
  return 1;
}
