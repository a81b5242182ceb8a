#include "report/fold/training/steps.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "report/fold/training/step_pieces.hpp"
#include "report/model/text.hpp"

namespace prof::fold {
namespace {

using model::saturated_sum;

constexpr std::int64_t kLeastSteps = 4;        // for a warm-up to be told
constexpr std::int64_t kMostOfWarmup = 4;      // a quarter of all
constexpr double kErrors = 3;                  // standard ones, that a change must be more than
constexpr std::int64_t kLeastForTrend = 8;     // two to a quarter
constexpr std::size_t kLeastForPeriod = 3;     // slow steps
constexpr double kRegular = 0.8;               // of the steps that are due are slow,
constexpr double kExplained = 0.6;             // and of the slow ones so many were due
constexpr std::int64_t kLongestPeriod = 4096;  // looked for
constexpr double kOfTheSlowest = 0.1;          // of the longest one's surplus: what the shorter of its kind have

std::int64_t count_of(std::span<const StepPiece> pieces) {
  std::int64_t count = 0;
  for (const StepPiece& piece : pieces) count = saturated_sum(count, piece.count);
  return count;
}

// The first piece of the steady state: what is before it was slow from the first step on.
std::size_t end_of_warmup(std::span<const StepPiece> pieces) {
  const std::int64_t all = count_of(pieces);
  if (all < kLeastSteps) return 0;
  const double limit = long_step_ns(pieces.subspan(pieces.size() / 2));
  std::int64_t passed = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    passed = saturated_sum(passed, pieces[i].count);
    if (passed > all / kMostOfWarmup || pieces[i].mean_ns() <= limit) return i;
  }
  return 0;
}

// A quarter's median and its standard error.
struct Level {
  double median = 0, error = 0;
  explicit Level(const std::vector<StepPiece>& pieces) : median(median_step_ns(pieces)) {
    constexpr double kOfMedian = 1.2533;  // its standard error, in those of the mean
    const double count = std::max(1.0, real(count_of(pieces)));
    error = kOfMedian * step_scatter_ns(pieces, median) / std::sqrt(count);
  }
};

// How much of a trend may come between two quarters: it is gradual.
constexpr double kLeastPartOfTrend = -0.25, kMostPartOfTrend = 0.8;

struct Trend {
  double share = 0, seen = 0;
};

// Of a step, on average: on a processor, or in calls that wait.
double mean_seen_ns(const std::vector<StepPiece>& pieces) {
  std::int64_t sum = 0;
  for (const StepPiece& piece : pieces) {
    sum = saturated_sum(sum, piece.cpu_ns);
    for (const std::int64_t ns : piece.figures.blocked_ns) sum = saturated_sum(sum, ns);
  }
  return real(sum) / std::max(1.0, real(count_of(pieces)));
}

std::optional<Trend> trend_of(std::span<const StepPiece> steady, std::int64_t count) {
  if (count < kLeastForTrend) return std::nullopt;
  std::vector<StepPiece> quarters[4];
  std::int64_t passed = 0;
  for (const StepPiece& piece : steady) {
    quarters[static_cast<std::size_t>(std::min(3.0, 4 * (real(passed) / real(count))))].push_back(piece);
    passed = saturated_sum(passed, piece.count);
  }
  if (quarters[1].empty() || quarters[2].empty()) return std::nullopt;
  const Level before(quarters[0]), after(quarters[3]);
  const double change = after.median - before.median;
  if (before.median <= 0 || std::abs(change) <= kErrors * std::hypot(before.error, after.error)) return std::nullopt;
  // What comes at once, or comes and goes, is the machine's: other programs, a clock that changes.
  double level = before.median;
  for (const double next : {median_step_ns(quarters[1]), median_step_ns(quarters[2]), after.median}) {
    const double part = (next - level) / change;
    if (part < kLeastPartOfTrend || part > kMostPartOfTrend) return std::nullopt;
    level = next;
  }
  return Trend{change / before.median, (mean_seen_ns(quarters[3]) - mean_seen_ns(quarters[0])) / before.median};
}

// The typical step: all but the slow ones.
struct Typical {
  double count = 0;
  model::StepFigures sum;
  double of(log::StepPart part) const { return count > 0 ? real(sum.of(part)) / count : 0; }
  double of(log::WaitClass what) const { return count > 0 ? real(sum.of(what)) / count : 0; }
};

Outlier outlier_of(const StepPiece& piece, const Typical& typical) {
  Outlier out;
  out.number = piece.first;
  out.ns = piece.ns;
  double surplus = 0;
  for (std::uint32_t i = 0; i < log::kStepParts; ++i) {
    const auto part = static_cast<log::StepPart>(i);
    const double more = real(piece.figures.of(part)) - typical.of(part);
    if (more <= surplus) continue;
    surplus = more;
    out.part = part;
  }
  out.surplus_ns = whole_number(surplus);
  double waited = 0;
  for (std::uint32_t i = 0; i < log::kWaitClasses; ++i) {
    const auto what = static_cast<log::WaitClass>(i);
    const double more = real(piece.figures.of(what)) - typical.of(what);
    if (more <= waited) continue;
    waited = more;
    if (waited >= surplus / 2) out.waited = what;
  }
  return out;
}

// How many of the numbers from `first` to `last` have that rest.
std::int64_t due(std::int64_t first, std::int64_t last, std::int64_t period, std::int64_t rest) {
  const auto up_to = [&](std::int64_t number) { return number < rest ? 0 : (number - rest) / period + 1; };
  return up_to(last) - up_to(first - 1);
}

// `slow` has the numbers of the slow steps. Of merged steps only the longest is known: no more can be slow than there
// are records.
std::optional<std::int64_t> period_of(const std::vector<std::int64_t>& slow, std::span<const StepPiece> steady,
                                      std::int64_t told) {
  if (slow.size() < kLeastForPeriod) return std::nullopt;
  const std::int64_t first = steady.front().first;
  const std::int64_t last = std::max(slow.back(), steady.back().first);
  std::optional<std::int64_t> best;
  std::size_t best_hits = 0;
  const std::int64_t longest = std::min(kLongestPeriod, (last - first) / 2);
  std::vector<std::size_t> hits(static_cast<std::size_t>(std::max<std::int64_t>(0, longest)));  // by remainder
  for (std::int64_t period = 2; period <= longest; ++period) {
    std::size_t most = 0;
    std::int64_t at = 0;  // the least remainder that has most
    for (const std::int64_t number : slow) {
      const std::int64_t rest = number % period;
      const std::size_t its = ++hits[static_cast<std::size_t>(rest)];
      if (its > most || (its == most && rest < at)) at = rest;
      most = std::max(most, its);
    }
    for (const std::int64_t number : slow) hits[static_cast<std::size_t>(number % period)] = 0;
    if (most < kLeastForPeriod || most < best_hits) continue;
    const std::int64_t expected = std::min(due(first, last, period, at), told);
    const auto hit = static_cast<double>(most);
    if (hit < kRegular * real(expected) || hit < kExplained * static_cast<double>(slow.size())) continue;
    best = period;
    best_hits = most;
  }
  return best;
}

StepTable table_of(std::size_t process, const model::Steps& steps) {
  StepTable out;
  out.process = process;
  out.steps = &steps;
  const std::vector<StepPiece> all = step_pieces(steps);
  out.count = count_of(all);
  const std::size_t begin = end_of_warmup(all);
  out.warmup = count_of(std::span(all).first(begin));
  const std::span<const StepPiece> steady = std::span(all).subspan(begin);
  if (steady.empty()) return out;
  const double limit = long_step_ns(steady);
  Typical typical;
  out.shortest_ns = INT64_MAX;
  std::int64_t singles = 0;
  for (const StepPiece& piece : steady) {
    out.steady = saturated_sum(out.steady, piece.count);
    out.steady_ns = saturated_sum(out.steady_ns, piece.ns);
    out.steady_cpu_ns = saturated_sum(out.steady_cpu_ns, piece.cpu_ns);
    out.steady_process_cpu_ns = saturated_sum(out.steady_process_cpu_ns, piece.process_cpu_ns);
    out.figures += piece.figures;
    out.shortest_ns = std::min(out.shortest_ns, piece.shortest_ns);
    // Of merged steps the longest stands alone: what is left was as long as this at least.
    const std::int64_t longest_ns = piece.count == 1 ? piece.ns : std::max(piece.shortest_ns, piece.ns / piece.count);
    out.longest_ns = std::max(out.longest_ns, longest_ns);
    if (piece.count == 1) ++singles;
    if (piece.count == 1 && real(piece.ns) > limit) continue;
    typical.count += real(piece.count);
    typical.sum += piece.figures;
  }
  out.median_ns = median_step_ns(steady);
  if (const auto trend = trend_of(steady, out.steady)) {
    out.trend = trend->share;
    out.trend_seen = trend->seen;
  }
  std::vector<std::int64_t> slow;
  double most_ns = 0;
  for (const StepPiece& piece : steady) {
    if (piece.count != 1 || real(piece.ns) <= limit) continue;
    slow.push_back(piece.first);
    out.outliers.push_back(outlier_of(piece, typical));
    most_ns = std::max(most_ns, real(piece.ns) - out.median_ns);
  }
  std::sort(slow.begin(), slow.end());
  out.period = period_of(slow, steady, singles);
  if (!out.period) {
    // Beside what takes a thousand times as long, steps of thrice the time are scatter.
    std::vector<std::int64_t> slowest;
    for (const Outlier& outlier : out.outliers) {
      if (real(outlier.ns) - out.median_ns >= kOfTheSlowest * most_ns) slowest.push_back(outlier.number);
    }
    std::sort(slowest.begin(), slowest.end());
    out.period = period_of(slowest, steady, singles);
    out.of_longest = true;
  }
  std::stable_sort(out.outliers.begin(), out.outliers.end(),
                   [](const Outlier& a, const Outlier& b) { return a.ns > b.ns; });
  return out;
}

}  // namespace

double StepTable::part(log::StepPart which) const {
  return steady_ns > 0 ? real(figures.of(which)) / real(steady_ns) : 0;
}

std::vector<StepTable> step_tables(const model::Run& run, const Selection& selection) {
  std::vector<StepTable> out;
  for (std::size_t i = 0; i < run.processes.size(); ++i) {
    const model::Process& process = run.processes[i];
    if (process.steps.records.empty() || !selection.includes(process)) continue;
    out.push_back(table_of(i, process.steps));
  }
  std::stable_sort(out.begin(), out.end(), [](const StepTable& a, const StepTable& b) { return a.count > b.count; });
  return out;
}

const char* to_string(log::StepPart part) {
  const auto index = static_cast<std::uint32_t>(part);
  return index < log::kStepParts ? log::kStepPartNames[index] : "other";
}

}  // namespace prof::fold
