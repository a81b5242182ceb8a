// Devices and contexts of the CUDA driver.
#include "agent/capture/window.hpp"
#include "agent/gpu/device.hpp"
#include "interpose/cuda/driver.hpp"

using namespace prof::gpu;

PROF_CUDA(cuInit, Setup, (unsigned flags), (flags), )
PROF_CUDA(cuDriverGetVersion, Plain, (int* version), (version), )
PROF_CUDA(cuDeviceGet, Plain, (int* device, int ordinal), (device, ordinal), )
PROF_CUDA(cuDeviceGetCount, Plain, (int* count), (count), )
PROF_CUDA(cuDeviceGetName, Plain, (char* name, int room, int device), (name, room, device), )
PROF_CUDA(cuDeviceTotalMem_v2, Plain, (size_t * bytes, int device), (bytes, device), )
PROF_CUDA(cuDeviceGetAttribute, Plain, (int* value, int attribute, int device), (value, attribute, device), )
PROF_CUDA(cuDeviceCanAccessPeer, Plain, (int* can, int device, int peer), (can, device, peer), )

PROF_CUDA(cuDevicePrimaryCtxRetain, Setup, (void** context, int device), (context, device), )
// Called around every single operation by some libraries, and seldom the last release.
PROF_CUDA(cuDevicePrimaryCtxRelease_v2, Setup, (int device), (device), )
PROF_CUDA(cuDevicePrimaryCtxReset_v2, Setup, (int device), (device), flush_device(true))
PROF_CUDA(cuDevicePrimaryCtxSetFlags_v2, Setup, (int device, unsigned flags), (device, flags), )
PROF_CUDA(cuDevicePrimaryCtxGetState, Plain, (int device, unsigned* flags, int* active), (device, flags, active), )
PROF_CUDA_ANY(cuCtxCreate_v2, Setup, (void** context, unsigned flags, int device), (context, flags, device), )
PROF_CUDA_ANY(cuCtxCreate_v3, Setup, (void** context, void* affinity, int count, unsigned flags, int device),
              (context, affinity, count, flags, device), )
PROF_CUDA_ANY(cuCtxCreate_v4, Setup, (void** context, void* params, unsigned flags, int device),
              (context, params, flags, device), )
PROF_CUDA(cuCtxDestroy_v2, Setup, (void* context), (context), flush_device(false))
PROF_CUDA(cuCtxSetLimit, Setup, (int limit, size_t value), (limit, value), )
PROF_CUDA(cuCtxEnablePeerAccess, Setup, (void* context, unsigned flags), (context, flags), )
PROF_CUDA(cuCtxDisablePeerAccess, Setup, (void* context), (context), )

PROF_CUDA(cuCtxPushCurrent_v2, Plain, (void* context), (context), )
PROF_CUDA(cuCtxPopCurrent_v2, Plain, (void** context), (context), )
PROF_CUDA(cuCtxSetCurrent, Plain, (void* context), (context), )
PROF_CUDA(cuCtxGetCurrent, Plain, (void** context), (context), )
PROF_CUDA(cuCtxGetDevice, Plain, (int* device), (device), )

PROF_CUDA_THEN(cuProfilerStart, Plain, (), (), , prof::capture::profiler_started())
PROF_CUDA_THEN(cuProfilerStop, Plain, (), (), , prof::capture::profiler_stopped())
