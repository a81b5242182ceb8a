// What the rows of cuBLAS share: most of its functions exist for four types of elements, and since CUDA 12 for two
// widths of integers.
#pragma once

#include "interpose/cuda/library.hpp"

namespace prof::gpu {

inline constexpr int kBlasMissing = 1;  // CUBLAS_STATUS_NOT_INITIALIZED
inline constexpr int kLeftSide = 0;     // CUBLAS_SIDE_LEFT

using Any = const void*;
using Some = void*;

}  // namespace prof::gpu

#define PROF_CUBLAS(name, role, params, args, before) \
  PROF_GPU_CALL(Cublas, ::prof::gpu::kBlasMissing, 0, int, name, role, params, args, before, (void)0)

// SHAPE(name, Int, element) for the types and widths that there are.
#define PROF_BLAS_WIDTHS(SHAPE, name, ...) \
  SHAPE(name, std::int32_t, __VA_ARGS__)   \
  SHAPE(name##_64, std::int64_t, __VA_ARGS__)
#define PROF_BLAS_REAL(SHAPE, form)                            \
  PROF_BLAS_WIDTHS(SHAPE, cublasS##form, ::prof::gpu::kSingle) \
  PROF_BLAS_WIDTHS(SHAPE, cublasD##form, ::prof::gpu::kDouble)
#define PROF_BLAS_COMPLEX(SHAPE, form)                          \
  PROF_BLAS_WIDTHS(SHAPE, cublasC##form, ::prof::gpu::kComplex) \
  PROF_BLAS_WIDTHS(SHAPE, cublasZ##form, ::prof::gpu::kDoubleComplex)
#define PROF_BLAS_ALL(SHAPE, form) \
  PROF_BLAS_REAL(SHAPE, form)      \
  PROF_BLAS_COMPLEX(SHAPE, form)
