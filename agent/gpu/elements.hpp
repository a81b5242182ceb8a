// Elements of operands: their sizes, by the numbers with which the libraries name their types. A test compares the
// numbers with the real headers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace prof::gpu {

// 0 bits: of a type that is not known.
struct Element {
  std::uint32_t bits;
  bool complex;
};
inline constexpr Element kHalf{16, false}, kSingle{32, false}, kDouble{64, false};
inline constexpr Element kComplex{64, true}, kDoubleComplex{128, true};

// Bits by number, of complex ones as negative numbers; 0: there is no such type.
using ElementBits = std::int16_t;
inline constexpr ElementBits kCudaElements[] = {32, 64,   16, 8,    -64, -128, -32, -16, 8,  -16, 32, -64,
                                                32, -64,  16, -32,  4,   -8,   4,   -8,  16, -32, 16, -32,
                                                64, -128, 64, -128, 8,   8,    8,   6,   6,  4};
inline constexpr ElementBits kCudnnElements[] = {32, 64, 16, 8, 32, 8, 8, 8, 8,  16,  64,
                                                 8,  8,  8,  8, 8,  4, 4, 4, 32, -64, -128};
inline constexpr ElementBits kNcclElements[] = {8, 8, 32, 32, 64, 64, 16, 32, 64, 16, 8, 8};

template <std::size_t N>
constexpr Element element_of(const ElementBits (&bits)[N], std::int32_t type) {
  if (type < 0 || static_cast<std::size_t>(type) >= N) return {0, false};
  const ElementBits b = bits[type];
  return {static_cast<std::uint32_t>(b < 0 ? -b : b), b < 0};
}
// Of a cudaDataType, of a cudnnDataType_t, of an ncclDataType_t.
constexpr Element cuda_element(std::int32_t type) { return element_of(kCudaElements, type); }
constexpr Element cudnn_element(std::int32_t type) { return element_of(kCudnnElements, type); }
constexpr Element nccl_element(std::int32_t type) { return element_of(kNcclElements, type); }

// The two sides of a cufftType.
struct FftElements {
  Element in, out;
};
constexpr FftElements fft_elements(std::int32_t type) {
  switch (type) {
    case 0x29:
      return {kComplex, kComplex};  // CUFFT_C2C
    case 0x2a:
      return {kSingle, kComplex};  // CUFFT_R2C
    case 0x2c:
      return {kComplex, kSingle};  // CUFFT_C2R
    case 0x69:
      return {kDoubleComplex, kDoubleComplex};  // CUFFT_Z2Z
    case 0x6a:
      return {kDouble, kDoubleComplex};  // CUFFT_D2Z
    case 0x6c:
      return {kDoubleComplex, kDouble};  // CUFFT_Z2D
    default:
      return {{0, false}, {0, false}};
  }
}

}  // namespace prof::gpu
