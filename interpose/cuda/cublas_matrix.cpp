// cuBLAS: symmetric, Hermitian and triangular matrices with matrices, and what it has of LAPACK.
#include "interpose/cuda/blas.hpp"

using namespace prof::gpu;

#define SYMM(name, Int, e)                                                                                         \
  PROF_CUBLAS(name, Library,                                                                                       \
              (Some handle, int side, int uplo, Int m, Int n, Any alpha, Any a, Int lda, Any b, Int ldb, Any beta, \
               Some c, Int ldc),                                                                                   \
              (handle, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc),                                     \
              ask(call, symm(e, side == kLeftSide, m, n)))
PROF_BLAS_ALL(SYMM, symm_v2)
PROF_BLAS_COMPLEX(SYMM, hemm_v2)

#define SYRK(name, Int, e)                                                                                            \
  PROF_CUBLAS(name, Library,                                                                                          \
              (Some handle, int uplo, int trans, Int n, Int k, Any alpha, Any a, Int lda, Any beta, Some c, Int ldc), \
              (handle, uplo, trans, n, k, alpha, a, lda, beta, c, ldc), ask(call, syrk(e, n, k)))
PROF_BLAS_ALL(SYRK, syrk_v2)
PROF_BLAS_COMPLEX(SYRK, herk_v2)

#define SYRK_EX(name, Int, e)                                                                                          \
  PROF_CUBLAS(name, Library,                                                                                           \
              (Some handle, int uplo, int trans, Int n, Int k, Any alpha, Any a, int atype, Int lda, Any beta, Some c, \
               int ctype, Int ldc),                                                                                    \
              (handle, uplo, trans, n, k, alpha, a, atype, lda, beta, c, ctype, ldc),                                  \
              ask(call, syrk(cuda_element(atype), n, k)))
PROF_BLAS_WIDTHS(SYRK_EX, cublasCsyrkEx, )
PROF_BLAS_WIDTHS(SYRK_EX, cublasCsyrk3mEx, )
PROF_BLAS_WIDTHS(SYRK_EX, cublasCherkEx, )
PROF_BLAS_WIDTHS(SYRK_EX, cublasCherk3mEx, )

#define SYRK_OF_TWO(name, Int, e, work)                                                                             \
  PROF_CUBLAS(name, Library,                                                                                        \
              (Some handle, int uplo, int trans, Int n, Int k, Any alpha, Any a, Int lda, Any b, Int ldb, Any beta, \
               Some c, Int ldc),                                                                                    \
              (handle, uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc), ask(call, work(e, n, k)))
#define SYR2K(name, Int, e) SYRK_OF_TWO(name, Int, e, syr2k)
#define SYRKX(name, Int, e) SYRK_OF_TWO(name, Int, e, syrkx)
PROF_BLAS_ALL(SYR2K, syr2k_v2)
PROF_BLAS_COMPLEX(SYR2K, her2k_v2)
PROF_BLAS_ALL(SYRKX, syrkx)
PROF_BLAS_COMPLEX(SYRKX, herkx)

#define TRMM(name, Int, e)                                                                                           \
  PROF_CUBLAS(name, Library,                                                                                         \
              (Some handle, int side, int uplo, int trans, int diag, Int m, Int n, Any alpha, Any a, Int lda, Any b, \
               Int ldb, Some c, Int ldc),                                                                            \
              (handle, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb, c, ldc),                                \
              ask(call, trmm(e, side == kLeftSide, m, n)))
PROF_BLAS_ALL(TRMM, trmm_v2)

#define TRSM(name, Int, e)                                                                                            \
  PROF_CUBLAS(name, Library,                                                                                          \
              (Some handle, int side, int uplo, int trans, int diag, Int m, Int n, Any alpha, Any a, Int lda, Some b, \
               Int ldb),                                                                                              \
              (handle, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb),                                         \
              ask(call, trmm(e, side == kLeftSide, m, n)))
PROF_BLAS_ALL(TRSM, trsm_v2)

#define TRSM_BATCHED(name, Int, e)                                                                                   \
  PROF_CUBLAS(name, Library,                                                                                         \
              (Some handle, int side, int uplo, int trans, int diag, Int m, Int n, Any alpha, Any a, Int lda, Any b, \
               Int ldb, Int batch),                                                                                  \
              (handle, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb, batch),                                 \
              ask(call, trmm(e, side == kLeftSide, m, n, batch)))
PROF_BLAS_ALL(TRSM_BATCHED, trsmBatched)

#define GEAM(name, Int, e)                                                                                             \
  PROF_CUBLAS(name, Library,                                                                                           \
              (Some handle, int transa, int transb, Int m, Int n, Any alpha, Any a, Int lda, Any beta, Any b, Int ldb, \
               Some c, Int ldc),                                                                                       \
              (handle, transa, transb, m, n, alpha, a, lda, beta, b, ldb, c, ldc), ask(call, geam(e, m, n)))
PROF_BLAS_ALL(GEAM, geam)

#define DGMM(name, Int, e)                                                                                            \
  PROF_CUBLAS(name, Library, (Some handle, int mode, Int m, Int n, Any a, Int lda, Any x, Int incx, Some c, Int ldc), \
              (handle, mode, m, n, a, lda, x, incx, c, ldc), ask(call, dgmm(e, m, n)))
PROF_BLAS_ALL(DGMM, dgmm)

// What cuBLAS has of LAPACK, for many small matrices.
#define LAPACK(SHAPE, form)      \
  SHAPE(cublasS##form, kSingle)  \
  SHAPE(cublasD##form, kDouble)  \
  SHAPE(cublasC##form, kComplex) \
  SHAPE(cublasZ##form, kDoubleComplex)

#define GETRF_BATCHED(name, e)                                                                        \
  PROF_CUBLAS(name, Library, (Some handle, int n, Any a, int lda, Some pivots, Some info, int batch), \
              (handle, n, a, lda, pivots, info, batch), ask(call, lu(e, n, n, batch)))
LAPACK(GETRF_BATCHED, getrfBatched)

#define GETRI_BATCHED(name, e)                                                                                       \
  PROF_CUBLAS(name, Library, (Some handle, int n, Any a, int lda, Any pivots, Any c, int ldc, Some info, int batch), \
              (handle, n, a, lda, pivots, c, ldc, info, batch), ask(call, inverse_of_lu(e, n, batch)))
LAPACK(GETRI_BATCHED, getriBatched)

#define GETRS_BATCHED(name, e)                                                                                    \
  PROF_CUBLAS(                                                                                                    \
      name, Library,                                                                                              \
      (Some handle, int trans, int n, int rhs, Any a, int lda, Any pivots, Any b, int ldb, Some info, int batch), \
      (handle, trans, n, rhs, a, lda, pivots, b, ldb, info, batch), ask(call, solved(e, n, rhs, batch)))
LAPACK(GETRS_BATCHED, getrsBatched)

#define GEQRF_BATCHED(name, e)                                                                           \
  PROF_CUBLAS(name, Library, (Some handle, int m, int n, Any a, int lda, Any tau, Some info, int batch), \
              (handle, m, n, a, lda, tau, info, batch), ask(call, qr(e, m, n, batch)))
LAPACK(GEQRF_BATCHED, geqrfBatched)

#define MATINV_BATCHED(name, e)                                                                          \
  PROF_CUBLAS(name, Library, (Some handle, int n, Any a, int lda, Any c, int ldc, Some info, int batch), \
              (handle, n, a, lda, c, ldc, info, batch), ask(call, inverse(e, n, batch)))
LAPACK(MATINV_BATCHED, matinvBatched)

#define GELS_BATCHED(name, e) PROF_GPU_NAMED(Cublas, kBlasMissing, name, Library, 12, 0)
#define REPACKED(name, e) PROF_GPU_NAMED(Cublas, kBlasMissing, name, Library, 6, 0)
LAPACK(GELS_BATCHED, gelsBatched)
LAPACK(REPACKED, tpttr)
LAPACK(REPACKED, trttp)
