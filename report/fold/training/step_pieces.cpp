#include "report/fold/training/step_pieces.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "report/model/metrics_base.hpp"
#include "report/model/text.hpp"

namespace prof::fold {
namespace {

using model::saturated_difference;

constexpr double kHalfAgain = 1.5;
constexpr double kDeviations = 6;
constexpr double kDeviationOfMedian = 1.4826;  // standard deviations of a normal distribution in one median deviation

std::int64_t without(std::int64_t whole, std::int64_t part) {
  return std::max<std::int64_t>(0, saturated_difference(whole, part));
}

std::int64_t share_of(std::int64_t whole, std::int64_t part_ns, std::int64_t whole_ns) {
  if (whole_ns <= 0) return 0;
  const double share = static_cast<double>(part_ns) / static_cast<double>(whole_ns);
  return whole_number(static_cast<double>(whole) * std::min(1.0, share) * (1 - 1e-15));
}

void add_record(const model::Step& step, std::vector<StepPiece>& to) {
  if (step.count == 1) {
    to.push_back({1, step.first, step.ns, step.cpu_ns, step.process_cpu_ns, step.ns, step.figures});
    return;
  }
  StepPiece longest{1, step.longest, step.longest_ns, step.longest_cpu_ns, 0, step.longest_ns, step.longest_figures};
  longest.process_cpu_ns = share_of(step.process_cpu_ns, step.longest_ns, step.ns);
  StepPiece rest{step.count - 1,
                 step.first,
                 without(step.ns, step.longest_ns),
                 without(step.cpu_ns, step.longest_cpu_ns),
                 without(step.process_cpu_ns, longest.process_cpu_ns),
                 step.shortest_ns,
                 step.figures};
  for (std::size_t i = 0; i < rest.figures.parts_ns.size(); ++i) {
    rest.figures.parts_ns[i] = without(rest.figures.parts_ns[i], longest.figures.parts_ns[i]);
  }
  for (std::size_t i = 0; i < rest.figures.blocked_ns.size(); ++i) {
    rest.figures.blocked_ns[i] = without(rest.figures.blocked_ns[i], longest.figures.blocked_ns[i]);
  }
  const bool begins = step.longest == step.first;
  if (begins) ++rest.first;
  to.push_back(begins ? longest : rest);
  to.push_back(begins ? rest : longest);
}

// Of values, each with how often it is there. `values` is sorted by this.
double weighted_median(std::vector<std::pair<double, double>>& values) {
  std::sort(values.begin(), values.end());
  double all = 0, passed = 0;
  for (const auto& [value, weight] : values) all += weight;
  for (std::size_t i = 0; i < values.size(); ++i) {
    passed += values[i].second;
    if (passed > all / 2) return values[i].first;
    if (passed == all / 2) return i + 1 < values.size() ? (values[i].first + values[i + 1].first) / 2 : values[i].first;
  }
  return 0;
}

}  // namespace

std::vector<StepPiece> step_pieces(const model::Steps& steps) {
  std::vector<StepPiece> out;
  for (const model::Step& step : steps.records) {
    if (step.count > 0) add_record(step, out);
  }
  return out;
}

double median_step_ns(std::span<const StepPiece> pieces) {
  std::vector<std::pair<double, double>> values;
  for (const StepPiece& piece : pieces) values.emplace_back(piece.mean_ns(), static_cast<double>(piece.count));
  return weighted_median(values);
}

double step_scatter_ns(std::span<const StepPiece> pieces, double median_ns) {
  std::vector<std::pair<double, double>> deviations;
  for (const StepPiece& piece : pieces) {
    deviations.emplace_back(std::abs(piece.mean_ns() - median_ns), static_cast<double>(piece.count));
  }
  return kDeviationOfMedian * weighted_median(deviations);
}

double long_step_ns(std::span<const StepPiece> pieces) {
  const double median = median_step_ns(pieces);
  return std::max(kHalfAgain * median, median + kDeviations * step_scatter_ns(pieces, median));
}

}  // namespace prof::fold
