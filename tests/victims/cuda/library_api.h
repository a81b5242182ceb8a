// The libraries above CUDA as the victims need them and the fakes provide them: declarations of our own.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// cuBLAS
enum { CUDA_R_32F = 0, CUDA_R_16F = 2, CUDA_R_64F = 1 };
int cublasCreate_v2(void** handle);
int cublasDestroy_v2(void* handle);
int cublasSetStream_v2(void* handle, void* stream);
int cublasSgemm_v2(void* handle, int transa, int transb, int m, int n, int k, const float* alpha, const float* a,
                   int lda, const float* b, int ldb, const float* beta, float* c, int ldc);
int cublasZgemm_v2(void* handle, int transa, int transb, int m, int n, int k, const void* alpha, const void* a, int lda,
                   const void* b, int ldb, const void* beta, void* c, int ldc);
int cublasDgemm_v2_64(void* handle, int transa, int transb, int64_t m, int64_t n, int64_t k, const double* alpha,
                      const double* a, int64_t lda, const double* b, int64_t ldb, const double* beta, double* c,
                      int64_t ldc);
int cublasSgemmBatched(void* handle, int transa, int transb, int m, int n, int k, const float* alpha,
                       const float* const a[], int lda, const float* const b[], int ldb, const float* beta,
                       float* const c[], int ldc, int batch);
int cublasHgemmStridedBatched(void* handle, int transa, int transb, int m, int n, int k, const void* alpha,
                              const void* a, int lda, long long stridea, const void* b, int ldb, long long strideb,
                              const void* beta, void* c, int ldc, long long stridec, int batch);
int cublasGemmEx(void* handle, int transa, int transb, int m, int n, int k, const void* alpha, const void* a, int atype,
                 int lda, const void* b, int btype, int ldb, const void* beta, void* c, int ctype, int ldc,
                 int computing, int algorithm);
int cublasGemmGroupedBatchedEx(void* handle, const int transa[], const int transb[], const int m[], const int n[],
                               const int k[], const void* alpha, const void* const a[], int atype, const int lda[],
                               const void* const b[], int btype, const int ldb[], const void* beta, void* const c[],
                               int ctype, const int ldc[], int groups, const int sizes[], int computing);
int cublasSsyrk_v2(void* handle, int uplo, int trans, int n, int k, const float* alpha, const float* a, int lda,
                   const float* beta, float* c, int ldc);
int cublasDtrsm_v2(void* handle, int side, int uplo, int trans, int diag, int m, int n, const double* alpha,
                   const double* a, int lda, double* b, int ldb);
int cublasSgemv_v2(void* handle, int trans, int m, int n, const float* alpha, const float* a, int lda, const float* x,
                   int incx, const float* beta, float* y, int incy);
int cublasSaxpy_v2(void* handle, int n, const float* alpha, const float* x, int incx, float* y, int incy);
int cublasCdotc_v2(void* handle, int n, const void* x, int incx, const void* y, int incy, void* result);

// cuBLASLt
int cublasLtCreate(void** handle);
int cublasLtDestroy(void* handle);
int cublasLtMatmulDescCreate(void** product, int computing, int scale);
int cublasLtMatmulDescDestroy(void* product);
int cublasLtMatmulDescSetAttribute(void* product, int attribute, const void* from, size_t bytes);
int cublasLtMatmulDescGetAttribute(void* product, int attribute, void* to, size_t bytes, size_t* written);
int cublasLtMatrixLayoutCreate(void** layout, int type, uint64_t rows, uint64_t columns, int64_t leading);
int cublasLtMatrixLayoutDestroy(void* layout);
int cublasLtMatrixLayoutSetAttribute(void* layout, int attribute, const void* from, size_t bytes);
int cublasLtMatrixLayoutGetAttribute(void* layout, int attribute, void* to, size_t bytes, size_t* written);
int cublasLtMatmul(void* handle, void* product, const void* alpha, const void* a, void* alayout, const void* b,
                   void* blayout, const void* beta, const void* c, void* clayout, void* d, void* dlayout,
                   const void* algorithm, void* workspace, size_t workspace_bytes, void* stream);

// cuDNN
int cudnnCreate(void** handle);
int cudnnDestroy(void* handle);
int cudnnSetStream(void* handle, void* stream);
int cudnnCreateTensorDescriptor(void** tensor);
int cudnnDestroyTensorDescriptor(void* tensor);
int cudnnSetTensorNdDescriptor(void* tensor, int type, int dims, const int sizes[], const int strides[]);
int cudnnGetTensorNdDescriptor(const void* tensor, int most, int* type, int* dims, int sizes[], int strides[]);
int cudnnCreateFilterDescriptor(void** filter);
int cudnnDestroyFilterDescriptor(void* filter);
int cudnnSetFilterNdDescriptor(void* filter, int type, int format, int dims, const int sizes[]);
int cudnnGetFilterNdDescriptor(const void* filter, int most, int* type, int* format, int* dims, int sizes[]);
int cudnnConvolutionForward(void* handle, const void* alpha, const void* xdesc, const void* x, const void* wdesc,
                            const void* w, const void* convolution, int algorithm, void* workspace,
                            size_t workspace_bytes, const void* beta, const void* ydesc, void* y);
int cudnnConvolutionBackwardData(void* handle, const void* alpha, const void* wdesc, const void* w, const void* dydesc,
                                 const void* dy, const void* convolution, int algorithm, void* workspace,
                                 size_t workspace_bytes, const void* beta, const void* dxdesc, void* dx);
int cudnnConvolutionBackwardFilter(void* handle, const void* alpha, const void* xdesc, const void* x,
                                   const void* dydesc, const void* dy, const void* convolution, int algorithm,
                                   void* workspace, size_t workspace_bytes, const void* beta, const void* dwdesc,
                                   void* dw);
int cudnnBackendCreateDescriptor(int type, void** descriptor);
int cudnnBackendDestroyDescriptor(void* descriptor);
int cudnnBackendSetAttribute(void* descriptor, int name, int type, int64_t count, const void* values);
int cudnnBackendGetAttribute(void* descriptor, int name, int type, int64_t room, int64_t* count, void* values);
int cudnnBackendFinalize(void* descriptor);
int cudnnBackendExecute(void* handle, void* plan, void* pack);
// All that there is of it are its arguments: many of them, with some on the stack and two kinds of registers.
int cudnnBatchNormalizationForwardTrainingEx(void* handle, int mode, int operations, const void* alpha,
                                             const void* beta, const void* xdesc, const void* x, const void* zdesc,
                                             const void* z, const void* ydesc, void* y, const void* desc,
                                             const void* scale, const void* bias, double factor, void* mean,
                                             void* variance, double epsilon, void* saved_mean, void* saved_variance,
                                             void* activation, void* workspace, size_t workspace_bytes, void* reserve,
                                             size_t reserve_bytes);

// cuFFT
enum { CUFFT_R2C = 0x2a, CUFFT_C2C = 0x29 };
int cufftPlan1d(int* plan, int nx, int type, int batch);
int cufftPlanMany(int* plan, int rank, int n[], int inembed[], int istride, int idist, int onembed[], int ostride,
                  int odist, int type, int batch);
int cufftDestroy(int plan);
int cufftSetStream(int plan, void* stream);
int cufftExecC2C(int plan, void* from, void* to, int direction);
int cufftExecR2C(int plan, float* from, void* to);

// cuRAND, cuSPARSE, cuSOLVER
int curandGenerateNormal(void* generator, float* to, size_t n, float mean, float deviation);
int cusparseSpMM(void* handle, int opa, int opb, const void* alpha, void* a, void* b, const void* beta, void* c,
                 int type, int algorithm, void* buffer);
int cusolverDnSsyevdx(void* handle, int job, int range, int uplo, int n, float* a, int lda, float low, float high,
                      int from, int to, int* found, float* w, float* work, int work_size, int* info);

// NCCL
typedef struct {
  char bytes[128];
} ncclUniqueId;
enum { ncclInt8 = 0, ncclFloat16 = 6, ncclFloat32 = 7 };
int ncclGetUniqueId(ncclUniqueId* id);
int ncclCommInitRank(void** communicator, int ranks, ncclUniqueId id, int rank);
int ncclCommDestroy(void* communicator);
int ncclAllReduce(const void* from, void* to, size_t count, int type, int operation, void* communicator, void* stream);
int ncclAllGather(const void* from, void* to, size_t count, int type, void* communicator, void* stream);
int ncclSend(const void* from, size_t count, int type, int peer, void* communicator, void* stream);
int ncclRecv(void* to, size_t count, int type, int peer, void* communicator, void* stream);
int ncclGroupStart(void);
int ncclGroupEnd(void);

#ifdef __cplusplus
}
#endif
