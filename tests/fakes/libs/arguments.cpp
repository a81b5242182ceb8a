// Fakes of cuRAND, cuSPARSE and cuSOLVER that do nothing but look at what reaches them: each argument must be its place
// among those of its kind, of floating-point numbers with a half more.
#include "tests/fakes/libs/library.hpp"

using namespace fakegpu;
using library::Call;

namespace {

constexpr int kWrong = 77;

template <class... T>
bool in_order(T... words) {
  std::uintptr_t place = 0;
  bool right = true;
  for (const std::uintptr_t word : {(std::uintptr_t)(words)...}) right = right && word == ++place;
  return right;
}

}  // namespace

#if FAKE_ARGUMENTS == 1
FAKE_API int curandGenerateNormal(void* generator, float* to, size_t n, float mean, float deviation) {
  Call call("cuRAND", "curandGenerateNormal");
  call.bytes = n * sizeof *to;
  return call.done(in_order(generator, to, n) && mean == 1.5F && deviation == 2.5F ? 0 : kWrong);
}
#elif FAKE_ARGUMENTS == 2
FAKE_API int cusparseSpMM(void* handle, int opa, int opb, const void* alpha, void* a, void* b, const void* beta,
                          void* c, int type, int algorithm, void* buffer) {
  Call call("cuSPARSE", "cusparseSpMM");
  return call.done(in_order(handle, opa, opb, alpha, a, b, beta, c, type, algorithm, buffer) ? 0 : kWrong);
}
#else
FAKE_API int cusolverDnSsyevdx(void* handle, int job, int range, int uplo, int n, float* a, int lda, float low,
                               float high, int from, int to, int* found, float* w, float* work, int work_size,
                               int* info) {
  Call call("cuSOLVER", "cusolverDnSsyevdx");
  return call.done(in_order(handle, job, range, uplo, n, a, lda, from, to, found, w, work, work_size, info) &&
                           low == 1.5F && high == 2.5F
                       ? 0
                       : kWrong);
}
#endif
