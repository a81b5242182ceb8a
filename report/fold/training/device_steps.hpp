// What devices did within the steps of training loops. What they did while a program set itself up, and between its
// loops, is no part of what a step takes.
#pragma once

#include <cstdint>
#include <vector>

#include "report/fold/gpu/gpu.hpp"
#include "report/fold/training/steps.hpp"

namespace prof::fold {

// A row of devices().
struct DeviceInSteps {
  DeviceRow row;
  // From its first work to its last, in the steady state of the loops of the processes that it worked for; 0: none of
  // them had steps.
  std::int64_t steps_ns = 0;
  // At most so much of that with work: all that it ever worked, but for the steps to warm up. When it worked is not
  // recorded.
  std::int64_t busy_ns = 0;

  std::int64_t idle_ns() const { return steps_ns - busy_ns; }
};
std::vector<DeviceInSteps> devices_in_steps(const model::Run& run, const Selection& selection);

// Of the steady states of all processes that have steps.
StepLimits step_limits(const model::Run& run, const Selection& selection);

}  // namespace prof::fold
