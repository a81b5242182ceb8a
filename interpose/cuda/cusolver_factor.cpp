// cuSOLVER: factors of dense matrices, and linear systems solved with them.
#include "interpose/cuda/library.hpp"

using namespace prof::gpu;

namespace {

using Any = const void*;
using Some = void*;

constexpr int kSolverMissing = 1;  // CUSOLVER_STATUS_NOT_INITIALIZED

}  // namespace

#define ROW(name, params, args, work) \
  PROF_GPU_CALL(Cusolver, kSolverMissing, 0, int, name, Library, params, args, ask(call, work), (void)0)
#define FOUR(SHAPE, form)            \
  SHAPE(cusolverDnS##form, kSingle)  \
  SHAPE(cusolverDnD##form, kDouble)  \
  SHAPE(cusolverDnC##form, kComplex) \
  SHAPE(cusolverDnZ##form, kDoubleComplex)

#define POTRF(name, e)                                                                            \
  ROW(name, (Some handle, int uplo, int n, Some a, int lda, Some work, int work_size, Some info), \
      (handle, uplo, n, a, lda, work, work_size, info), cholesky(e, n))
FOUR(POTRF, potrf)

#define POTRF_BATCHED(name, e)                                                     \
  ROW(name, (Some handle, int uplo, int n, Some a, int lda, Some info, int batch), \
      (handle, uplo, n, a, lda, info, batch), cholesky(e, n, batch))
FOUR(POTRF_BATCHED, potrfBatched)

#define POTRS(name, e)                                                                           \
  ROW(name, (Some handle, int uplo, int n, int rhs, Any a, int lda, Some b, int ldb, Some info), \
      (handle, uplo, n, rhs, a, lda, b, ldb, info), solved(e, n, rhs))
FOUR(POTRS, potrs)

#define POTRS_BATCHED(name, e)                                                                               \
  ROW(name, (Some handle, int uplo, int n, int rhs, Some a, int lda, Some b, int ldb, Some info, int batch), \
      (handle, uplo, n, rhs, a, lda, b, ldb, info, batch), solved(e, n, rhs, batch))
FOUR(POTRS_BATCHED, potrsBatched)

#define GETRF(name, e)                                                                       \
  ROW(name, (Some handle, int m, int n, Some a, int lda, Some work, Some pivots, Some info), \
      (handle, m, n, a, lda, work, pivots, info), lu(e, m, n))
FOUR(GETRF, getrf)

#define GETRS(name, e)                                                                                        \
  ROW(name, (Some handle, int trans, int n, int rhs, Any a, int lda, Any pivots, Some b, int ldb, Some info), \
      (handle, trans, n, rhs, a, lda, pivots, b, ldb, info), solved(e, n, rhs))
FOUR(GETRS, getrs)

#define GEQRF(name, e)                                                                                   \
  ROW(name, (Some handle, int m, int n, Some a, int lda, Some tau, Some work, int work_size, Some info), \
      (handle, m, n, a, lda, tau, work, work_size, info), qr(e, m, n))
FOUR(GEQRF, geqrf)

// With the type as an argument.
ROW(cusolverDnXpotrf,
    (Some handle, Some settings, int uplo, std::int64_t n, int type, Some a, std::int64_t lda, int computing, Some work,
     std::size_t work_bytes, Some host, std::size_t host_bytes, Some info),
    (handle, settings, uplo, n, type, a, lda, computing, work, work_bytes, host, host_bytes, info),
    cholesky(cuda_element(type), n))
ROW(cusolverDnXpotrs,
    (Some handle, Some settings, int uplo, std::int64_t n, std::int64_t rhs, int type, Any a, std::int64_t lda,
     int btype, Some b, std::int64_t ldb, Some info),
    (handle, settings, uplo, n, rhs, type, a, lda, btype, b, ldb, info), solved(cuda_element(type), n, rhs))
ROW(cusolverDnXgetrf,
    (Some handle, Some settings, std::int64_t m, std::int64_t n, int type, Some a, std::int64_t lda, Some pivots,
     int computing, Some work, std::size_t work_bytes, Some host, std::size_t host_bytes, Some info),
    (handle, settings, m, n, type, a, lda, pivots, computing, work, work_bytes, host, host_bytes, info),
    lu(cuda_element(type), m, n))
ROW(cusolverDnXgetrs,
    (Some handle, Some settings, int trans, std::int64_t n, std::int64_t rhs, int type, Any a, std::int64_t lda,
     Any pivots, int btype, Some b, std::int64_t ldb, Some info),
    (handle, settings, trans, n, rhs, type, a, lda, pivots, btype, b, ldb, info), solved(cuda_element(type), n, rhs))
ROW(cusolverDnXgeqrf,
    (Some handle, Some settings, std::int64_t m, std::int64_t n, int type, Some a, std::int64_t lda, int tau_type,
     Some tau, int computing, Some work, std::size_t work_bytes, Some host, std::size_t host_bytes, Some info),
    (handle, settings, m, n, type, a, lda, tau_type, tau, computing, work, work_bytes, host, host_bytes, info),
    qr(cuda_element(type), m, n))
