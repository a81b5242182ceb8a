// Which kinds of records can be had.
#include "tests/fakes/libcupti/cupti.hpp"

namespace fakegpu::cupti {

// As measured with CUDA 13.0 on a device of compute capability 8.6.
int refusal(std::uint32_t kind) {
  constexpr std::uint32_t legacy[] = {6, 7, 14, 15, 16, 21, 23, 24, 29, 30, 31, 32, 41, 42, 43, 44};
  constexpr std::uint32_t not_here[] = {0, 18, 20, 28, 56};
  for (const std::uint32_t one : legacy) {
    if (kind == one) return kLegacyProfiler;
  }
  for (const std::uint32_t one : not_here) {
    if (kind == one) return kNotCompatible;
  }
  if (kind == 27 || kind == 53 || kind > 56) return kInvalidKind;
  if ((kind == kKernel && wanted().kinds[kConcurrentKernel]) || (kind == kConcurrentKernel && wanted().kinds[kKernel]))
    return kNotCompatible;
  return 0;
}

}  // namespace fakegpu::cupti
