#include "report/findings/rules/shared/resident_rise.hpp"

#include <algorithm>

#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"

namespace prof::findings {

double resident_rise(const model::Process& process, std::int64_t kept) {
  const auto live = [](const model::SeriesPoint& point) {
    return real(model::saturated_sum(point.heap_live, point.maps_live));
  };
  const auto& points = process.series;
  const auto peak =
      std::max_element(points.begin(), points.end(),
                       [&](const model::SeriesPoint& a, const model::SeriesPoint& b) { return live(a) < live(b); });
  if (peak == points.end()) return 1;
  auto from = peak;  // the last moment before nearly all of it was there
  while (from != points.begin() && live(*peak) - live(*from) < kAllOfGrowth * real(kept)) --from;
  const double risen = live(*peak) - live(*from);
  if (risen < kAllOfGrowth * real(kept)) return 1;
  const double resident = static_cast<double>(peak->rss) - static_cast<double>(from->rss);
  return resident < kMoreResident * risen ? 1 : std::min(resident / risen, kMostResident);
}

}  // namespace prof::findings
