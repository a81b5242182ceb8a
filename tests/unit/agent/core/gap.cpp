// The sampling of heap bytes: the arithmetic, and that its estimates are unbiased with the spread that theory says.
#include <cmath>
#include <vector>

#include "agent/contract/format.hpp"
#include "agent/core/gap.hpp"
#include "tests/support/catch.hpp"

using namespace prof;

TEST_CASE("agent: logarithm and sampling chance agree with libm") {
  for (double x = 1e-9; x <= 1; x *= 1.37) CHECK(std::abs(heap::natural_log(x) - std::log(x)) < 1e-4);
  CHECK(heap::natural_log(1) == Approx(0).margin(1e-12));
  for (double x = 1e-9; x < 60; x *= 1.31) CHECK(heap::chance(x) == Approx(-std::expm1(-x)).epsilon(1e-9));
}

TEST_CASE("agent: gaps are exponential with the interval as mean and standard deviation") {
  std::uint64_t random = 12345;
  constexpr int n = 400'000;
  double sum = 0, squares = 0;
  for (int i = 0; i < n; ++i) {
    const auto gap = static_cast<double>(heap::draw_gap(random, 16384));
    REQUIRE(gap >= 1);
    sum += gap;
    squares += gap * gap;
  }
  const double mean = sum / n;
  CHECK(mean == Approx(16384).epsilon(0.01));
  CHECK(std::sqrt(squares / n - mean * mean) == Approx(16384).epsilon(0.01));
}

TEST_CASE("agent: estimates of a site's bytes and blocks are unbiased, with the spread of the theory") {
  for (const std::uint64_t size : {16ULL, 4096ULL, 65536ULL, 1048576ULL}) {
    constexpr std::uint64_t interval = 65536;
    const std::uint64_t blocks = (64ULL << 20) / size;
    std::uint64_t random = 99 + size;
    std::vector<double> estimates;
    double count = 0;
    constexpr int runs = 60;
    for (int run = 0; run < runs; ++run) {
      std::int64_t budget = heap::draw_gap(random, interval);
      double bytes = 0;
      for (std::uint64_t b = 0; b < blocks; ++b) {
        budget -= static_cast<std::int64_t>(size);
        if (budget > 0) continue;
        const heap::Weight w = heap::weight_of(size, interval);
        bytes += static_cast<double>(w.bytes);
        count += static_cast<double>(w.count) / static_cast<double>(log::kCountUnit);
        budget = heap::draw_gap(random, interval);
      }
      estimates.push_back(bytes);
    }
    const double p = -std::expm1(-static_cast<double>(size) / interval);
    const double truth = static_cast<double>(blocks * size);
    const double sigma = static_cast<double>(size) * std::sqrt(static_cast<double>(blocks) * (1 - p) / p);
    double mean = 0, variance = 0;
    for (const double e : estimates) mean += e / runs;
    for (const double e : estimates) variance += (e - mean) * (e - mean) / (runs - 1);
    INFO("size " << size << " mean " << mean << " truth " << truth << " sigma " << sigma);
    CHECK(std::abs(mean - truth) < 4 * sigma / std::sqrt(runs) + 1);
    CHECK(count / runs ==
          Approx(static_cast<double>(blocks)).margin(4 * sigma / static_cast<double>(size) / std::sqrt(runs) + 1e-2));
    if (static_cast<double>(blocks) * (1 - p) > 20) CHECK(std::sqrt(variance) == Approx(sigma).epsilon(0.4));
  }
}

TEST_CASE("agent: a block of no bytes has a weight in blocks and none in bytes") {
  const heap::Weight w = heap::weight_of(0, 1024);
  CHECK(w.bytes == 0);
  CHECK(w.count > log::kCountUnit);
}
