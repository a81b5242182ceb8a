// cuBLAS: functions on vectors whose types are arguments.
#include "interpose/cuda/blas.hpp"

using namespace prof::gpu;

#define REDUCED_EX(name, Int, work)                                                                      \
  PROF_CUBLAS(name, Library,                                                                             \
              (Some handle, Int n, Any x, int xtype, Int incx, Some into, int into_type, int computing), \
              (handle, n, x, xtype, incx, into, into_type, computing), ask(call, work(cuda_element(xtype), n)))
PROF_BLAS_WIDTHS(REDUCED_EX, cublasNrm2Ex, nrm2)
PROF_BLAS_WIDTHS(REDUCED_EX, cublasAsumEx, asum)

#define SEARCHED_EX(name, Int, e)                                                         \
  PROF_CUBLAS(name, Library, (Some handle, Int n, Any x, int xtype, Int incx, Some into), \
              (handle, n, x, xtype, incx, into), ask(call, searched(cuda_element(xtype), n)))
PROF_BLAS_WIDTHS(SEARCHED_EX, cublasIamaxEx, )
PROF_BLAS_WIDTHS(SEARCHED_EX, cublasIaminEx, )

#define DOT_EX(name, Int, e)                                                                                         \
  PROF_CUBLAS(name, Library,                                                                                         \
              (Some handle, Int n, Any x, int xtype, Int incx, Any y, int ytype, Int incy, Some into, int into_type, \
               int computing),                                                                                       \
              (handle, n, x, xtype, incx, y, ytype, incy, into, into_type, computing),                               \
              ask(call, dot(cuda_element(xtype), n)))
PROF_BLAS_WIDTHS(DOT_EX, cublasDotEx, )
PROF_BLAS_WIDTHS(DOT_EX, cublasDotcEx, )

#define SCAL_EX(name, Int, e)                                                                              \
  PROF_CUBLAS(name, Library,                                                                               \
              (Some handle, Int n, Any alpha, int alpha_type, Some x, int xtype, Int incx, int computing), \
              (handle, n, alpha, alpha_type, x, xtype, incx, computing),                                   \
              ask(call, scal(cuda_element(xtype), !cuda_element(alpha_type).complex, n)))
PROF_BLAS_WIDTHS(SCAL_EX, cublasScalEx, )

#define AXPY_EX(name, Int, e)                                                                                          \
  PROF_CUBLAS(name, Library,                                                                                           \
              (Some handle, Int n, Any alpha, int alpha_type, Any x, int xtype, Int incx, Some y, int ytype, Int incy, \
               int computing),                                                                                         \
              (handle, n, alpha, alpha_type, x, xtype, incx, y, ytype, incy, computing),                               \
              ask(call, axpy(cuda_element(xtype), n)))
PROF_BLAS_WIDTHS(AXPY_EX, cublasAxpyEx, )

#define MOVED_EX(name, Int, X, work)                                                                      \
  PROF_CUBLAS(name, Library, (Some handle, Int n, X x, int xtype, Int incx, Some y, int ytype, Int incy), \
              (handle, n, x, xtype, incx, y, ytype, incy), ask(call, work))
#define COPY_EX(name, Int, e) MOVED_EX(name, Int, Any, copied(cuda_element(xtype), cuda_element(ytype), n))
#define SWAP_EX(name, Int, e) MOVED_EX(name, Int, Some, swapped(cuda_element(xtype), n))
PROF_BLAS_WIDTHS(COPY_EX, cublasCopyEx, )
PROF_BLAS_WIDTHS(SWAP_EX, cublasSwapEx, )

#define ROT_EX(name, Int, e)                                                                               \
  PROF_CUBLAS(name, Library,                                                                               \
              (Some handle, Int n, Some x, int xtype, Int incx, Some y, int ytype, Int incy, Any c, Any s, \
               int angle_type, int computing),                                                             \
              (handle, n, x, xtype, incx, y, ytype, incy, c, s, angle_type, computing),                    \
              ask(call, cuda_element(angle_type).complex ? Work{} : rot(cuda_element(xtype), n)))
PROF_BLAS_WIDTHS(ROT_EX, cublasRotEx, )
PROF_GPU_NAMED(Cublas, kBlasMissing, cublasRotmEx, Library, 11, 0)
PROF_GPU_NAMED(Cublas, kBlasMissing, cublasRotmEx_64, Library, 11, 0)
PROF_GPU_NAMED(Cublas, kBlasMissing, cublasRotgEx, Library, 8, 0)
PROF_GPU_NAMED(Cublas, kBlasMissing, cublasRotmgEx, Library, 12, 0)
