// What the parts of the fake CUDA driver share.
#pragma once

#include "tests/fakes/device/cbids.hpp"
#include "tests/fakes/device/fakegpu.hpp"

namespace fakegpu::driver {

using Result = int;
inline constexpr Result kInvalidValue = 1, kOutOfMemory = 2, kNotInitialized = 3, kInvalidDevice = 101,
                        kInvalidContext = 201, kNotFound = 500, kNotReady = 600;

// 0, or what a call is to return before it does anything.
Result begin(const Scope& scope);

}  // namespace fakegpu::driver

#define CUDA_API extern "C" __attribute__((visibility("default")))

// Opens a call: `scope` is its; returns where an error is asked for, or cuInit was not called.
#define CUDA_CALL(name)                                                                    \
  ::fakegpu::Scope scope(::fakegpu::Domain::Driver, ::fakegpu::cbid::driver::name, #name); \
  if (const auto refused = ::fakegpu::driver::begin(scope); refused != 0) return scope.done(refused)
