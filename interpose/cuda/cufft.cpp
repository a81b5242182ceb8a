// cuFFT. What a transform asks for is known when its plan is made.
#include "agent/gpu/fft_plans.hpp"
#include "interpose/cuda/library.hpp"

using namespace prof::gpu;

namespace {

using Any = const void*;
using Some = void*;

constexpr int kFftMissing = 7;  // CUFFT_SETUP_FAILED

template <class... Sizes>
void planned(std::int32_t plan, std::int32_t type, std::int64_t batch, Sizes... sizes) {
  const FftElements of = fft_elements(type);
  fft_planned(plan, Shape{of.in, sizeof...(sizes), {static_cast<std::int64_t>(sizes)...}}, of.out, batch);
}

template <class Int>
void planned_many(std::int32_t plan, Element in, Element out, std::int64_t batch, std::int32_t rank, const Int* sizes) {
  if (rank < 1 || rank > 3 || sizes == nullptr) return;
  Shape shape{in, static_cast<std::uint32_t>(rank), {}};
  for (std::int32_t i = 0; i < rank; ++i) shape.size[i] = sizes[i];
  fft_planned(plan, shape, out, batch);
}

}  // namespace

#define PROF_CUFFT(name, role, params, args, before, ...) \
  PROF_GPU_CALL(Cufft, kFftMissing, 0, int, name, role, params, args, before, __VA_ARGS__)
#define NAMED(name, role, words) PROF_GPU_NAMED(Cufft, kFftMissing, name, role, words, 0)

PROF_CUFFT(cufftPlan1d, Setup, (int* plan, int nx, int type, int batch), (plan, nx, type, batch), (void)0,
           if (call && result == 0) planned(*plan, type, batch, nx))
PROF_CUFFT(cufftPlan2d, Setup, (int* plan, int nx, int ny, int type), (plan, nx, ny, type), (void)0,
           if (call && result == 0) planned(*plan, type, 1, nx, ny))
PROF_CUFFT(cufftPlan3d, Setup, (int* plan, int nx, int ny, int nz, int type), (plan, nx, ny, nz, type), (void)0,
           if (call && result == 0) planned(*plan, type, 1, nx, ny, nz))
PROF_CUFFT(cufftPlanMany, Setup,
           (int* plan, int rank, const int* n, Any inembed, int istride, int idist, Any onembed, int ostride, int odist,
            int type, int batch),
           (plan, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch), (void)0,
           if (call && result == 0) planned_many(*plan, fft_elements(type).in, fft_elements(type).out, batch, rank, n))

PROF_CUFFT(cufftMakePlan1d, Setup, (int plan, int nx, int type, int batch, Some work), (plan, nx, type, batch, work),
           (void)0, if (call && result == 0) planned(plan, type, batch, nx))
PROF_CUFFT(cufftMakePlan2d, Setup, (int plan, int nx, int ny, int type, Some work), (plan, nx, ny, type, work), (void)0,
           if (call && result == 0) planned(plan, type, 1, nx, ny))
PROF_CUFFT(cufftMakePlan3d, Setup, (int plan, int nx, int ny, int nz, int type, Some work),
           (plan, nx, ny, nz, type, work), (void)0, if (call && result == 0) planned(plan, type, 1, nx, ny, nz))
#define MAKE_PLAN_MANY(name, Int)                                                                              \
  PROF_CUFFT(name, Setup,                                                                                      \
             (int plan, int rank, const Int* n, Any inembed, Int istride, Int idist, Any onembed, Int ostride, \
              Int odist, int type, Int batch, Some work),                                                      \
             (plan, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, work), (void)0,    \
             if (call && result == 0)                                                                          \
                 planned_many(plan, fft_elements(type).in, fft_elements(type).out, batch, rank, n))
MAKE_PLAN_MANY(cufftMakePlanMany, std::int32_t)
MAKE_PLAN_MANY(cufftMakePlanMany64, std::int64_t)
PROF_CUFFT(cufftXtMakePlanMany, Setup,
           (int plan, int rank, const std::int64_t* n, Any inembed, std::int64_t istride, std::int64_t idist, int in,
            Any onembed, std::int64_t ostride, std::int64_t odist, int out, std::int64_t batch, Some work,
            int computing),
           (plan, rank, n, inembed, istride, idist, in, onembed, ostride, odist, out, batch, work, computing), (void)0,
           if (call && result == 0) planned_many(plan, cuda_element(in), cuda_element(out), batch, rank, n))
NAMED(cufftCreate, Setup, 1)
// Before the real call: another thread may be given the same number after it.
PROF_CUFFT(cufftDestroy, Setup, (int plan), (plan), fft_destroyed(plan), )
NAMED(cufftSetStream, Plain, 2)
NAMED(cufftXtSetGPUs, Setup, 3)
NAMED(cufftXtMalloc, Setup, 3)
NAMED(cufftXtFree, Setup, 1)
NAMED(cufftXtMemcpy, Copy, 4)

#define EXECUTED(name) \
  PROF_CUFFT(name, Library, (int plan, Any from, Some to), (plan, from, to), ask(call, fft_work(plan)), )
#define EXECUTED_BOTH_WAYS(name) \
  PROF_CUFFT(name, Library, (int plan, Any from, Some to, int way), (plan, from, to, way), ask(call, fft_work(plan)), )
EXECUTED_BOTH_WAYS(cufftExecC2C)
EXECUTED_BOTH_WAYS(cufftExecZ2Z)
EXECUTED(cufftExecR2C)
EXECUTED(cufftExecC2R)
EXECUTED(cufftExecD2Z)
EXECUTED(cufftExecZ2D)
EXECUTED_BOTH_WAYS(cufftXtExec)
EXECUTED_BOTH_WAYS(cufftXtExecDescriptor)
EXECUTED_BOTH_WAYS(cufftXtExecDescriptorC2C)
EXECUTED_BOTH_WAYS(cufftXtExecDescriptorZ2Z)
EXECUTED(cufftXtExecDescriptorR2C)
EXECUTED(cufftXtExecDescriptorC2R)
EXECUTED(cufftXtExecDescriptorD2Z)
EXECUTED(cufftXtExecDescriptorZ2D)
