// The steps of a training loop: how long they took, which stand out and why, and what they are made of.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/fold/selection.hpp"
#include "report/model/profile.hpp"

namespace prof::fold {

// A step that took much longer than the others of the steady state.
struct Outlier {
  std::int64_t number = 0;
  std::int64_t ns = 0;
  // What it had more of than the typical step: the part of the step with the largest surplus, and, where the thread
  // waited for most of that surplus, for what.
  log::StepPart part = log::StepPart::Other;
  std::int64_t surplus_ns = 0;
  std::optional<log::WaitClass> waited;
};

// The steps of one process image that had any.
struct StepTable {
  std::size_t process = 0;              // index into Run::processes
  const model::Steps* steps = nullptr;  // with its records
  std::int64_t count = 0;               // all steps
  std::int64_t warmup = 0;              // of them the first ones, which are none of the steady state
  // Of the steady state.
  std::int64_t steady = 0;  // steps
  std::int64_t steady_ns = 0, steady_cpu_ns = 0, steady_process_cpu_ns = 0;
  model::StepFigures figures;  // added up
  double median_ns = 0;
  std::int64_t shortest_ns = 0, longest_ns = 0;
  // Change of a step's time from the first to the last quarter, by their medians, as a share; none: too few steps, no
  // more than three standard errors, or not gradual.
  std::optional<double> trend;
  // Of that change, as the same share, by their means: what steps computed and waited in calls. The rest of it went by
  // without a processor.
  double trend_seen = 0;
  std::vector<Outlier> outliers;  // longest first
  // Every how many steps a slow one comes, where they come regularly: "slow data every tenth".
  std::optional<std::int64_t> period;
  bool of_longest = false;  // the period, and not of most of them

  double part(log::StepPart which) const;  // share of steady_ns, 0 to 1
};

// Of the selected processes that had steps, most steps first. Threads and stacks are not selected here.
std::vector<StepTable> step_tables(const model::Run& run, const Selection& selection);

const char* to_string(log::StepPart part);

}  // namespace prof::fold
