#include "report/fold/memory/trend.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "report/model/text.hpp"

namespace prof::fold {
namespace {

constexpr double kNextToNothing = 0.01;  // of the maximum
constexpr double kUps = 0.75;            // of all ups and downs
constexpr double kRise = 0.1;            // of the mean rise: less than this is none
constexpr double kErrors = 2;

// The values without the fall at the end of the program.
std::span<const std::int64_t> before_the_end(std::span<const std::int64_t> values) {
  const auto most = std::max_element(values.begin(), values.end());
  const auto after = static_cast<std::size_t>(values.end() - most) - 1;
  const bool fell = static_cast<double>(values.back()) < static_cast<double>(*most) / 2;
  const std::size_t may_drop = std::max<std::size_t>(1, values.size() / 8);
  return fell && after <= may_drop ? values.first(values.size() - after) : values;
}

std::size_t start_of_growth(std::span<const std::int64_t> values) {
  const auto most = static_cast<double>(*std::max_element(values.begin(), values.end()));
  std::size_t start = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (static_cast<double>(values[i]) <= kNextToNothing * most) start = i;
  }
  return start;
}

std::vector<double> steps_of(std::span<const std::int64_t> values) {
  std::vector<double> steps;
  for (std::size_t i = 1; i < values.size(); ++i) {
    steps.push_back(static_cast<double>(values[i]) - static_cast<double>(values[i - 1]));
  }
  return steps;
}

bool mostly_up(const std::vector<double>& steps) {
  double ups = 0, all = 0;
  for (const double step : steps) {
    ups += std::max(step, 0.0);
    all += std::abs(step);
  }
  return all > 0 && ups >= kUps * all;
}

bool stopped(const std::vector<double>& steps) {
  double rise = 0;
  double rises = 0;
  for (const double step : steps) {
    if (step <= 0) continue;
    rise += step;
    rises += 1;
  }
  if (rises == 0) return true;
  std::size_t longest = 0, still = 0;
  for (const double step : steps) {
    if (step > kRise * rise / rises) {
      longest = std::max(longest, still);
      still = 0;
    } else {
      ++still;
    }
  }
  return still > longest + 1;
}

// How much of the growth is still there: 1 unless the later half is less than half of the earlier one.
double persistence(const std::vector<double>& steps) {
  const std::size_t half = steps.size() / 2;
  double early = 0, late = 0;
  for (std::size_t i = 0; i < half; ++i) early += steps[i];
  for (std::size_t i = steps.size() - half; i < steps.size(); ++i) late += steps[i];
  if (early <= 0) return 1;
  return std::clamp(2 * late / early, 0.0, 1.0);
}

struct Line {
  double slope = 0, error = 0;  // per moment
};

Line fit(std::span<const std::int64_t> values) {
  const auto n = static_cast<double>(values.size());
  double mean = 0;
  for (const std::int64_t value : values) mean += static_cast<double>(value) / n;
  const double middle = (n - 1) / 2;
  double sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = static_cast<double>(i) - middle;
    sxx += x * x;
    sxy += x * (static_cast<double>(values[i]) - mean);
  }
  Line line{sxy / sxx, 0};
  double squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double off = static_cast<double>(values[i]) - mean - line.slope * (static_cast<double>(i) - middle);
    squares += off * off;
  }
  const double step = (static_cast<double>(values.back()) - static_cast<double>(values.front())) / (n - 1);
  const double variance = std::max(squares / (n - 2), step * step / 12);
  line.error = std::sqrt(variance / sxx);
  return line;
}

}  // namespace

double student_probability(double t, std::uint32_t degrees) {
  // The finite series for whole degrees of freedom, of the probability that |T| <= |t|.
  const double theta = std::atan(std::abs(t) / std::sqrt(static_cast<double>(degrees)));
  const double cosine = std::cos(theta), square = cosine * cosine;
  const bool odd = degrees % 2 == 1;
  double term = odd ? cosine : 1;
  double sum = degrees == 1 ? 0 : term;
  for (std::uint32_t k = odd ? 3 : 2; k < degrees; k += 2) {
    term *= square * static_cast<double>(k - 1) / static_cast<double>(k);
    sum += term;
  }
  const double both = odd ? (theta + std::sin(theta) * sum) * 2 / std::numbers::pi : std::sin(theta) * sum;
  return t < 0 ? (1 - both) / 2 : (1 + both) / 2;
}

std::optional<Trend> growing(std::span<const std::int64_t> values, double interval_s) {
  if (values.empty()) return std::nullopt;
  values = before_the_end(values);
  if (values.size() < kLeastMoments) return std::nullopt;
  const std::span<const std::int64_t> part = values.subspan(start_of_growth(values));
  if (part.size() < kLeastMoments) return std::nullopt;
  const std::span<const std::int64_t> later = part.subspan((part.size() - 1) / 2);
  const std::vector<double> steps = steps_of(later);
  if (!mostly_up(steps) || stopped(steps)) return std::nullopt;

  const Line line = fit(later);
  if (!(line.slope > kErrors * line.error)) return std::nullopt;
  Trend trend;
  trend.moments = values.size();
  trend.per_s = line.slope / interval_s;
  trend.error_per_s = line.error / interval_s;
  const auto degrees = static_cast<std::uint32_t>(later.size()) - 2;
  trend.confidence = student_probability(line.slope / line.error, degrees) * persistence(steps);
  if (trend.confidence < kLeastConfidence) return std::nullopt;
  trend.grown = whole_number(std::clamp(static_cast<double>(part.back()) - static_cast<double>(part.front()), 0.0,
                                        static_cast<double>(INT64_MAX / 2)));
  trend.seconds = interval_s * static_cast<double>(part.size() - 1);
  return trend;
}

}  // namespace prof::fold
