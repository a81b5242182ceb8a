// Devices, errors, code and the profiler's own switch of the CUDA runtime.
#include "agent/capture/window.hpp"
#include "agent/gpu/device.hpp"
#include "interpose/cuda/runtime.hpp"

using namespace prof::gpu;

// What the first of them takes is the start of the driver: with a stack, small as they are.
PROF_CUDART(cudaGetDeviceCount, Setup, (int* count), (count), )
PROF_CUDART(cudaInitDevice, Setup, (int device, unsigned device_flags, unsigned flags), (device, device_flags, flags), )
PROF_CUDART(cudaSetDeviceFlags, Setup, (unsigned flags), (flags), )
PROF_CUDART(cudaDeviceReset, Setup, (), (), flush_device(true))
PROF_CUDART(cudaDeviceSetLimit, Setup, (int limit, size_t value), (limit, value), )
PROF_CUDART(cudaDeviceEnablePeerAccess, Setup, (int device, unsigned flags), (device, flags), )
PROF_CUDART(cudaDeviceDisablePeerAccess, Setup, (int device), (device), )
PROF_CUDART_ANY(cudaGetDeviceProperties, Setup, (void* properties, int device), (properties, device), )
PROF_CUDART_ANY(cudaGetDeviceProperties_v2, Setup, (void* properties, int device), (properties, device), )

PROF_CUDART_THEN(cudaSetDevice, Plain, (int device), (device), ,
                 if (call && result == 0) device_chosen(static_cast<std::uint32_t>(device)))
PROF_CUDART(cudaGetDevice, Plain, (int* device), (device), )
PROF_CUDART(cudaDeviceGetAttribute, Plain, (int* value, int attribute, int device), (value, attribute, device), )
PROF_CUDART(cudaDeviceGetLimit, Plain, (size_t * value, int limit), (value, limit), )
PROF_CUDART(cudaDeviceGetPCIBusId, Plain, (char* text, int room, int device), (text, room, device), )
PROF_CUDART(cudaDeviceGetByPCIBusId, Plain, (int* device, const char* text), (device, text), )
PROF_CUDART(cudaDeviceCanAccessPeer, Plain, (int* can, int device, int peer), (can, device, peer), )
PROF_CUDART(cudaDeviceGetStreamPriorityRange, Plain, (int* least, int* greatest), (least, greatest), )
PROF_CUDART(cudaDriverGetVersion, Plain, (int* version), (version), )
PROF_CUDART(cudaRuntimeGetVersion, Plain, (int* version), (version), )

// They return what the last call of the thread returned: that is no failure of theirs.
PROF_CUDART_QUERY(cudaGetLastError, (), ())
PROF_CUDART_QUERY(cudaPeekAtLastError, (), ())

PROF_CUDART_THEN(cudaProfilerStart, Plain, (), (), , prof::capture::profiler_started())
PROF_CUDART_THEN(cudaProfilerStop, Plain, (), (), , prof::capture::profiler_stopped())

PROF_CUDART_ANY(cudaLibraryLoadData, Setup,
                (void** library, const void* code, void* jit, void* jit_values, unsigned jit_count, void* options,
                 void* values, unsigned count),
                (library, code, jit, jit_values, jit_count, options, values, count), )
PROF_CUDART_ANY(cudaLibraryLoadFromFile, Setup,
                (void** library, const char* path, void* jit, void* jit_values, unsigned jit_count, void* options,
                 void* values, unsigned count),
                (library, path, jit, jit_values, jit_count, options, values, count), )
PROF_CUDART_ANY(cudaLibraryUnload, Setup, (void* library), (library), )
PROF_CUDART_ANY(cudaLibraryGetKernel, Setup, (void** kernel, void* library, const char* name),
                (kernel, library, name), )
