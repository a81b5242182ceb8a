// Whether a level that was looked at in even intervals keeps growing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace prof::fold {

// A level keeps growing when all of this holds. The last eighth of the moments, at least one, does not count where the
// level fell there to less than half: a program that ends gives back what it held. It is judged from the last moment at
// which it was next to nothing (1 % of its maximum), and there by the later half of the moments, at least three:
//  * a straight line through them (least squares) rises by more than two standard errors of its slope. An error of
//    less than what is in one step of an evenly growing level - nobody knows when in an interval it grew - is taken as
//    that;
//  * of all ups and downs together, three quarters are ups;
//  * it has not stopped: the time since it last rose is at most one moment longer than the longest such time before;
//  * `confidence` is at least kLeastConfidence.
// A cache that fills up and stops fails, and so does what is allocated at once and kept.
struct Trend {
  double per_s = 0;         // slope, in the values' unit per second
  double error_per_s = 0;   // standard error of the slope
  double confidence = 0;    // see below
  std::int64_t grown = 0;   // from the start of the judged part to the last moment
  double seconds = 0;       // that took
  std::size_t moments = 0;  // that count: without the fall at the end
};

// Confidence, 0 to 1: the probability, by Student's t distribution, that a level without a trend would not have risen
// like this; less if the growth slows down: when the later half of the judged growth is less than half of the earlier
// one, in that proportion.
inline constexpr double kLeastConfidence = 0.9;
inline constexpr std::uint32_t kLeastMoments = 4;

// Nothing when the level does not keep growing. `interval_s` > 0.
std::optional<Trend> growing(std::span<const std::int64_t> values, double interval_s);

// P(T <= t) of Student's t distribution with that many degrees of freedom, at least 1.
double student_probability(double t, std::uint32_t degrees);

}  // namespace prof::fold
