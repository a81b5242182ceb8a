// cuSOLVER: sparse matrices, refactorisation, several devices.
#include "interpose/cuda/library.hpp"

using namespace prof::gpu;

#define NAMED(name, role, words, reals) PROF_GPU_NAMED(Cusolver, 1, name, role, words, reals)
#define TWO_REAL(form, words, reals)              \
  NAMED(cusolverSpS##form, Library, words, reals) \
  NAMED(cusolverSpD##form, Library, words, reals)
#define TWO_COMPLEX(form, words, reals)           \
  NAMED(cusolverSpC##form, Library, words, reals) \
  NAMED(cusolverSpZ##form, Library, words, reals)
#define FOUR(form, words, reals) \
  TWO_REAL(form, words, reals)   \
  TWO_COMPLEX(form, words, reals)

NAMED(cusolverSpCreate, Setup, 1, 0)
NAMED(cusolverSpDestroy, Setup, 1, 0)
NAMED(cusolverSpSetStream, Plain, 2, 0)
NAMED(cusolverRfCreate, Setup, 1, 0)
NAMED(cusolverRfDestroy, Setup, 1, 0)
NAMED(cusolverRfSetupHost, Setup, 16, 0)
NAMED(cusolverRfSetupDevice, Setup, 16, 0)
NAMED(cusolverRfBatchSetupHost, Setup, 17, 0)
NAMED(cusolverMgCreate, Setup, 1, 0)
NAMED(cusolverMgDestroy, Setup, 1, 0)
NAMED(cusolverMgDeviceSelect, Setup, 3, 0)

FOUR(csrlsvqr, 11, 1)
FOUR(csrlsvchol, 11, 1)
TWO_REAL(csreigvsi, 11, 2)
NAMED(cusolverSpCcsreigvsi, Library, 11, 2)
NAMED(cusolverSpZcsreigvsi, Library, 11, 3)
NAMED(cusolverSpXcsrqrAnalysisBatched, Library, 8, 0)
FOUR(csrqrsvBatched, 13, 0)

NAMED(cusolverRfResetValues, Library, 8, 0)
NAMED(cusolverRfAnalyze, Library, 1, 0)
NAMED(cusolverRfRefactor, Library, 1, 0)
NAMED(cusolverRfAccessBundledFactorsDevice, Library, 5, 0)
NAMED(cusolverRfSolve, Library, 8, 0)
NAMED(cusolverRfBatchResetValues, Library, 9, 0)
NAMED(cusolverRfBatchAnalyze, Library, 1, 0)
NAMED(cusolverRfBatchRefactor, Library, 1, 0)
NAMED(cusolverRfBatchSolve, Library, 8, 0)
NAMED(cusolverRfBatchZeroPivot, Library, 2, 0)
NAMED(cusolverMgSyevd, Library, 14, 0)
NAMED(cusolverMgPotrf, Library, 11, 0)
NAMED(cusolverMgPotrs, Library, 16, 0)
NAMED(cusolverMgPotri, Library, 11, 0)
