// What a library call asks for, from the sizes it is given: floating point operations, and bytes of operands, each read
// or written once. The formulas and what they leave out: docs/gpu-flops.md. Sizes come from a program's arguments and
// may be anything: what is negative counts as nothing, what does not fit counts as UINT64_MAX. Any context.
#pragma once

#include <cstdint>

#include "agent/gpu/elements.hpp"

namespace prof::gpu {

struct Work {
  std::uint64_t flops = 0;
  std::uint64_t bytes = 0;
};

inline std::uint64_t plus(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}
inline std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}
template <class... More>
std::uint64_t times(std::uint64_t a, std::uint64_t b, More... more) {
  return times(times(a, b), more...);
}
inline std::uint64_t count(std::int64_t n) { return n > 0 ? static_cast<std::uint64_t>(n) : 0; }
inline Work plus(const Work& a, const Work& b) { return {plus(a.flops, b.flops), plus(a.bytes, b.bytes)}; }
inline Work times(const Work& work, std::uint64_t n) { return {times(work.flops, n), times(work.bytes, n)}; }

// Bytes of `n` elements; the last started byte counts.
std::uint64_t bytes_of(std::uint64_t n, Element element);
// How many times the operations of real numbers complex ones take, where multiplications and additions come in pairs.
inline std::uint64_t weight(Element e) { return e.complex ? 4 : 1; }

// C(m, n) = A(m, k) * B(k, n), `batch` times.
Work gemm(Element a, Element b, Element c, std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch = 1);

// The rest of BLAS, by the shape of its operands: `e` is the element of all of them. `left`: the triangular or
// symmetric matrix stands at the left, so that its order is m, else n.
Work symm(Element e, bool left, std::int64_t m, std::int64_t n);
Work trmm(Element e, bool left, std::int64_t m, std::int64_t n, std::int64_t batch = 1);  // and trsm
Work syrk(Element e, std::int64_t n, std::int64_t k);                                     // and herk
Work syrkx(Element e, std::int64_t n, std::int64_t k);                                    // and herkx
Work syr2k(Element e, std::int64_t n, std::int64_t k);                                    // and her2k
Work geam(Element e, std::int64_t m, std::int64_t n);
Work dgmm(Element e, std::int64_t m, std::int64_t n);
Work gemv(Element a, Element x, Element y, std::int64_t m, std::int64_t n, std::int64_t batch = 1);
Work symv(Element e, std::int64_t n);  // and hemv, spmv, hpmv
Work trmv(Element e, std::int64_t n);  // and trsv, tpmv, tpsv
Work ger(Element e, std::int64_t m, std::int64_t n);
Work syr(Element e, std::int64_t n);   // and her, spr, hpr
Work syr2(Element e, std::int64_t n);  // and her2, spr2, hpr2

// BLAS on vectors of n elements.
Work axpy(Element e, std::int64_t n);
Work scal(Element e, bool real_factor, std::int64_t n);
Work dot(Element e, std::int64_t n);
Work nrm2(Element e, std::int64_t n);
Work asum(Element e, std::int64_t n);
Work rot(Element e, std::int64_t n);  // by a real angle
Work copied(Element from, Element to, std::int64_t n);
Work swapped(Element e, std::int64_t n);
Work searched(Element e, std::int64_t n);  // the place of the largest or least

// Factors of matrices and what is done with them, by the leading terms. `solved`: both triangles, for `rhs` right
// sides.
Work cholesky(Element e, std::int64_t n, std::int64_t batch = 1);
Work lu(Element e, std::int64_t m, std::int64_t n, std::int64_t batch = 1);
Work qr(Element e, std::int64_t m, std::int64_t n, std::int64_t batch = 1);
Work solved(Element e, std::int64_t n, std::int64_t rhs, std::int64_t batch = 1);
Work inverse_of_lu(Element e, std::int64_t n, std::int64_t batch = 1);
Work inverse(Element e, std::int64_t n, std::int64_t batch = 1);

// A tensor's or a filter's sizes.
inline constexpr std::uint32_t kMostDims = 8;
struct Shape {
  Element element;
  std::uint32_t dims;  // of `size`; 0: not known
  std::int64_t size[kMostDims];
};
std::uint64_t elements(const Shape& shape);
std::uint64_t bytes_of(const Shape& shape);

// A convolution in any direction: forward, with the output's shape `y` and the filter's (K, C / groups, ...); backward,
// with the output's gradient as `y`. `x` is the input or its gradient.
Work convolution(const Shape& x, const Shape& filter, const Shape& y);
// A(..., m, k) * B(..., k, n) = C(..., m, n); leading sizes of A and B may be 1 for C's.
Work matmul(const Shape& a, const Shape& b, const Shape& c);

// A recurrent network, in one direction of the computation.
struct Recurrent {
  std::uint32_t gates;                             // matrices by step: 1, LSTM 4, GRU 3
  std::uint32_t directions;                        // 1 or 2
  bool skips_input;                                // the first layer adds its input, without a matrix
  std::int64_t input, hidden, projection, layers;  // projection: hidden when there is none
};
// `steps`: of all sequences together. Without bytes.
Work recurrent(const Recurrent& net, std::uint64_t steps);

// Attention over `heads`: Q, K, V and the output through a projection each where its size is not 0.
struct Attention {
  std::int64_t heads;
  std::int64_t q, k, v;                      // sizes of a query, a key, a value as they come in
  std::int64_t q_proj, k_proj, v_proj, out;  // and by head; 0: as it comes in
};
// `queries` and `keys` of all sequences together, `pairs` of a query and a key that meet. Without bytes.
Work attention(const Attention& net, std::uint64_t queries, std::uint64_t keys, std::uint64_t pairs);

// `batch` Fourier transforms of those sizes: 5 N log2 N, and half of it when one side is real, whose other side then
// has half the points in the last dimension, and one more. The shape's element is the input's.
Work fourier(const Shape& points, Element out, std::int64_t batch);

}  // namespace prof::gpu
