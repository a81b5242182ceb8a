// The kinds of records that the fake CUPTI has, and their sizes by its version.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fakegpu::cupti {

enum Kind : std::uint32_t {
  kMemcpy = 1,
  kMemset = 2,
  kKernel = 3,
  kDriver = 4,
  kRuntime = 5,
  kDevice = 8,
  kContext = 9,
  kConcurrentKernel = 10,
  kOverhead = 17,
  kMemcpy2 = 22,
  kSynchronization = 38,
  kExternalCorrelation = 39,
  kGraphTrace = 51,
  kKinds = 57,
  kUnknownKind = 77,
};

// Of a record of that kind in version `v`; 0: no such kind.
constexpr std::size_t size_of(std::uint32_t kind, std::uint32_t v) {
  switch (kind) {
    case kKernel:
    case kConcurrentKernel:
      return v >= 130100   ? 256
             : v >= 130000 ? 216
             : v >= 19     ? 208
             : v >= 18     ? 200
             : v >= 17     ? 176
             : v >= 15     ? 168
             : v >= 14     ? 160
                           : 144;
    case kMemcpy2:
      return v >= 17 ? 96 : 88;
    case kMemcpy:
      return v >= 130000 ? 96 : v >= 17 ? 88 : 80;
    case kMemset:
      return v >= 17 ? 88 : 80;
    case kDriver:
    case kRuntime:
      return 40;
    case kDevice:
      return v >= 130000 ? 184 : v >= 19 ? 176 : 152;
    case kContext:
      return v >= 130000 ? 32 : v >= 24 ? 24 : 16;
    case kOverhead:
      return v >= 130000 ? 56 : v >= 24 ? 48 : 40;
    case kSynchronization:
      return v >= 24 ? 56 : 40;
    case kExternalCorrelation:
      return 24;
    case kGraphTrace:
      return v >= 24 ? 56 : 48;
    case kUnknownKind:
      return 64;
    default:
      return 0;
  }
}

}  // namespace fakegpu::cupti
