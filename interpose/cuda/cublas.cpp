// cuBLAS: its handles, and its copies between the host and a device. What the first cublasCreate takes, the making of
// the device's context included, is a call like others.
#include "interpose/cuda/blas.hpp"

using namespace prof::gpu;

PROF_GPU_NAMED(Cublas, kBlasMissing, cublasCreate_v2, Setup, 1, 0)
PROF_GPU_NAMED(Cublas, kBlasMissing, cublasDestroy_v2, Setup, 1, 0)
PROF_GPU_NAMED(Cublas, kBlasMissing, cublasSetStream_v2, Plain, 2, 0)
PROF_GPU_NAMED(Cublas, kBlasMissing, cublasSetWorkspace_v2, Plain, 3, 0)
PROF_GPU_NAMED(Cublas, kBlasMissing, cublasSetMathMode, Plain, 2, 0)
PROF_GPU_NAMED(Cublas, kBlasMissing, cublasSetPointerMode_v2, Plain, 2, 0)

#define VECTOR(name, Int, From)                                                                              \
  PROF_CUBLAS(name, Copy, (Int n, Int size, Any x, Int incx, Some y, Int incy), (n, size, x, incx, y, incy), \
              call.bytes = times(count(n), count(size)))
PROF_BLAS_WIDTHS(VECTOR, cublasSetVector, )
PROF_BLAS_WIDTHS(VECTOR, cublasGetVector, )

#define VECTOR_ASYNC(name, Int, From)                                                        \
  PROF_CUBLAS(name, Copy, (Int n, Int size, Any x, Int incx, Some y, Int incy, Some stream), \
              (n, size, x, incx, y, incy, stream), call.bytes = times(count(n), count(size)))
PROF_BLAS_WIDTHS(VECTOR_ASYNC, cublasSetVectorAsync, )
PROF_BLAS_WIDTHS(VECTOR_ASYNC, cublasGetVectorAsync, )

#define MATRIX(name, Int, From)                                                               \
  PROF_CUBLAS(name, Copy, (Int rows, Int columns, Int size, Any a, Int lda, Some b, Int ldb), \
              (rows, columns, size, a, lda, b, ldb), call.bytes = times(count(rows), count(columns), count(size)))
PROF_BLAS_WIDTHS(MATRIX, cublasSetMatrix, )
PROF_BLAS_WIDTHS(MATRIX, cublasGetMatrix, )

#define MATRIX_ASYNC(name, Int, From)                                                                      \
  PROF_CUBLAS(name, Copy, (Int rows, Int columns, Int size, Any a, Int lda, Some b, Int ldb, Some stream), \
              (rows, columns, size, a, lda, b, ldb, stream),                                               \
              call.bytes = times(count(rows), count(columns), count(size)))
PROF_BLAS_WIDTHS(MATRIX_ASYNC, cublasSetMatrixAsync, )
PROF_BLAS_WIDTHS(MATRIX_ASYNC, cublasGetMatrixAsync, )
