// The formulas for what library calls ask for, against numbers worked out by hand.
#include <cstdint>

#include "agent/gpu/fft_plans.hpp"
#include "agent/gpu/flops.hpp"
#include "tests/support/catch.hpp"

using namespace prof::gpu;

TEST_CASE("a matrix product takes 2mnk operations for each batch, of complex numbers four times as many") {
  const Work single = gemm(kSingle, kSingle, kSingle, 2, 3, 5);
  CHECK(single.flops == 60);
  CHECK(single.bytes == 4 * (2 * 5 + 5 * 3 + 2 * 3));
  CHECK(gemm(kComplex, kComplex, kComplex, 2, 3, 5).flops == 240);
  const Work batch = gemm(kHalf, kHalf, kSingle, 2, 3, 5, 7);
  CHECK(batch.flops == 420);
  CHECK(batch.bytes == 7 * (2 * (10 + 15) + 4 * 6));
  // Half a byte for each element, rounded up for each operand.
  const Element fp4 = cuda_element(33);
  CHECK(fp4.bits == 4);
  CHECK(gemm(fp4, fp4, kSingle, 1, 1, 3).bytes == 2 + 2 + 4);
}

TEST_CASE("sizes that make no sense ask for nothing, and those that do not fit for the most there is") {
  CHECK(gemm(kSingle, kSingle, kSingle, -2, 3, 5).flops == 0);
  CHECK(gemm(kSingle, kSingle, kSingle, -2, 3, 5).bytes == 0);
  CHECK(gemm(kSingle, kSingle, kSingle, 0, 3, 5).bytes == 0);
  CHECK(gemm(kSingle, kSingle, kSingle, 2, 3, 5, -1).flops == 0);
  CHECK(gemm(kSingle, kSingle, kSingle, INT64_MAX, INT64_MAX, 2).flops == UINT64_MAX);
  CHECK(gemm(kSingle, kSingle, kSingle, INT64_MAX, INT64_MAX, 2).bytes == UINT64_MAX);
  CHECK(syrk(kSingle, INT64_MAX, 1).flops == UINT64_MAX);
  CHECK(plus(UINT64_MAX - 1, 2) == UINT64_MAX);
  CHECK(times(UINT64_MAX / 2, 3) == UINT64_MAX);
}

TEST_CASE("symmetric and triangular matrices") {
  CHECK(symm(kSingle, true, 4, 3).flops == 2 * 4 * 4 * 3);
  CHECK(symm(kSingle, false, 4, 3).flops == 2 * 4 * 3 * 3);
  CHECK(symm(kSingle, true, 4, 3).bytes == 4 * (10 + 2 * 12));
  CHECK(syrk(kDouble, 4, 5).flops == 5 * 4 * 5);
  CHECK(syrk(kDouble, 4, 5).bytes == 8 * (20 + 10));
  CHECK(syrkx(kDouble, 4, 5).bytes == 8 * (40 + 10));
  CHECK(syr2k(kDouble, 4, 5).flops == 2 * 5 * 4 * 5);
  CHECK(syrk(kComplex, 4, 5).flops == 4 * 5 * 4 * 5);
  CHECK(trmm(kSingle, true, 4, 3).flops == 4 * 4 * 3);
  CHECK(trmm(kSingle, false, 4, 3, 2).flops == 2 * 4 * 3 * 3);
  CHECK(geam(kSingle, 4, 3).flops == 36);
  CHECK(geam(kComplex, 4, 3).flops == 14 * 12);
  CHECK(dgmm(kSingle, 4, 3).bytes == 4 * (24 + 3));
}

TEST_CASE("factors of matrices, by their leading terms") {
  CHECK(cholesky(kSingle, 30).flops == 9000);
  CHECK(cholesky(kSingle, 30).bytes == 4 * 2 * 465);
  CHECK(cholesky(kComplex, 30, 2).flops == 2 * 4 * 9000);
  CHECK(lu(kDouble, 30, 30).flops == 18000);
  // A tall matrix takes as many steps as a wide one: m n^2 - n^3 / 3.
  CHECK(lu(kDouble, 60, 30).flops == 60 * 900 - 9000);
  CHECK(lu(kDouble, 30, 60).flops == 60 * 900 - 9000);
  CHECK(qr(kSingle, 60, 30).flops == 2 * 60 * 900 - 2 * 9000);
  CHECK(qr(kSingle, 60, 30).bytes == 4 * 2 * 1800);
  CHECK(solved(kSingle, 30, 7, 2).flops == 2 * 2 * 900 * 7);
  CHECK(solved(kSingle, 30, 7).bytes == 4 * (900 + 2 * 210));
  CHECK(inverse_of_lu(kSingle, 30).flops == 36000);
  CHECK(inverse(kSingle, 30).flops == lu(kSingle, 30, 30).flops + inverse_of_lu(kSingle, 30).flops);
  CHECK(lu(kSingle, INT64_MAX, INT64_MAX).flops == UINT64_MAX);
  CHECK(lu(kSingle, -3, 3).flops == 0);
}

TEST_CASE("matrices with vectors, and vectors") {
  CHECK(gemv(kSingle, kSingle, kSingle, 4, 3).flops == 24);
  CHECK(gemv(kSingle, kSingle, kSingle, 4, 3, 5).bytes == 5 * 4 * (12 + 4 + 3));
  CHECK(symv(kSingle, 4).flops == 32);
  CHECK(symv(kSingle, 4).bytes == 4 * (10 + 8));
  CHECK(trmv(kSingle, 4).flops == 16);
  CHECK(ger(kComplex, 4, 3).flops == 96);
  CHECK(syr(kSingle, 4).flops == 20);
  CHECK(syr2(kSingle, 4).flops == 40);
  CHECK(axpy(kSingle, 10).flops == 20);
  CHECK(axpy(kSingle, 10).bytes == 120);
  CHECK(scal(kSingle, false, 10).flops == 10);
  CHECK(scal(kComplex, false, 10).flops == 60);
  CHECK(scal(kComplex, true, 10).flops == 20);
  CHECK(dot(kDoubleComplex, 10).flops == 80);
  CHECK(nrm2(kComplex, 10).flops == 40);
  CHECK(asum(kSingle, 10).flops == 10);
  CHECK(rot(kSingle, 10).flops == 60);
  CHECK(copied(kHalf, kSingle, 10).bytes == 60);
  CHECK(swapped(kSingle, 10).bytes == 160);
}

TEST_CASE("a convolution takes the same in every direction, and its groups make it smaller") {
  // 8 images of 64 channels, 56 by 56; 128 filters of 3 by 3; stride 2: 28 by 28.
  const Shape x{kHalf, 4, {8, 64, 56, 56}}, w{kHalf, 4, {128, 64, 3, 3}}, y{kHalf, 4, {8, 128, 28, 28}};
  const std::uint64_t flops = 2ULL * 8 * 128 * 28 * 28 * 64 * 3 * 3;
  CHECK(convolution(x, w, y).flops == flops);
  CHECK(convolution(x, w, y).bytes == 2ULL * (8 * 64 * 56 * 56 + 128 * 64 * 9 + 8 * 128 * 28 * 28));
  const Shape depthwise{kHalf, 4, {128, 1, 3, 3}};
  CHECK(convolution(x, depthwise, y).flops == flops / 64);
  const Shape volume{kSingle, 5, {1, 4, 8, 8, 8}}, filter{kSingle, 5, {2, 4, 3, 3, 3}},
      out{kSingle, 5, {1, 2, 6, 6, 6}};
  CHECK(convolution(volume, filter, out).flops == 2ULL * 2 * 216 * 4 * 27);
  CHECK(convolution(x, Shape{}, y).flops == 0);
  CHECK(convolution(x, Shape{kHalf, 4, {0, 64, 3, 3}}, y).flops == 0);
}

TEST_CASE("products of stacks of matrices") {
  const Shape a{kHalf, 4, {2, 12, 128, 64}}, b{kHalf, 4, {1, 12, 64, 256}}, c{kHalf, 4, {2, 12, 128, 256}};
  CHECK(matmul(a, b, c).flops == 2ULL * 2 * 12 * 128 * 256 * 64);
  CHECK(matmul(Shape{}, b, c).flops == 0);
}

TEST_CASE("recurrent networks take a matrix for each gate, layer, direction and step") {
  // An LSTM of two layers, both ways: 32 in, 64 hidden, 100 steps.
  const Recurrent lstm{4, 2, false, 32, 64, 64, 2};
  CHECK(recurrent(lstm, 100).flops == 100ULL * 2 * (2 * 4 * 64 * (32 + 64) + 2 * 4 * 64 * (128 + 64)));
  // With a projection to 16, what comes back and goes on is smaller, at the cost of one more matrix.
  const Recurrent projected{4, 1, false, 32, 64, 16, 2};
  CHECK(recurrent(projected, 10).flops ==
        10ULL * (2 * 4 * 64 * (32 + 16) + 2 * 64 * 16 + 2 * 4 * 64 * (16 + 16) + 2 * 64 * 16));
  CHECK(recurrent({1, 1, true, 64, 64, 64, 1}, 1).flops == 2ULL * 64 * 64);
  CHECK(recurrent({1, 1, false, 64, 64, 64, 0}, 1).flops == 0);
}

TEST_CASE("attention takes its scores, its sums and its projections") {
  // 2 heads, queries and keys of 8 that are projected to 4, values of 8 to 4, 8 out; 10 queries, 20 keys.
  const Attention net{2, 8, 8, 8, 4, 4, 4, 8};
  CHECK(attention(net, 10, 20, 200).flops ==
        2ULL * 2 * (4 * 200 + 4 * 200 + 8 * 4 * 10 + 8 * 4 * 20 + 8 * 4 * 20 + 4 * 8 * 10));
  // Without projections.
  CHECK(attention({1, 8, 8, 16, 0, 0, 0, 0}, 10, 20, 200).flops == 2ULL * (8 * 200 + 16 * 200));
}

TEST_CASE("a Fourier transform takes 5 N log2 N, half of it with a real side") {
  const Work both = fourier({kComplex, 1, {1024}}, kComplex, 3);
  CHECK(both.flops == 3ULL * 5 * 1024 * 10);
  CHECK(both.bytes == 3ULL * 2 * 8 * 1024);
  const Work real = fourier({kSingle, 2, {64, 32}}, kComplex, 1);
  CHECK(real.flops == 5ULL * 2048 * 11 / 2);
  CHECK(real.bytes == 4ULL * 2048 + 8 * 64 * 17);
  const Work back = fourier({kComplex, 2, {64, 32}}, kSingle, 1);
  CHECK(back.bytes == real.bytes);
  // log2(1000) = 9.9657842...
  CHECK(fourier({kComplex, 1, {1000}}, kComplex, 1).flops == 49828);
  CHECK(fourier({kComplex, 1, {1}}, kComplex, 1).flops == 0);
  CHECK(fourier({kComplex, 1, {0}}, kComplex, 1).bytes == 0);
  CHECK(fourier({kComplex, 2, {INT64_MAX, INT64_MAX}}, kComplex, 1).flops == UINT64_MAX);
}

TEST_CASE("plans are known by their numbers, the first of which is 0") {
  fft_planned(0, {kComplex, 1, {8}}, kComplex, 1);
  fft_planned(7, {kComplex, 1, {16}}, kComplex, 1);
  CHECK(fft_work(0).flops == 5 * 8 * 3);
  CHECK(fft_work(7).flops == 5 * 16 * 4);
  fft_planned(7, {kComplex, 1, {32}}, kComplex, 1);
  CHECK(fft_work(7).flops == 5 * 32 * 5);
  fft_destroyed(7);
  CHECK(fft_work(7).flops == 0);
  CHECK(fft_work(0).flops == 5 * 8 * 3);
  fft_destroyed(0);
  fft_destroyed(-1);
  CHECK(fft_work(-1).flops == 0);
  CHECK(fft_elements(0x2a).out.bits == 64);
  CHECK(fft_elements(0).in.bits == 0);
}

TEST_CASE("types of elements by the libraries' numbers") {
  CHECK(cuda_element(0).bits == 32);
  CHECK(cuda_element(14).bits == 16);
  CHECK(cuda_element(5).complex);
  CHECK(cuda_element(5).bits == 128);
  CHECK(cuda_element(28).bits == 8);
  CHECK(cuda_element(-1).bits == 0);
  CHECK(cuda_element(1000).bits == 0);
  CHECK(cudnn_element(9).bits == 16);
  CHECK(cudnn_element(16).bits == 4);
  CHECK(cudnn_element(99).bits == 0);
  CHECK(nccl_element(9).bits == 16);
  CHECK(nccl_element(8).bits == 64);
  CHECK(nccl_element(12).bits == 0);
}
