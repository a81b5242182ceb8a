// The fake cuFFT. Its numbers of operations are the convention of all that measure transforms: 5 N log2 N.
#include <cmath>
#include <map>
#include <mutex>

#include "tests/fakes/libs/library.hpp"

using namespace fakegpu;
using library::Call;

namespace {

constexpr int kInvalidPlan = 1, kInvalidSize = 8, kSetupFailed = 7;

struct Plan {
  int type;
  std::uint64_t flops, bytes;
  void* stream;
};
std::mutex mutex;
std::map<int, Plan> plans;

int make(Call& call, int* plan, const int* n, int rank, int type, int batch) {
  if (!library::start_driver()) return call.done(kSetupFailed);
  std::uint64_t points = 1, half = 1;
  for (int i = 0; i < rank; ++i) {
    if (n[i] < 1) return call.done(kInvalidSize);
    points *= static_cast<std::uint64_t>(n[i]);
    half *= static_cast<std::uint64_t>(i + 1 < rank ? n[i] : n[i] / 2 + 1);
  }
  double operations = 5.0 * static_cast<double>(points) * std::log2(static_cast<double>(points));
  std::uint64_t bytes = 2 * 8 * points;
  if (type == CUFFT_R2C) {
    operations /= 2;
    bytes = 4 * points + 8 * half;
  }
  const std::lock_guard lock(mutex);
  int number = 0;
  while (plans.count(number) != 0) ++number;
  plans[number] = {type, static_cast<std::uint64_t>(operations) * static_cast<std::uint64_t>(batch),
                   bytes * static_cast<std::uint64_t>(batch), nullptr};
  *plan = number;
  return call.done(0);
}

int execute(Call& call, int plan, int type) {
  const std::lock_guard lock(mutex);
  const auto found = plans.find(plan);
  if (found == plans.end() || found->second.type != type) return call.done(kInvalidPlan);
  call.flops = found->second.flops;
  call.bytes = found->second.bytes;
  fakegpu_library_kernel("fft_15us", found->second.stream);
  return call.done(0);
}

}  // namespace

FAKE_API int cufftPlan1d(int* plan, int nx, int type, int batch) {
  Call call("cuFFT", "cufftPlan1d");
  return make(call, plan, &nx, 1, type, batch);
}

FAKE_API int cufftPlanMany(int* plan, int rank, int n[], int*, int, int, int*, int, int, int type, int batch) {
  Call call("cuFFT", "cufftPlanMany");
  return make(call, plan, n, rank, type, batch);
}

FAKE_API int cufftDestroy(int plan) {
  Call call("cuFFT", "cufftDestroy");
  const std::lock_guard lock(mutex);
  return call.done(plans.erase(plan) == 1 ? 0 : kInvalidPlan);
}

FAKE_API int cufftSetStream(int plan, void* stream) {
  Call call("cuFFT", "cufftSetStream");
  const std::lock_guard lock(mutex);
  plans[plan].stream = stream;
  return call.done(0);
}

FAKE_API int cufftExecC2C(int plan, void*, void*, int) {
  Call call("cuFFT", "cufftExecC2C");
  return execute(call, plan, CUFFT_C2C);
}

FAKE_API int cufftExecR2C(int plan, float*, void*) {
  Call call("cuFFT", "cufftExecR2C");
  return execute(call, plan, CUFFT_R2C);
}
