// cuBLAS: vectors, and matrices with vectors.
#include "interpose/cuda/blas.hpp"

using namespace prof::gpu;

#define GEMV(name, Int, e)                                                                                            \
  PROF_CUBLAS(                                                                                                        \
      name, Library,                                                                                                  \
      (Some handle, int trans, Int m, Int n, Any alpha, Any a, Int lda, Any x, Int incx, Any beta, Some y, Int incy), \
      (handle, trans, m, n, alpha, a, lda, x, incx, beta, y, incy), ask(call, gemv(e, e, e, m, n)))
PROF_BLAS_ALL(GEMV, gemv_v2)

#define GEMV_BATCHED(name, Int, ...)                                                                              \
  PROF_CUBLAS(name, Library,                                                                                      \
              (Some handle, int trans, Int m, Int n, Any alpha, Any a, Int lda, Any x, Int incx, Any beta, Any y, \
               Int incy, Int batch),                                                                              \
              (handle, trans, m, n, alpha, a, lda, x, incx, beta, y, incy, batch),                                \
              ask(call, gemv(__VA_ARGS__, m, n, batch)))
#define GEMV_BATCHED_ALIKE(name, Int, e) GEMV_BATCHED(name, Int, e, e, e)
PROF_BLAS_ALL(GEMV_BATCHED_ALIKE, gemvBatched)
PROF_BLAS_WIDTHS(GEMV_BATCHED, cublasHSHgemvBatched, kHalf, kHalf, kHalf)
PROF_BLAS_WIDTHS(GEMV_BATCHED, cublasHSSgemvBatched, kHalf, kHalf, kSingle)
PROF_BLAS_WIDTHS(GEMV_BATCHED, cublasTSTgemvBatched, kHalf, kHalf, kHalf)
PROF_BLAS_WIDTHS(GEMV_BATCHED, cublasTSSgemvBatched, kHalf, kHalf, kSingle)

#define GEMV_STRIDED(name, Int, ...)                                                                                   \
  PROF_CUBLAS(name, Library,                                                                                           \
              (Some handle, int trans, Int m, Int n, Any alpha, Any a, Int lda, std::int64_t stridea, Any x, Int incx, \
               std::int64_t stridex, Any beta, Some y, Int incy, std::int64_t stridey, Int batch),                     \
              (handle, trans, m, n, alpha, a, lda, stridea, x, incx, stridex, beta, y, incy, stridey, batch),          \
              ask(call, gemv(__VA_ARGS__, m, n, batch)))
#define GEMV_STRIDED_ALIKE(name, Int, e) GEMV_STRIDED(name, Int, e, e, e)
PROF_BLAS_ALL(GEMV_STRIDED_ALIKE, gemvStridedBatched)
PROF_BLAS_WIDTHS(GEMV_STRIDED, cublasHSHgemvStridedBatched, kHalf, kHalf, kHalf)
PROF_BLAS_WIDTHS(GEMV_STRIDED, cublasHSSgemvStridedBatched, kHalf, kHalf, kSingle)
PROF_BLAS_WIDTHS(GEMV_STRIDED, cublasTSTgemvStridedBatched, kHalf, kHalf, kHalf)
PROF_BLAS_WIDTHS(GEMV_STRIDED, cublasTSSgemvStridedBatched, kHalf, kHalf, kSingle)

// What a band holds is not worked out.
#define GBMV(name, Int, e) PROF_GPU_NAMED(Cublas, kBlasMissing, name, Library, 14, 0)
#define SBMV(name, Int, e) PROF_GPU_NAMED(Cublas, kBlasMissing, name, Library, 12, 0)
#define TBMV(name, Int, e) PROF_GPU_NAMED(Cublas, kBlasMissing, name, Library, 10, 0)
PROF_BLAS_ALL(GBMV, gbmv_v2)
PROF_BLAS_REAL(SBMV, sbmv_v2)
PROF_BLAS_COMPLEX(SBMV, hbmv_v2)
PROF_BLAS_ALL(TBMV, tbmv_v2)
PROF_BLAS_ALL(TBMV, tbsv_v2)

#define SYMV(name, Int, e)                                                                                            \
  PROF_CUBLAS(name, Library,                                                                                          \
              (Some handle, int uplo, Int n, Any alpha, Any a, Int lda, Any x, Int incx, Any beta, Some y, Int incy), \
              (handle, uplo, n, alpha, a, lda, x, incx, beta, y, incy), ask(call, symv(e, n)))
PROF_BLAS_ALL(SYMV, symv_v2)
PROF_BLAS_COMPLEX(SYMV, hemv_v2)

#define SPMV(name, Int, e)                                                                                   \
  PROF_CUBLAS(name, Library,                                                                                 \
              (Some handle, int uplo, Int n, Any alpha, Any a, Any x, Int incx, Any beta, Some y, Int incy), \
              (handle, uplo, n, alpha, a, x, incx, beta, y, incy), ask(call, symv(e, n)))
PROF_BLAS_REAL(SPMV, spmv_v2)
PROF_BLAS_COMPLEX(SPMV, hpmv_v2)

#define TRMV(name, Int, e)                                                                                          \
  PROF_CUBLAS(name, Library, (Some handle, int uplo, int trans, int diag, Int n, Any a, Int lda, Some x, Int incx), \
              (handle, uplo, trans, diag, n, a, lda, x, incx), ask(call, trmv(e, n)))
PROF_BLAS_ALL(TRMV, trmv_v2)
PROF_BLAS_ALL(TRMV, trsv_v2)

#define TPMV(name, Int, e)                                                                                 \
  PROF_CUBLAS(name, Library, (Some handle, int uplo, int trans, int diag, Int n, Any a, Some x, Int incx), \
              (handle, uplo, trans, diag, n, a, x, incx), ask(call, trmv(e, n)))
PROF_BLAS_ALL(TPMV, tpmv_v2)
PROF_BLAS_ALL(TPMV, tpsv_v2)

#define GER(name, Int, e)                                                                                \
  PROF_CUBLAS(name, Library,                                                                             \
              (Some handle, Int m, Int n, Any alpha, Any x, Int incx, Any y, Int incy, Some a, Int lda), \
              (handle, m, n, alpha, x, incx, y, incy, a, lda), ask(call, ger(e, m, n)))
PROF_BLAS_REAL(GER, ger_v2)
PROF_BLAS_COMPLEX(GER, geru_v2)
PROF_BLAS_COMPLEX(GER, gerc_v2)

#define SYR(name, Int, e)                                                                                 \
  PROF_CUBLAS(name, Library, (Some handle, int uplo, Int n, Any alpha, Any x, Int incx, Some a, Int lda), \
              (handle, uplo, n, alpha, x, incx, a, lda), ask(call, syr(e, n)))
PROF_BLAS_ALL(SYR, syr_v2)
PROF_BLAS_COMPLEX(SYR, her_v2)

#define SPR(name, Int, e)                                                                        \
  PROF_CUBLAS(name, Library, (Some handle, int uplo, Int n, Any alpha, Any x, Int incx, Some a), \
              (handle, uplo, n, alpha, x, incx, a), ask(call, syr(e, n)))
PROF_BLAS_REAL(SPR, spr_v2)
PROF_BLAS_COMPLEX(SPR, hpr_v2)

#define SYR2(name, Int, e)                                                                                  \
  PROF_CUBLAS(name, Library,                                                                                \
              (Some handle, int uplo, Int n, Any alpha, Any x, Int incx, Any y, Int incy, Some a, Int lda), \
              (handle, uplo, n, alpha, x, incx, y, incy, a, lda), ask(call, syr2(e, n)))
PROF_BLAS_ALL(SYR2, syr2_v2)
PROF_BLAS_COMPLEX(SYR2, her2_v2)

#define SPR2(name, Int, e)                                                                                        \
  PROF_CUBLAS(name, Library, (Some handle, int uplo, Int n, Any alpha, Any x, Int incx, Any y, Int incy, Some a), \
              (handle, uplo, n, alpha, x, incx, y, incy, a), ask(call, syr2(e, n)))
PROF_BLAS_REAL(SPR2, spr2_v2)
PROF_BLAS_COMPLEX(SPR2, hpr2_v2)

#define AXPY(name, Int, e)                                                                       \
  PROF_CUBLAS(name, Library, (Some handle, Int n, Any alpha, Any x, Int incx, Some y, Int incy), \
              (handle, n, alpha, x, incx, y, incy), ask(call, axpy(e, n)))
PROF_BLAS_ALL(AXPY, axpy_v2)

#define SCAL(name, Int, e, real_factor)                                                                      \
  PROF_CUBLAS(name, Library, (Some handle, Int n, Any alpha, Some x, Int incx), (handle, n, alpha, x, incx), \
              ask(call, scal(e, real_factor, n)))
#define SCAL_ALIKE(name, Int, e) SCAL(name, Int, e, false)
PROF_BLAS_ALL(SCAL_ALIKE, scal_v2)
PROF_BLAS_WIDTHS(SCAL, cublasCsscal_v2, kComplex, true)
PROF_BLAS_WIDTHS(SCAL, cublasZdscal_v2, kDoubleComplex, true)

#define DOT(name, Int, e)                                                                       \
  PROF_CUBLAS(name, Library, (Some handle, Int n, Any x, Int incx, Any y, Int incy, Some into), \
              (handle, n, x, incx, y, incy, into), ask(call, dot(e, n)))
PROF_BLAS_REAL(DOT, dot_v2)
PROF_BLAS_COMPLEX(DOT, dotu_v2)
PROF_BLAS_COMPLEX(DOT, dotc_v2)

// A vector to a number.
#define REDUCED(name, Int, e, work)                                                                        \
  PROF_CUBLAS(name, Library, (Some handle, Int n, Any x, Int incx, Some into), (handle, n, x, incx, into), \
              ask(call, work(e, n)))
PROF_BLAS_WIDTHS(REDUCED, cublasSnrm2_v2, kSingle, nrm2)
PROF_BLAS_WIDTHS(REDUCED, cublasDnrm2_v2, kDouble, nrm2)
PROF_BLAS_WIDTHS(REDUCED, cublasScnrm2_v2, kComplex, nrm2)
PROF_BLAS_WIDTHS(REDUCED, cublasDznrm2_v2, kDoubleComplex, nrm2)
PROF_BLAS_WIDTHS(REDUCED, cublasSasum_v2, kSingle, asum)
PROF_BLAS_WIDTHS(REDUCED, cublasDasum_v2, kDouble, asum)
PROF_BLAS_WIDTHS(REDUCED, cublasScasum_v2, kComplex, asum)
PROF_BLAS_WIDTHS(REDUCED, cublasDzasum_v2, kDoubleComplex, asum)
PROF_BLAS_WIDTHS(REDUCED, cublasIsamax_v2, kSingle, searched)
PROF_BLAS_WIDTHS(REDUCED, cublasIdamax_v2, kDouble, searched)
PROF_BLAS_WIDTHS(REDUCED, cublasIcamax_v2, kComplex, searched)
PROF_BLAS_WIDTHS(REDUCED, cublasIzamax_v2, kDoubleComplex, searched)
PROF_BLAS_WIDTHS(REDUCED, cublasIsamin_v2, kSingle, searched)
PROF_BLAS_WIDTHS(REDUCED, cublasIdamin_v2, kDouble, searched)
PROF_BLAS_WIDTHS(REDUCED, cublasIcamin_v2, kComplex, searched)
PROF_BLAS_WIDTHS(REDUCED, cublasIzamin_v2, kDoubleComplex, searched)

#define MOVED(name, Int, e, X, work)                                                                               \
  PROF_CUBLAS(name, Library, (Some handle, Int n, X x, Int incx, Some y, Int incy), (handle, n, x, incx, y, incy), \
              ask(call, work))
#define COPY(name, Int, e) MOVED(name, Int, e, Any, copied(e, e, n))
#define SWAP(name, Int, e) MOVED(name, Int, e, Some, swapped(e, n))
PROF_BLAS_ALL(COPY, copy_v2)
PROF_BLAS_ALL(SWAP, swap_v2)

#define ROT(name, Int, e)                                                                            \
  PROF_CUBLAS(name, Library, (Some handle, Int n, Some x, Int incx, Some y, Int incy, Any c, Any s), \
              (handle, n, x, incx, y, incy, c, s), ask(call, rot(e, n)))
PROF_BLAS_REAL(ROT, rot_v2)
PROF_BLAS_WIDTHS(ROT, cublasCsrot_v2, kComplex)
PROF_BLAS_WIDTHS(ROT, cublasZdrot_v2, kDoubleComplex)
// By an angle that is complex, by another transformation, and the making of one.
#define ROT_NAMED(name, Int, words) PROF_GPU_NAMED(Cublas, kBlasMissing, name, Library, words, 0)
PROF_BLAS_WIDTHS(ROT_NAMED, cublasCrot_v2, 8)
PROF_BLAS_WIDTHS(ROT_NAMED, cublasZrot_v2, 8)
PROF_BLAS_WIDTHS(ROT_NAMED, cublasSrotm_v2, 7)
PROF_BLAS_WIDTHS(ROT_NAMED, cublasDrotm_v2, 7)
ROT_NAMED(cublasSrotg_v2, , 5)
ROT_NAMED(cublasDrotg_v2, , 5)
ROT_NAMED(cublasCrotg_v2, , 5)
ROT_NAMED(cublasZrotg_v2, , 5)
ROT_NAMED(cublasSrotmg_v2, , 6)
ROT_NAMED(cublasDrotmg_v2, , 6)
