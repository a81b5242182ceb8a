// cuBLAS-XT: matrices in the host's memory, on several devices.
#include "interpose/cuda/blas.hpp"

using namespace prof::gpu;

PROF_GPU_NAMED(Cublas, kBlasMissing, cublasXtCreate, Setup, 1, 0)
PROF_GPU_NAMED(Cublas, kBlasMissing, cublasXtDestroy, Setup, 1, 0)
PROF_GPU_NAMED(Cublas, kBlasMissing, cublasXtDeviceSelect, Setup, 3, 0)

#define GEMM(name, e)                                                                                              \
  PROF_CUBLAS(name, Library,                                                                                       \
              (Some handle, int transa, int transb, std::size_t m, std::size_t n, std::size_t k, Any alpha, Any a, \
               std::size_t lda, Any b, std::size_t ldb, Any beta, Some c, std::size_t ldc),                        \
              (handle, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc),                              \
              ask(call, gemm(e, e, e, m, n, k)))
GEMM(cublasXtSgemm, kSingle)
GEMM(cublasXtDgemm, kDouble)
GEMM(cublasXtCgemm, kComplex)
GEMM(cublasXtZgemm, kDoubleComplex)

#define NAMED(form, words)                                                 \
  PROF_GPU_NAMED(Cublas, kBlasMissing, cublasXtC##form, Library, words, 0) \
  PROF_GPU_NAMED(Cublas, kBlasMissing, cublasXtZ##form, Library, words, 0)
#define NAMED_FOUR(form, words)                                            \
  PROF_GPU_NAMED(Cublas, kBlasMissing, cublasXtS##form, Library, words, 0) \
  PROF_GPU_NAMED(Cublas, kBlasMissing, cublasXtD##form, Library, words, 0) \
  NAMED(form, words)
NAMED_FOUR(syrk, 11)
NAMED_FOUR(syr2k, 13)
NAMED_FOUR(syrkx, 13)
NAMED_FOUR(symm, 13)
NAMED_FOUR(spmm, 12)
NAMED_FOUR(trsm, 12)
NAMED_FOUR(trmm, 14)
NAMED(herk, 11)
NAMED(her2k, 13)
NAMED(herkx, 13)
NAMED(hemm, 13)
