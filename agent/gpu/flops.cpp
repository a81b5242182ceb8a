#include "agent/gpu/flops.hpp"

namespace prof::gpu {
namespace {

std::uint64_t triangle(std::uint64_t n) { return n % 2 == 0 ? times(n / 2, plus(n, 1)) : times(n, plus(n, 1) / 2); }

std::uint64_t min(std::uint64_t a, std::uint64_t b) { return a < b ? a : b; }

}  // namespace

std::uint64_t bytes_of(std::uint64_t n, Element element) {
  if (element.bits % 8 == 0) return times(n, element.bits / 8);
  const std::uint64_t bits = times(n, element.bits);
  return bits == UINT64_MAX ? bits : bits / 8 + (bits % 8 != 0 ? 1 : 0);
}

Work gemm(Element a, Element b, Element c, std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch) {
  const std::uint64_t rows = count(m), columns = count(n), inner = count(k);
  const std::uint64_t bytes = plus(plus(bytes_of(times(rows, inner), a), bytes_of(times(inner, columns), b)),
                                   bytes_of(times(rows, columns), c));
  return times(Work{times(2 * weight(a), rows, columns, inner), rows * columns == 0 ? 0 : bytes}, count(batch));
}

Work symm(Element e, bool left, std::int64_t m, std::int64_t n) {
  const std::uint64_t rows = count(m), columns = count(n), order = left ? rows : columns;
  return {times(2 * weight(e), rows, columns, order), bytes_of(plus(triangle(order), times(2, rows, columns)), e)};
}

Work trmm(Element e, bool left, std::int64_t m, std::int64_t n, std::int64_t batch) {
  const std::uint64_t rows = count(m), columns = count(n), order = left ? rows : columns;
  return times(
      Work{times(weight(e), rows, columns, order), bytes_of(plus(triangle(order), times(2, rows, columns)), e)},
      count(batch));
}

Work syrk(Element e, std::int64_t n, std::int64_t k) {
  const std::uint64_t order = count(n), inner = count(k);
  return {times(2 * weight(e), inner, triangle(order)), bytes_of(plus(times(order, inner), triangle(order)), e)};
}

Work syrkx(Element e, std::int64_t n, std::int64_t k) {
  const std::uint64_t order = count(n), inner = count(k);
  return {times(2 * weight(e), inner, triangle(order)), bytes_of(plus(times(2, order, inner), triangle(order)), e)};
}

Work syr2k(Element e, std::int64_t n, std::int64_t k) {
  const Work one = syrkx(e, n, k);
  return {times(one.flops, 2), one.bytes};
}

Work geam(Element e, std::int64_t m, std::int64_t n) {
  const std::uint64_t size = times(count(m), count(n));
  // Two multiplications and an addition; of complex numbers 6 + 6 + 2.
  return {times(e.complex ? 14 : 3, size), bytes_of(times(3, size), e)};
}

Work dgmm(Element e, std::int64_t m, std::int64_t n) {
  const std::uint64_t size = times(count(m), count(n));
  return {times(e.complex ? 6 : 1, size), bytes_of(plus(times(2, size), min(count(m), count(n))), e)};
}

Work gemv(Element a, Element x, Element y, std::int64_t m, std::int64_t n, std::int64_t batch) {
  const std::uint64_t size = times(count(m), count(n));
  // Which of the vectors has m elements does not matter when they are of one type, as they always are.
  const std::uint64_t bytes = plus(bytes_of(size, a), plus(bytes_of(count(n), x), bytes_of(count(m), y)));
  return times(Work{times(2 * weight(a), size), bytes}, count(batch));
}

Work symv(Element e, std::int64_t n) {
  const std::uint64_t order = count(n);
  return {times(2 * weight(e), order, order), bytes_of(plus(triangle(order), times(2, order)), e)};
}

Work trmv(Element e, std::int64_t n) {
  const std::uint64_t order = count(n);
  return {times(weight(e), order, order), bytes_of(plus(triangle(order), times(2, order)), e)};
}

Work ger(Element e, std::int64_t m, std::int64_t n) {
  const std::uint64_t size = times(count(m), count(n));
  return {times(2 * weight(e), size), bytes_of(plus(size, plus(count(m), count(n))), e)};
}

Work syr(Element e, std::int64_t n) {
  const std::uint64_t order = count(n);
  return {times(2 * weight(e), triangle(order)), bytes_of(plus(triangle(order), order), e)};
}

Work syr2(Element e, std::int64_t n) {
  const std::uint64_t order = count(n);
  return {times(4 * weight(e), triangle(order)), bytes_of(plus(triangle(order), times(2, order)), e)};
}

Work axpy(Element e, std::int64_t n) { return {times(2 * weight(e), count(n)), bytes_of(times(3, count(n)), e)}; }

Work scal(Element e, bool real_factor, std::int64_t n) {
  return {times(!e.complex ? 1 : real_factor ? 2 : 6, count(n)), bytes_of(times(2, count(n)), e)};
}

Work dot(Element e, std::int64_t n) { return {times(2 * weight(e), count(n)), bytes_of(times(2, count(n)), e)}; }

Work nrm2(Element e, std::int64_t n) { return {times(e.complex ? 4 : 2, count(n)), bytes_of(count(n), e)}; }

Work asum(Element e, std::int64_t n) { return {times(e.complex ? 2 : 1, count(n)), bytes_of(count(n), e)}; }

Work rot(Element e, std::int64_t n) { return {times(e.complex ? 12 : 6, count(n)), bytes_of(times(4, count(n)), e)}; }

Work copied(Element from, Element to, std::int64_t n) {
  return {0, plus(bytes_of(count(n), from), bytes_of(count(n), to))};
}

Work swapped(Element e, std::int64_t n) { return {0, bytes_of(times(4, count(n)), e)}; }

Work searched(Element e, std::int64_t n) { return {0, bytes_of(count(n), e)}; }

std::uint64_t elements(const Shape& shape) {
  if (shape.dims == 0 || shape.dims > kMostDims) return 0;
  std::uint64_t n = 1;
  for (std::uint32_t i = 0; i < shape.dims; ++i) n = times(n, count(shape.size[i]));
  return n;
}

std::uint64_t bytes_of(const Shape& shape) { return bytes_of(elements(shape), shape.element); }

Work convolution(const Shape& x, const Shape& filter, const Shape& y) {
  const Work operands{0, plus(plus(bytes_of(x), bytes_of(filter)), bytes_of(y))};
  if (filter.dims < 3 || y.dims < 3 || filter.size[0] <= 0) return operands;
  // Each element of the output takes one multiplication and addition for each element of one output channel's filter.
  const std::uint64_t outputs = count(filter.size[0]);
  return plus(operands, Work{times(2 * weight(filter.element), elements(y), elements(filter) / outputs), 0});
}

Work matmul(const Shape& a, const Shape& b, const Shape& c) {
  const Work operands{0, plus(plus(bytes_of(a), bytes_of(b)), bytes_of(c))};
  if (a.dims < 2 || c.dims < 2 || a.dims > kMostDims) return operands;
  return plus(operands, Work{times(2 * weight(a.element), elements(c), count(a.size[a.dims - 1])), 0});
}

Work recurrent(const Recurrent& net, std::uint64_t steps) {
  const std::uint64_t hidden = count(net.hidden), out = count(net.projection);
  const std::uint64_t directions = net.directions;
  const auto layer = [&](std::uint64_t input) {
    std::uint64_t flops = times(2 * std::uint64_t{net.gates}, hidden, plus(input, out));
    if (out != hidden) flops = plus(flops, times(2, hidden, out));
    return flops;
  };
  const std::uint64_t layers = count(net.layers);
  if (layers == 0) return {};
  const std::uint64_t first = layer(net.skips_input ? 0 : count(net.input));
  const std::uint64_t others = times(layers - 1, layer(times(out, directions)));
  return {times(plus(first, others), directions, steps), 0};
}

Work attention(const Attention& net, std::uint64_t queries, std::uint64_t keys, std::uint64_t pairs) {
  const std::uint64_t heads = count(net.heads);
  const auto projected = [&](std::int64_t from, std::int64_t to, std::uint64_t vectors) {
    return times(2 * heads, count(from), count(to), vectors);
  };
  const std::uint64_t key = count(net.k_proj > 0 ? net.k_proj : net.k);
  const std::uint64_t value = count(net.v_proj > 0 ? net.v_proj : net.v);
  std::uint64_t flops = plus(times(2 * heads, key, pairs), times(2 * heads, value, pairs));
  flops = plus(flops, projected(net.q, net.q_proj, queries));
  flops = plus(flops, projected(net.k, net.k_proj, keys));
  flops = plus(flops, projected(net.v, net.v_proj, keys));
  flops = plus(flops, times(2 * heads, value, count(net.out), queries));
  return {flops, 0};
}

}  // namespace prof::gpu
