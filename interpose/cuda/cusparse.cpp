// cuSPARSE: its handles, and the functions on matrices and vectors that are described once. By name and time: how many
// elements a sparse matrix has is known to its descriptor alone.
#include "interpose/cuda/library.hpp"

using namespace prof::gpu;

#define NAMED(name, role, words, reals) PROF_GPU_NAMED(Cusparse, 1, name, role, words, reals)

NAMED(cusparseCreate, Setup, 1, 0)
NAMED(cusparseDestroy, Setup, 1, 0)
NAMED(cusparseSetStream, Plain, 2, 0)
NAMED(cusparseSpMMOp_createPlan, Setup, 16, 0)
NAMED(cusparseSpMMOp_destroyPlan, Setup, 1, 0)

NAMED(cusparseAxpby, Library, 5, 0)
NAMED(cusparseGather, Library, 3, 0)
NAMED(cusparseScatter, Library, 3, 0)
NAMED(cusparseRot, Library, 5, 0)
NAMED(cusparseSpVV, Library, 7, 0)
NAMED(cusparseSparseToDense, Library, 5, 0)
NAMED(cusparseDenseToSparse_analysis, Library, 5, 0)
NAMED(cusparseDenseToSparse_convert, Library, 5, 0)
NAMED(cusparseSpMV, Library, 10, 0)
NAMED(cusparseSpMV_preprocess, Library, 10, 0)
NAMED(cusparseSpSV_analysis, Library, 10, 0)
NAMED(cusparseSpSV_solve, Library, 9, 0)
NAMED(cusparseSpSV_updateMatrix, Library, 4, 0)
NAMED(cusparseSpSM_analysis, Library, 11, 0)
NAMED(cusparseSpSM_solve, Library, 10, 0)
NAMED(cusparseSpSM_updateMatrix, Library, 4, 0)
NAMED(cusparseSpMM_preprocess, Library, 11, 0)
NAMED(cusparseSpMM, Library, 11, 0)
NAMED(cusparseSpGEMM_workEstimation, Library, 13, 0)
NAMED(cusparseSpGEMM_compute, Library, 13, 0)
NAMED(cusparseSpGEMM_copy, Library, 11, 0)
NAMED(cusparseSpGEMMreuse_workEstimation, Library, 10, 0)
NAMED(cusparseSpGEMMreuse_nnz, Library, 14, 0)
NAMED(cusparseSpGEMMreuse_copy, Library, 10, 0)
NAMED(cusparseSpGEMMreuse_compute, Library, 11, 0)
NAMED(cusparseSDDMM_preprocess, Library, 11, 0)
NAMED(cusparseSDDMM, Library, 11, 0)
NAMED(cusparseSpMMOp, Library, 2, 0)
