#include "agent/gpu/flops.hpp"

namespace prof::gpu {
namespace {

std::uint64_t cube(std::uint64_t n) { return times(n, n, n); }
// Of numbers too large to tell, the largest there is stays.
std::uint64_t third(std::uint64_t n) { return n == UINT64_MAX ? n : n / 3; }

// (3 l s s - s s s) / 3 for the longer and the shorter side.
std::uint64_t steps(std::int64_t m, std::int64_t n) {
  const std::uint64_t a = count(m), b = count(n);
  const std::uint64_t longer = a > b ? a : b, shorter = a > b ? b : a;
  const std::uint64_t all = times(3, longer, shorter, shorter);
  return all == UINT64_MAX ? all : third(all - cube(shorter));
}

Work whole(Element e, std::uint64_t flops, std::uint64_t elements, std::int64_t batch) {
  return times(Work{times(weight(e), flops), bytes_of(elements, e)}, count(batch));
}

}  // namespace

Work cholesky(Element e, std::int64_t n, std::int64_t batch) {
  return whole(e, third(cube(count(n))), times(count(n), plus(count(n), 1)), batch);
}

Work lu(Element e, std::int64_t m, std::int64_t n, std::int64_t batch) {
  return whole(e, steps(m, n), times(2, count(m), count(n)), batch);
}

Work qr(Element e, std::int64_t m, std::int64_t n, std::int64_t batch) {
  return whole(e, times(2, steps(m, n)), times(2, count(m), count(n)), batch);
}

Work solved(Element e, std::int64_t n, std::int64_t rhs, std::int64_t batch) {
  const std::uint64_t order = count(n), sides = count(rhs);
  return whole(e, times(2, order, order, sides), plus(times(order, order), times(2, order, sides)), batch);
}

Work inverse_of_lu(Element e, std::int64_t n, std::int64_t batch) {
  return whole(e, third(times(4, cube(count(n)))), times(2, count(n), count(n)), batch);
}

Work inverse(Element e, std::int64_t n, std::int64_t batch) {
  return whole(e, times(2, cube(count(n))), times(2, count(n), count(n)), batch);
}

}  // namespace prof::gpu
