#include "agent/gpu/flops.hpp"

namespace prof::gpu {
namespace {

// log2(n) with 20 bits behind the point, by squaring: without libm, and the same everywhere.
std::uint64_t log2_20(std::uint64_t n) {
  const auto whole = static_cast<unsigned>(63 - __builtin_clzll(n));
  __extension__ using Wide = unsigned __int128;
  std::uint64_t log = whole;
  std::uint64_t x = n << (63 - whole);  // in [1, 2), 63 bits behind the point
  for (int i = 0; i < 20; ++i) {
    const Wide square = static_cast<Wide>(x) * x;
    const bool above = (square >> 127) != 0;
    x = static_cast<std::uint64_t>(above ? square >> 64 : square >> 63);
    log = log << 1 | (above ? 1 : 0);
  }
  return log;
}

}  // namespace

Work fourier(const Shape& points, Element out, std::int64_t batch) {
  const std::uint64_t n = elements(points);
  if (n == 0) return {};
  const Element in = points.element;
  const bool complex_both = in.complex && out.complex;
  const std::uint64_t last = count(points.size[points.dims - 1]);  // not 0, as none of them is
  const std::uint64_t half = times(n / last, last / 2 + 1);        // NOLINT(clang-analyzer-core.DivideZero)
  __extension__ using Wide = unsigned __int128;
  const Wide flops = (static_cast<Wide>(n) * log2_20(n) * 5) >> (complex_both ? 20 : 21);
  const std::uint64_t bytes =
      plus(bytes_of(in.complex && !out.complex ? half : n, in), bytes_of(!in.complex && out.complex ? half : n, out));
  return times(Work{flops > UINT64_MAX ? UINT64_MAX : static_cast<std::uint64_t>(flops), bytes}, count(batch));
}

}  // namespace prof::gpu
