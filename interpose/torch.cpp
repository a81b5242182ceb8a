// What PyTorch's allocators tell of their blocks. They report to libc10 by a call between libraries: always for the
// memory of devices, for that of the host only while torch.profiler asks for it.
#include <cstdint>

#include "agent/gpu/memory.hpp"
#include "interpose/cuda/call.hpp"

namespace {

struct Device {
  std::int8_t type, index;
};
constexpr std::int8_t kCuda = 1;

bool is_cuda(Device d) { return d.type == kCuda && d.index >= 0; }

template <class F, class... A>
void pass_on(prof::gpu::Asked& asked, const void* caller, A... arguments) {
  auto* const real = reinterpret_cast<F*>(asked.real(caller));
  if (real != nullptr) real(arguments...);
}

}  // namespace

// An allocation (bytes > 0) or a free, and the allocator's own totals after it. Totals were signed once.
#define PROF_TORCH_MEMORY(name, Total)                                                                             \
  PROF_EXPORT void name(void* block, std::int64_t bytes, Total allocated, Total reserved, Device device) {         \
    static constinit prof::gpu::Asked asked{#name, {{prof::gpu::Library::Runtime, prof::gpu::Role::Plain, 0}, 0}}; \
    if (is_cuda(device)) {                                                                                         \
      prof::gpu::tensor_event(block, bytes, static_cast<std::uint64_t>(allocated),                                 \
                              static_cast<std::uint64_t>(reserved), static_cast<std::uint32_t>(device.index));     \
    }                                                                                                              \
    pass_on<void(void*, std::int64_t, Total, Total, Device)>(asked, __builtin_return_address(0), block, bytes,     \
                                                             allocated, reserved, device);                         \
  }

PROF_TORCH_MEMORY(_ZN3c1027reportMemoryUsageToProfilerEPvlllNS_6DeviceE, std::int64_t)
PROF_TORCH_MEMORY(_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE, std::uint64_t)

// There was no memory for `bytes`, and the program is about to be told so.
#define PROF_TORCH_FULL(name, Total)                                                                                  \
  PROF_EXPORT void name(std::int64_t bytes, Total allocated, Total reserved, Device device) {                         \
    static constinit prof::gpu::Asked asked{#name, {{prof::gpu::Library::Runtime, prof::gpu::Role::Plain, 0}, 0}};    \
    if (is_cuda(device)) {                                                                                            \
      prof::gpu::out_of_memory(static_cast<std::uint64_t>(bytes), static_cast<std::uint64_t>(allocated),              \
                               static_cast<std::uint64_t>(reserved), static_cast<std::uint32_t>(device.index));       \
    }                                                                                                                 \
    pass_on<void(std::int64_t, Total, Total, Device)>(asked, __builtin_return_address(0), bytes, allocated, reserved, \
                                                      device);                                                        \
  }

PROF_TORCH_FULL(_ZN3c1027reportOutOfMemoryToProfilerElllNS_6DeviceE, std::int64_t)
PROF_TORCH_FULL(_ZN3c1027reportOutOfMemoryToProfilerElmmNS_6DeviceE, std::uint64_t)
