// What the parts of the fake CUDA runtime share. One source for all its versions: FAKE_CUDART_VERSION is 11080, 12060
// or 13000.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "tests/fakes/device/cbids.hpp"
#include "tests/fakes/device/fakegpu.hpp"

namespace fakegpu::cudart {

using Error = int;
inline constexpr Error kInvalidValue = 1, kOutOfMemory = 2, kNoDriver = 35, kInvalidSymbol = 13, kInvalidDevice = 101,
                       kInvalidFunction = 98, kInvalidHandle = 400, kNotReady = 600;

// The start of each call: the driver is there (as the real runtime, the fake one loads libcuda.so.1 with its first
// call), and nobody asked for an error. 0, or what the call is to return.
Error begin(Scope& scope, bool needs_driver = true);
// Keeps a call's error for cudaGetLastError, and returns it.
Error end(Scope& scope, Error error);

struct Dim3 {
  unsigned x, y, z;
};

// What the program's object files registered: kernels and variables by the address of their stand-in on the host.
const char* kernel_name(const void* stub);  // null: none
void* variable(const void* stub);           // its memory on the device; null: none

Error launch_kernel(Scope& scope, const void* stub, const Dim3& grid, const Dim3& block, std::size_t shared,
                    Stream* stream);

}  // namespace fakegpu::cudart

// Opens a call: `scope` is its; returns where an error is asked for.
#define CUDART_CALL(name)                                                                    \
  ::fakegpu::Scope scope(::fakegpu::Domain::Runtime, ::fakegpu::cbid::runtime::name, #name); \
  if (const auto refused = ::fakegpu::cudart::begin(scope); refused != 0) return ::fakegpu::cudart::end(scope, refused)
// The driver's call that the runtime makes for it.
#define CUDART_NESTED(name) \
  const ::fakegpu::Scope nested(::fakegpu::Domain::Driver, ::fakegpu::cbid::driver::name, #name)
