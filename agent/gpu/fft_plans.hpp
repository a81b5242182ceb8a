// What the plans of cuFFT ask for: the call that executes one says nothing of its sizes. Ordinary code. More plans than
// 12,288 at a time are not known.
#pragma once

#include "agent/gpu/flops.hpp"

namespace prof::gpu {

// A plan was made, or made anew, for transforms of these sizes (its element is the input's), `batch` at a time.
void fft_planned(std::int32_t plan, const Shape& points, Element out, std::int64_t batch);
void fft_destroyed(std::int32_t plan);
// Of one execution; nothing for an unknown plan.
Work fft_work(std::int32_t plan);

// Once at start.
void prepare_fft_plans();

}  // namespace prof::gpu
