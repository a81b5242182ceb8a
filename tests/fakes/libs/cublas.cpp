// The fake cuBLAS. GemmEx goes through cuBLASLt, as the real one does with some sizes.
#include "tests/fakes/libs/library.hpp"

using namespace fakegpu;
using library::Call;

namespace {

constexpr int kNotInitialized = 1, kInvalidValue = 7;

struct Handle {
  void* stream = nullptr;
};
// Of a call that other code of this library made: see cublaslt.cpp.
const char kInside = 0;

// What all products do with their sizes.
int product(Call& call, void* handle, std::int64_t m, std::int64_t n, std::int64_t k, std::uint64_t weight,
            std::uint64_t a_bytes, std::uint64_t b_bytes, std::uint64_t c_bytes, std::int64_t batch = 1) {
  if (handle == nullptr) return call.done(kNotInitialized);
  if (m < 0 || n < 0 || k < 0 || batch < 0) return call.done(kInvalidValue);
  call.flops += weight * library::products(m, n, k, batch);
  for (std::int64_t i = 0; i < batch; ++i) {
    call.bytes += static_cast<std::uint64_t>(m * k) * a_bytes + static_cast<std::uint64_t>(k * n) * b_bytes +
                  static_cast<std::uint64_t>(m * n) * c_bytes;
  }
  fakegpu_library_kernel("gemm_20us", static_cast<Handle*>(handle)->stream);
  return call.done(0);
}

std::uint64_t bytes_of(int type) { return type == CUDA_R_16F ? 2 : type == CUDA_R_32F ? 4 : 8; }

int simple(Call& call, void* handle, std::int64_t n) {
  if (handle == nullptr) return call.done(kNotInitialized);
  if (n < 0) return call.done(kInvalidValue);
  fakegpu_library_kernel("blas_5us", static_cast<Handle*>(handle)->stream);
  return call.done(0);
}

}  // namespace

FAKE_API int cublasCreate_v2(void** handle) {
  Call call("cuBLAS", "cublasCreate_v2");
  if (!library::start_driver()) return call.done(kNotInitialized);
  *handle = new Handle;
  return call.done(0);
}

FAKE_API int cublasDestroy_v2(void* handle) {
  Call call("cuBLAS", "cublasDestroy_v2");
  delete static_cast<Handle*>(handle);
  return call.done(0);
}

FAKE_API int cublasSetStream_v2(void* handle, void* stream) {
  Call call("cuBLAS", "cublasSetStream_v2");
  static_cast<Handle*>(handle)->stream = stream;
  return call.done(0);
}

FAKE_API int cublasSgemm_v2(void* handle, int, int, int m, int n, int k, const float*, const float*, int, const float*,
                            int, const float*, float*, int) {
  Call call("cuBLAS", "cublasSgemm_v2");
  return product(call, handle, m, n, k, 1, 4, 4, 4);
}

// A product and a sum of complex numbers: four products, and one sum for their parts each, and two sums for its parts.
FAKE_API int cublasZgemm_v2(void* handle, int, int, int m, int n, int k, const void*, const void*, int, const void*,
                            int, const void*, void*, int) {
  Call call("cuBLAS", "cublasZgemm_v2");
  return product(call, handle, m, n, k, (4 + 2 + 2) / 2, 16, 16, 16);
}

#if FAKE_TOOLKIT >= 12
FAKE_API int cublasDgemm_v2_64(void* handle, int, int, int64_t m, int64_t n, int64_t k, const double*, const double*,
                               int64_t, const double*, int64_t, const double*, double*, int64_t) {
  Call call("cuBLAS", "cublasDgemm_v2_64");
  return product(call, handle, m, n, k, 1, 8, 8, 8);
}

FAKE_API int cublasGemmGroupedBatchedEx(void* handle, const int*, const int*, const int m[], const int n[],
                                        const int k[], const void*, const void* const*, int atype, const int*,
                                        const void* const*, int btype, const int*, const void*, void* const*, int ctype,
                                        const int*, int groups, const int sizes[], int) {
  Call call("cuBLAS", "cublasGemmGroupedBatchedEx");
  int rc = 0;
  for (int g = 0; g < groups && rc == 0; ++g) {
    rc = product(call, handle, m[g], n[g], k[g], 1, bytes_of(atype), bytes_of(btype), bytes_of(ctype), sizes[g]);
  }
  return rc;
}
#endif

FAKE_API int cublasSgemmBatched(void* handle, int, int, int m, int n, int k, const float*, const float* const*, int,
                                const float* const*, int, const float*, float* const*, int, int batch) {
  Call call("cuBLAS", "cublasSgemmBatched");
  return product(call, handle, m, n, k, 1, 4, 4, 4, batch);
}

FAKE_API int cublasHgemmStridedBatched(void* handle, int, int, int m, int n, int k, const void*, const void*, int,
                                       long long, const void*, int, long long, const void*, void*, int, long long,
                                       int batch) {
  Call call("cuBLAS", "cublasHgemmStridedBatched");
  return product(call, handle, m, n, k, 1, 2, 2, 2, batch);
}

FAKE_API int cublasGemmEx(void* handle, int transa, int transb, int m, int n, int k, const void* alpha, const void* a,
                          int atype, int lda, const void* b, int btype, int ldb, const void* beta, void* c, int ctype,
                          int ldc, int computing, int) {
  Call call("cuBLAS", "cublasGemmEx");
  if (handle == nullptr) return call.done(kNotInitialized);
  if (m < 0 || n < 0 || k < 0) return call.done(kInvalidValue);
  call.flops = library::products(m, n, k);
  call.bytes = static_cast<std::uint64_t>(m * k) * bytes_of(atype) +
               static_cast<std::uint64_t>(k * n) * bytes_of(btype) +
               static_cast<std::uint64_t>(m * n) * bytes_of(ctype);
  void *description = nullptr, *alayout = nullptr, *blayout = nullptr, *clayout = nullptr;
  cublasLtMatmulDescCreate(&description, computing, CUDA_R_32F);
  cublasLtMatmulDescSetAttribute(description, 3, &transa, sizeof transa);
  cublasLtMatmulDescSetAttribute(description, 4, &transb, sizeof transb);
  const auto rows = static_cast<std::uint64_t>(m), columns = static_cast<std::uint64_t>(n),
             inner = static_cast<std::uint64_t>(k);
  cublasLtMatrixLayoutCreate(&alayout, atype, transa != 0 ? inner : rows, transa != 0 ? rows : inner, lda);
  cublasLtMatrixLayoutCreate(&blayout, btype, transb != 0 ? columns : inner, transb != 0 ? inner : columns, ldb);
  cublasLtMatrixLayoutCreate(&clayout, ctype, rows, columns, ldc);
  const int rc = cublasLtMatmul(handle, description, alpha, a, alayout, b, blayout, beta, c, clayout, c, clayout,
                                &kInside, nullptr, 0, static_cast<Handle*>(handle)->stream);
  for (void* layout : {alayout, blayout, clayout}) cublasLtMatrixLayoutDestroy(layout);
  cublasLtMatmulDescDestroy(description);
  return call.done(rc);
}

FAKE_API int cublasSsyrk_v2(void* handle, int, int, int n, int k, const float*, const float*, int, const float*, float*,
                            int) {
  Call call("cuBLAS", "cublasSsyrk_v2");
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      call.bytes += 4;
      call.flops += library::products(1, 1, k);
    }
    call.bytes += 4 * static_cast<std::uint64_t>(k);
  }
  return simple(call, handle, n);
}

// Each of the right sides takes row i as many products and sums as rows were solved, and a division.
FAKE_API int cublasDtrsm_v2(void* handle, int side, int, int, int, int m, int n, const double*, const double*, int,
                            double*, int) {
  Call call("cuBLAS", "cublasDtrsm_v2");
  const int order = side == 0 ? m : n, others = side == 0 ? n : m;
  for (int right = 0; right < others; ++right) {
    for (int i = 0; i < order; ++i) call.flops += 2 * static_cast<std::uint64_t>(i) + 1;
  }
  for (int i = 0; i < order; ++i) call.bytes += 8 * (static_cast<std::uint64_t>(i) + 1);
  call.bytes += 2 * 8 * static_cast<std::uint64_t>(m * n);
  return simple(call, handle, m);
}

FAKE_API int cublasSgemv_v2(void* handle, int, int m, int n, const float*, const float*, int, const float*, int,
                            const float*, float*, int) {
  Call call("cuBLAS", "cublasSgemv_v2");
  call.flops = library::products(m, 1, n);
  call.bytes = 4 * static_cast<std::uint64_t>(m * n + m + n);
  return simple(call, handle, m);
}

FAKE_API int cublasSaxpy_v2(void* handle, int n, const float*, const float*, int, float*, int) {
  Call call("cuBLAS", "cublasSaxpy_v2");
  for (int i = 0; i < n; ++i) {
    call.flops += 2;
    call.bytes += 3 * 4;
  }
  return simple(call, handle, n);
}

FAKE_API int cublasCdotc_v2(void* handle, int n, const void*, int, const void*, int, void*) {
  Call call("cuBLAS", "cublasCdotc_v2");
  for (int i = 0; i < n; ++i) {
    call.flops += 4 + 2 + 2;
    call.bytes += 2 * 8;
  }
  return simple(call, handle, n);
}
