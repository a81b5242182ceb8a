// Rows of the CUDA driver: see call.hpp. A function that was changed exists under its new name, which ends in a
// version, beside the old one; headers turn the plain name into the new one. Of functions that changed before CUDA 4
// the old ones are left out.
#pragma once

#include "agent/gpu/memory.hpp"
#include "interpose/cuda/call.hpp"
#include "interpose/cuda/layouts.hpp"

namespace prof::gpu {
using DevicePtr = unsigned long long;  // CUdeviceptr
}

// Returned where there is no driver: CUDA_ERROR_NOT_INITIALIZED. No error: CUDA_ERROR_NOT_READY.
#define PROF_CUDA_THEN(name, role, params, args, before, ...) \
  PROF_GPU_CALL(Driver, 3, 600, int, name, role, params, args, before, __VA_ARGS__)
#define PROF_CUDA_SIZED(name, role, params, args, size, ...) \
  PROF_GPU_SIZED(Driver, 3, 600, int, name, role, params, args, size, __VA_ARGS__)
#define PROF_CUDA(name, role, params, args, ...) PROF_CUDA_THEN(name, role, params, args, __VA_ARGS__, )

// As of the runtime: the default stream's other name.
#define PROF_CUDA_PER_THREAD(suffix, name, role, params, args, ...) \
  PROF_CUDA(name, role, params, args, __VA_ARGS__)                  \
  PROF_GPU_VARIANT(Driver, 3, 600, int, name, suffix, role, params, args, __VA_ARGS__, )
#define PROF_CUDA_THEN_PER_THREAD(suffix, name, role, params, args, before, ...) \
  PROF_CUDA_THEN(name, role, params, args, before, __VA_ARGS__)                  \
  PROF_GPU_VARIANT(Driver, 3, 600, int, name, suffix, role, params, args, before, __VA_ARGS__)

// Not declared, or declared otherwise, in some versions.
#define PROF_CUDA_ANY(name, role, params, args, ...) \
  PROF_GPU_ANY(Driver, 3, 600, int, name, role, params, args, __VA_ARGS__, )
#define PROF_CUDA_ANY_PER_THREAD(suffix, name, role, params, args, ...) \
  PROF_CUDA_ANY(name, role, params, args, __VA_ARGS__)                  \
  PROF_GPU_VARIANT(Driver, 3, 600, int, name, suffix, role, params, args, __VA_ARGS__, )

#define PROF_CU_ALLOCATED(block, bytes, place) \
  if (call && result == 0)                     \
  prof::gpu::segment_allocated((const void*)(*(block)), bytes, prof::gpu::Place::place, prof::gpu::kUnknownDevice)
#define PROF_CU_FREED(block) \
  if ((block) != 0) prof::gpu::segment_freed((const void*)(block))
