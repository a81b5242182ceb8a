// cuBLAS: general matrix products in all their forms.
#include "interpose/cuda/blas.hpp"

using namespace prof::gpu;

namespace {

// The products of groups that differ in their sizes; the sizes are the host's.
template <class Int>
Work grouped(Element a, Element b, Element c, const Int* m, const Int* n, const Int* k, Int groups, const Int* sizes) {
  Work sum;
  if (m == nullptr || n == nullptr || k == nullptr || sizes == nullptr) return sum;
  for (Int i = 0; i < groups; ++i) sum = plus(sum, gemm(a, b, c, m[i], n[i], k[i], sizes[i]));
  return sum;
}

}  // namespace

#define GEMM(name, Int, e)                                                                                          \
  PROF_CUBLAS(name, Library,                                                                                        \
              (Some handle, int transa, int transb, Int m, Int n, Int k, Any alpha, Any a, Int lda, Any b, Int ldb, \
               Any beta, Some c, Int ldc),                                                                          \
              (handle, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc),                               \
              ask(call, gemm(e, e, e, m, n, k)))
PROF_BLAS_ALL(GEMM, gemm_v2)
PROF_BLAS_WIDTHS(GEMM, cublasHgemm, kHalf)
PROF_BLAS_WIDTHS(GEMM, cublasCgemm3m, kComplex)
PROF_BLAS_WIDTHS(GEMM, cublasZgemm3m, kDoubleComplex)

#define GEMM_BATCHED(name, Int, e)                                                                                  \
  PROF_CUBLAS(name, Library,                                                                                        \
              (Some handle, int transa, int transb, Int m, Int n, Int k, Any alpha, Any a, Int lda, Any b, Int ldb, \
               Any beta, Any c, Int ldc, Int batch),                                                                \
              (handle, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, batch),                        \
              ask(call, gemm(e, e, e, m, n, k, batch)))
PROF_BLAS_ALL(GEMM_BATCHED, gemmBatched)
PROF_BLAS_WIDTHS(GEMM_BATCHED, cublasHgemmBatched, kHalf)
PROF_BLAS_WIDTHS(GEMM_BATCHED, cublasCgemm3mBatched, kComplex)

#define GEMM_STRIDED(name, Int, e)                                                                                \
  PROF_CUBLAS(                                                                                                    \
      name, Library,                                                                                              \
      (Some handle, int transa, int transb, Int m, Int n, Int k, Any alpha, Any a, Int lda, std::int64_t stridea, \
       Any b, Int ldb, std::int64_t strideb, Any beta, Some c, Int ldc, std::int64_t stridec, Int batch),         \
      (handle, transa, transb, m, n, k, alpha, a, lda, stridea, b, ldb, strideb, beta, c, ldc, stridec, batch),   \
      ask(call, gemm(e, e, e, m, n, k, batch)))
PROF_BLAS_ALL(GEMM_STRIDED, gemmStridedBatched)
PROF_BLAS_WIDTHS(GEMM_STRIDED, cublasHgemmStridedBatched, kHalf)
PROF_BLAS_WIDTHS(GEMM_STRIDED, cublasCgemm3mStridedBatched, kComplex)

// With types by argument: of the operands alone, or of the computation, too.
#define GEMM_TYPED(name, Int, e)                                                                                      \
  PROF_CUBLAS(name, Library,                                                                                          \
              (Some handle, int transa, int transb, Int m, Int n, Int k, Any alpha, Any a, int atype, Int lda, Any b, \
               int btype, Int ldb, Any beta, Some c, int ctype, Int ldc),                                             \
              (handle, transa, transb, m, n, k, alpha, a, atype, lda, b, btype, ldb, beta, c, ctype, ldc),            \
              ask(call, gemm(cuda_element(atype), cuda_element(btype), cuda_element(ctype), m, n, k)))
PROF_BLAS_WIDTHS(GEMM_TYPED, cublasSgemmEx, )
PROF_BLAS_WIDTHS(GEMM_TYPED, cublasCgemmEx, )
PROF_BLAS_WIDTHS(GEMM_TYPED, cublasCgemm3mEx, )

#define GEMM_EX(name, Int, e)                                                                                         \
  PROF_CUBLAS(name, Library,                                                                                          \
              (Some handle, int transa, int transb, Int m, Int n, Int k, Any alpha, Any a, int atype, Int lda, Any b, \
               int btype, Int ldb, Any beta, Some c, int ctype, Int ldc, int computing, int algorithm),               \
              (handle, transa, transb, m, n, k, alpha, a, atype, lda, b, btype, ldb, beta, c, ctype, ldc, computing,  \
               algorithm),                                                                                            \
              ask(call, gemm(cuda_element(atype), cuda_element(btype), cuda_element(ctype), m, n, k)))
PROF_BLAS_WIDTHS(GEMM_EX, cublasGemmEx, )

#define GEMM_BATCHED_EX(name, Int, e)                                                                                 \
  PROF_CUBLAS(name, Library,                                                                                          \
              (Some handle, int transa, int transb, Int m, Int n, Int k, Any alpha, Any a, int atype, Int lda, Any b, \
               int btype, Int ldb, Any beta, Any c, int ctype, Int ldc, Int batch, int computing, int algorithm),     \
              (handle, transa, transb, m, n, k, alpha, a, atype, lda, b, btype, ldb, beta, c, ctype, ldc, batch,      \
               computing, algorithm),                                                                                 \
              ask(call, gemm(cuda_element(atype), cuda_element(btype), cuda_element(ctype), m, n, k, batch)))
PROF_BLAS_WIDTHS(GEMM_BATCHED_EX, cublasGemmBatchedEx, )

#define GEMM_STRIDED_EX(name, Int, e)                                                                                  \
  PROF_CUBLAS(name, Library,                                                                                           \
              (Some handle, int transa, int transb, Int m, Int n, Int k, Any alpha, Any a, int atype, Int lda,         \
               std::int64_t stridea, Any b, int btype, Int ldb, std::int64_t strideb, Any beta, Some c, int ctype,     \
               Int ldc, std::int64_t stridec, Int batch, int computing, int algorithm),                                \
              (handle, transa, transb, m, n, k, alpha, a, atype, lda, stridea, b, btype, ldb, strideb, beta, c, ctype, \
               ldc, stridec, batch, computing, algorithm),                                                             \
              ask(call, gemm(cuda_element(atype), cuda_element(btype), cuda_element(ctype), m, n, k, batch)))
PROF_BLAS_WIDTHS(GEMM_STRIDED_EX, cublasGemmStridedBatchedEx, )

#define GEMM_GROUPED(name, Int, e)                                                                                    \
  PROF_CUBLAS(                                                                                                        \
      name, Library,                                                                                                  \
      (Some handle, const int* transa, const int* transb, const Int* m, const Int* n, const Int* k, Any alpha, Any a, \
       const Int* lda, Any b, const Int* ldb, Any beta, Any c, const Int* ldc, Int groups, const Int* sizes),         \
      (handle, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, groups, sizes),                          \
      ask(call, grouped(e, e, e, m, n, k, groups, sizes)))
PROF_BLAS_REAL(GEMM_GROUPED, gemmGroupedBatched)

#define GEMM_GROUPED_EX(name, Int, e)                                                                                 \
  PROF_CUBLAS(                                                                                                        \
      name, Library,                                                                                                  \
      (Some handle, const int* transa, const int* transb, const Int* m, const Int* n, const Int* k, Any alpha, Any a, \
       int atype, const Int* lda, Any b, int btype, const Int* ldb, Any beta, Any c, int ctype, const Int* ldc,       \
       Int groups, const Int* sizes, int computing),                                                                  \
      (handle, transa, transb, m, n, k, alpha, a, atype, lda, b, btype, ldb, beta, c, ctype, ldc, groups, sizes,      \
       computing),                                                                                                    \
      ask(call, grouped(cuda_element(atype), cuda_element(btype), cuda_element(ctype), m, n, k, groups, sizes)))
PROF_BLAS_WIDTHS(GEMM_GROUPED_EX, cublasGemmGroupedBatchedEx, )

PROF_GPU_NAMED(Cublas, kBlasMissing, cublasUint8gemmBias, Library, 18, 0)
