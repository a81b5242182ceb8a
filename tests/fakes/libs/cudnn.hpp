// What the parts of the fake cuDNN share.
#pragma once

#include "tests/fakes/libs/library.hpp"

// Which version is made says the build, which makes one library for each.
#ifndef FAKE_CUDNN_MAJOR
#define FAKE_CUDNN_MAJOR 9
#endif

namespace fakegpu::dnn {

inline constexpr int kBadParam = 2000;
// Version 9 numbered its errors anew.
inline constexpr int kNotInitialized = FAKE_CUDNN_MAJOR >= 9 ? 1001 : 1;

struct Handle {
  void* stream = nullptr;
};

// A tensor or a filter.
struct Sizes {
  int type = 0;  // 0: float, 2: half
  std::vector<std::int64_t> size;

  std::uint64_t bytes() const {
    std::uint64_t n = type == 2 ? 2 : 4;
    for (const std::int64_t s : size) n *= static_cast<std::uint64_t>(s);
    return n;
  }
};

// Counts the operations of a convolution by going through its output, and for each element of it through the filter.
std::uint64_t convolve(const Sizes& filter, const Sizes& output);

}  // namespace fakegpu::dnn
