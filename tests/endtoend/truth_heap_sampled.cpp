// Sampled mode of the heap: over many seeded runs, estimates have the mean that is true and the spread that the theory
// of agent/core/gap.hpp says.
#include <cmath>
#include <map>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::test;

namespace {

constexpr int kRuns = 24;
constexpr double kInterval = 16384;

struct Estimates {
  double sum = 0, squares = 0;

  void add(double value) {
    sum += value;
    squares += value * value;
  }
  double mean() const { return sum / kRuns; }
  double deviation() const { return std::sqrt((squares - sum * sum / kRuns) / (kRuns - 1)); }
};

// Of `blocks` blocks of `bytes` bytes each: s sqrt(n (1 - p) / p).
double theory(double blocks, double bytes) {
  const double p = -std::expm1(-bytes / kInterval);
  return bytes * std::sqrt(blocks * (1 - p) / p);
}
// The same for sizes of 1 to 2000 in equal numbers, and of 50,000 to 80,000.
double theory(double blocks, int least, int most) {
  double variance = 0;
  for (int bytes = least; bytes <= most; ++bytes) {
    const double one = theory(1, bytes);
    variance += one * one * blocks / (most - least + 1);
  }
  return std::sqrt(variance);
}

}  // namespace

// Catches: weights by the interval alone, gaps that are drawn once for all threads, live bytes that take back another
// weight than was added, seeds without effect.
TEST_CASE("estimates of seeded runs have the true mean and the spread of the theory") {
  TempDir temp;
  std::map<std::string, Estimates> estimates;
  Outcome run;
  for (int seed = 1; seed <= kRuns; ++seed) {
    const auto directory = temp / ("run" + std::to_string(seed));
    run = Command::victim("sampled_sites")
              .profiled(directory)
              .set("PROF_HEAP", "sampled:16K")
              .set("PROF_SEED", std::to_string(seed))
              .run();
    INFO(run);
    REQUIRE(run.ok());
    const Report report = Report::of(directory);
    for (const std::string site : {"small", "mixed", "large"}) {
      estimates[site + "_bytes"].add(report.site_sum("site_" + site, "allocated_bytes"));
      estimates[site + "_live"].add(report.site_sum("site_" + site, "live_bytes"));
    }
    std::filesystem::remove_all(directory);
  }
  const std::map<std::string, double> all{
      {"small", theory(400'000, 64)}, {"mixed", theory(25'000, 1, 2000)}, {"large", theory(400, 50'000, 79'999)}};
  for (const auto& [site, deviation] : all) {
    for (const bool live : {false, true}) {
      const std::string name = site + (live ? "_live" : "_bytes");
      const double expected = deviation / (live ? std::sqrt(2) : 1);
      INFO(name << ": truth " << run.fact(name) << ", mean " << estimates[name].mean() << ", deviation "
                << estimates[name].deviation() << " where theory says " << expected);
      CHECK(std::abs(estimates[name].mean() - static_cast<double>(run.fact(name))) < 4 * expected / std::sqrt(kRuns));
      // The deviation of so few runs is itself known to about 15 %.
      CHECK(estimates[name].deviation() > 0.5 * expected);
      CHECK(estimates[name].deviation() < 1.6 * expected);
    }
  }
}
