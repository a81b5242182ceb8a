// What the rows of cuDNN share.
#pragma once

#include "interpose/cuda/library.hpp"

namespace prof::gpu {

inline constexpr int kDnnMissing = 1001;  // CUDNN_STATUS_NOT_INITIALIZED of version 9

using Any = const void*;
using Some = void*;

}  // namespace prof::gpu

#define PROF_CUDNN(name, role, params, args, before, ...) \
  PROF_GPU_CALL(Cudnn, ::prof::gpu::kDnnMissing, 0, int, name, role, params, args, before, __VA_ARGS__)
#define PROF_CUDNN_NAMED(name, role, words, reals) \
  PROF_GPU_NAMED(Cudnn, ::prof::gpu::kDnnMissing, name, role, words, reals)
