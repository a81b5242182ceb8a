// Rows of the CUDA runtime: see call.hpp.
#pragma once

#include "agent/gpu/memory.hpp"
#include "interpose/cuda/call.hpp"
#include "interpose/cuda/layouts.hpp"

// Returned where there is no runtime: cudaErrorInitializationError. No error: cudaErrorNotReady.
#define PROF_CUDART_THEN(name, role, params, args, before, ...) \
  PROF_GPU_CALL(Runtime, 3, 600, int, name, role, params, args, before, __VA_ARGS__)
#define PROF_CUDART_SIZED(name, role, params, args, size, ...) \
  PROF_GPU_SIZED(Runtime, 3, 600, int, name, role, params, args, size, __VA_ARGS__)
#define PROF_CUDART(name, role, params, args, ...) PROF_CUDART_THEN(name, role, params, args, __VA_ARGS__, )

// A function that works on the default stream has another name, which ends in _ptds or _ptsz, for programs that were
// compiled with a default stream per thread.
#define PROF_CUDART_PER_THREAD(suffix, name, role, params, args, ...) \
  PROF_CUDART(name, role, params, args, __VA_ARGS__)                  \
  PROF_GPU_VARIANT(Runtime, 3, 600, int, name, suffix, role, params, args, __VA_ARGS__, )
#define PROF_CUDART_THEN_PER_THREAD(suffix, name, role, params, args, before, ...) \
  PROF_CUDART_THEN(name, role, params, args, before, __VA_ARGS__)                  \
  PROF_GPU_VARIANT(Runtime, 3, 600, int, name, suffix, role, params, args, before, __VA_ARGS__)

// A function whose parameters differ between versions of CUDA: ours are those of all of them, in registers and on the
// stack; what a version does not have is passed on and not looked at.
#define PROF_CUDART_ANY(name, role, params, args, ...) \
  PROF_GPU_ANY(Runtime, 3, 600, int, name, role, params, args, __VA_ARGS__, )
#define PROF_CUDART_ANY_PER_THREAD(suffix, name, role, params, args, ...) \
  PROF_CUDART_ANY(name, role, params, args, __VA_ARGS__)                  \
  PROF_GPU_VARIANT(Runtime, 3, 600, int, name, suffix, role, params, args, __VA_ARGS__, )

// A function whose result says nothing about itself.
#define PROF_CUDART_QUERY(name, params, args) PROF_GPU_QUERY(Runtime, 3, int, name, params, args)

// What an allocation leaves behind: `*block` of `bytes` bytes, once it has succeeded.
#define PROF_ALLOCATED(block, bytes, place) \
  if (call && result == 0)                  \
  prof::gpu::segment_allocated((const void*)(*(block)), bytes, prof::gpu::Place::place, prof::gpu::kUnknownDevice)
#define PROF_FREED(block) \
  if ((block) != 0) prof::gpu::segment_freed((const void*)(block))
