// The steps of a process, taken apart as far as its log tells them one by one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "report/model/step.hpp"

namespace prof::fold {

// One step, or several of which only the sums are known.
struct StepPiece {
  std::int64_t count = 0;
  std::int64_t first = 0;  // number of the step, or of the first of them
  std::int64_t ns = 0, cpu_ns = 0;
  std::int64_t process_cpu_ns = 0;  // of a piece of a record in proportion to its time
  std::int64_t shortest_ns = 0;
  model::StepFigures figures;

  double mean_ns() const { return static_cast<double>(ns) / static_cast<double>(count); }
};

// In the order of the numbers. Of a record of several steps the longest is a piece by itself.
std::vector<StepPiece> step_pieces(const model::Steps& steps);

// Median of the steps' times, each step of a piece taken as its mean; 0 of none.
double median_step_ns(std::span<const StepPiece> pieces);

// Median of the deviations from `median_ns`, as that of a normal distribution's standard deviation.
double step_scatter_ns(std::span<const StepPiece> pieces, double median_ns);

// From how long on a step is much longer than the typical one of `pieces`: half as long again as the median at least,
// and beyond six standard deviations, as the median of the deviations tells them.
double long_step_ns(std::span<const StepPiece> pieces);

}  // namespace prof::fold
