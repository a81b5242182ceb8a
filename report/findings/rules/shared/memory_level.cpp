#include "report/findings/rules/shared/memory_level.hpp"

#include <algorithm>

#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"

namespace prof::findings {

namespace memory_level {
namespace {

template <typename Value>
Level levels(const model::Process& process, std::uint64_t from_ns, std::uint64_t until_ns, Value value) {
  Level out;
  for (const model::SeriesPoint& point : process.series) {
    if (point.begin_monotonic_ns < from_ns || point.end_monotonic_ns > until_ns) continue;
    if (point.end_monotonic_ns <= point.begin_monotonic_ns) continue;
    if (out.interval_s == 0) {
      out.interval_s = static_cast<double>(point.end_monotonic_ns - point.begin_monotonic_ns) / 1e9;
    }
    out.values.push_back(value(point));
  }
  return out;
}

}  // namespace
}  // namespace memory_level

Level level_of(const model::Process& process, std::uint64_t from_ns, std::uint64_t until_ns) {
  return memory_level::levels(process, from_ns, until_ns, [](const model::SeriesPoint& point) {
    return model::saturated_sum(point.heap_live, point.maps_live);
  });
}

Level resident_level_of(const model::Process& process, std::uint64_t from_ns) {
  return memory_level::levels(process, from_ns, UINT64_MAX, [](const model::SeriesPoint& point) {
    return std::max<std::int64_t>(0, model::to_signed(point.rss) - std::max<std::int64_t>(0, point.heap_live));
  });
}

bool is_even(const std::vector<std::int64_t>& values, double even) {
  const double first = real(values.front()), grown = real(values.back()) - first;
  for (const std::size_t third : {std::size_t{1}, std::size_t{2}}) {
    const double part = (real(values[values.size() * third / 3]) - first) / grown;
    if (part < even * static_cast<double>(third) / 3 || part > 1 - even * (1 - static_cast<double>(third) / 3))
      return false;
  }
  return grown > 0;
}

bool only_rises(const std::vector<std::int64_t>& values) {
  double falls = 0;
  for (std::size_t i = 1; i < values.size(); ++i) falls += std::max(0.0, real(values[i - 1]) - real(values[i]));
  return falls <= kFallsOfGrowth * (real(values.back()) - real(values.front()));
}

bool is_given_back(const std::vector<std::int64_t>& values, std::int64_t grown) {
  constexpr std::size_t kMoments = 5;
  std::int64_t highest = 0;
  for (std::size_t i = 0; i + kMoments <= values.size(); ++i) {
    const auto from = values.begin() + static_cast<std::ptrdiff_t>(i);
    const std::int64_t least = *std::min_element(from, from + kMoments);
    if (i > 0 && real(highest) - real(least) > kGivenBack * real(grown)) return true;
    highest = std::max(highest, least);
  }
  return false;
}

std::size_t moments_of_rise(const std::vector<std::int64_t>& values) {
  constexpr double kHighest = 0.97;
  if (values.empty()) return 0;
  const double first = real(values.front()), highest = real(*std::max_element(values.begin(), values.end()));
  const double nearly = first + kHighest * (highest - first);
  const auto there =
      std::find_if(values.begin(), values.end(), [&](std::int64_t value) { return real(value) >= nearly; });
  return static_cast<std::size_t>(there - values.begin()) + 1;
}

std::size_t moments_before_rise(const std::vector<std::int64_t>& values) {
  constexpr double kHardlyAny = 0.03;
  if (values.empty()) return 0;
  const double first = real(values.front()), highest = real(*std::max_element(values.begin(), values.end()));
  const auto rises = std::find_if(values.begin(), values.end(), [&](std::int64_t value) {
    return real(value) > first + kHardlyAny * (highest - first);
  });
  return rises == values.begin() ? 0 : static_cast<std::size_t>(rises - values.begin()) - 1;
}

std::int64_t resident_growth(const model::Process& process) {
  std::int64_t highest = 0;
  for (const model::SeriesPoint& point : process.series) highest = std::max(highest, model::to_signed(point.rss_high));
  return process.series.empty() ? 0 : highest - model::to_signed(process.series.front().rss);
}

}  // namespace prof::findings
