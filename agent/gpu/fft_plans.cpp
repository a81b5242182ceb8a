#include "agent/gpu/fft_plans.hpp"

#include "agent/gpu/handle_table.hpp"

namespace prof::gpu {
namespace {

using Plans = HandleTable<Work, 1U << 14>;
PROF_WIPED constinit pages::Wiped<Plans> g_plans{};

// Handles begin at 0.
std::uint64_t key(std::int32_t plan) { return std::uint64_t{static_cast<std::uint32_t>(plan)} + 1; }

}  // namespace

void fft_planned(std::int32_t plan, const Shape& points, Element out, std::int64_t batch) {
  g_plans.value.enter(key(plan), fourier(points, out, batch));
}

void fft_destroyed(std::int32_t plan) { g_plans.value.remove(key(plan)); }

Work fft_work(std::int32_t plan) {
  Work work;
  g_plans.value.read(key(plan), work);
  return work;
}

void prepare_fft_plans() { pages::wipe_in_child(g_plans); }

}  // namespace prof::gpu
