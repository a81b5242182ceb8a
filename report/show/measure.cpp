#include "report/show/measure.hpp"

#include <algorithm>

namespace prof::show {

const MeasureWords& words_of(model::Measure measure) {
  return *std::find_if(kMeasures.begin(), kMeasures.end(),
                       [measure](const MeasureWords& words) { return words.measure == measure; });
}

bool is_level(model::Measure measure) {
  switch (measure) {
    case model::Measure::Live:
    case model::Measure::Peak:
    case model::Measure::MapLive:
    case model::Measure::MapPeak:
      return true;
    default:
      return false;
  }
}

Cell measured(const model::Metrics& metrics, model::Measure measure, bool live_known) {
  if (is_level(measure) && !live_known) return {};
  return model::value_of(metrics, measure);
}

}  // namespace prof::show
