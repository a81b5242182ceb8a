// Poisson sampling over bytes: which allocations are sampled, and what each sample stands for.
//
// Each byte is chosen with probability 1/R, independently; an allocation is sampled when one of its bytes is. The gap
// to the next chosen byte is exponential with mean R, and, the exponential having no memory, may be drawn anew after
// each sample. An allocation of s bytes is sampled with p = 1 - exp(-s/R) and stands for 1/p allocations and s/p bytes:
// unbiased for each sample, so also for every sum of them (jemalloc, doc_internal/PROFILING_INTERNALS.md, says why not
// to sum first). The standard deviation of a site's n blocks of s bytes is s * sqrt(n (1 - p) / p), about sqrt(bytes *
// R) for small blocks. R may change from gap to gap as long as it depends on the past alone.
#pragma once

#include <bit>
#include <cstdint>

namespace prof::heap {

// ln(x) for x in (0, 1], to about 1e-5: a gap needs no more. No libm, which the agent does not link.
inline double natural_log(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
  const double m = std::bit_cast<double>((bits & 0xfffffffffffffULL) | 0x3ff0000000000000ULL);  // [1, 2)
  const double t = (m - 1) / (m + 1);  // artanh series: ln m = 2 (t + t^3/3 + ...), |t| <= 1/3
  const double t2 = t * t;
  return exponent * 0.6931471805599453 + 2 * t * (1 + t2 * (1.0 / 3 + t2 * (1.0 / 5 + t2 * (1.0 / 7 + t2 / 9))));
}

// 1 - exp(-x) for x >= 0, to about 1e-12 relative also for tiny x.
inline double chance(double x) {
  if (x > 40) return 1;
  if (x < 0.03125) {  // Taylor: no cancellation
    return x * (1 - x / 2 * (1 - x / 3 * (1 - x / 4 * (1 - x / 5 * (1 - x / 6 * (1 - x / 7))))));
  }
  // exp(-x) = exp(-x/2^k)^(2^k)
  double y = x;
  int doublings = 0;
  while (y >= 0.03125) {
    y /= 2;
    ++doublings;
  }
  double e = 1 - chance(y);
  for (; doublings > 0; --doublings) e *= e;
  return 1 - e;
}

// xorshift64*: Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled" (2016). `state` is
// not 0.
inline std::uint64_t next_random(std::uint64_t& state) {
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return state * 0x2545f4914f6cdd1dULL;
}

// Bytes until the next chosen byte, at least 1, for mean `interval`.
inline std::int64_t draw_gap(std::uint64_t& random, std::uint64_t interval) {
  const double u = static_cast<double>((next_random(random) >> 11) + 1) * 0x1p-53;  // (0, 1]
  return static_cast<std::int64_t>(-natural_log(u) * static_cast<double>(interval)) + 1;
}

// What one sampled allocation of `size` bytes stands for. A block of 0 bytes counts as one byte for its chance.
struct Weight {
  std::uint64_t count;  // in units of 1/kCountUnit
  std::uint64_t bytes;
};
Weight weight_of(std::uint64_t size, std::uint64_t interval);

}  // namespace prof::heap
