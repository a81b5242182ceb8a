// What PyTorch's allocators tell of their blocks. They report to libc10 by a call between libraries: always for the
// memory of devices, for that of the host only while somebody asks for it: torch.profiler, or PROF_OPS=memory.
#include <cstdint>

#include "agent/core/process.hpp"
#include "agent/gpu/memory.hpp"
#include "agent/ops/local.hpp"
#include "agent/ops/operators.hpp"
#include "agent/thread/thread_state.hpp"
#include "interpose/cuda/call.hpp"

namespace {

struct Device {
  std::int8_t type, index;
};
constexpr std::int8_t kHost = 0, kCuda = 1;

bool is_cuda(Device d) { return d.type == kCuda && d.index >= 0; }

template <class F, class... A>
void pass_on(prof::gpu::Asked& asked, const void* caller, A... arguments) {
  auto* const real = reinterpret_cast<F*>(asked.real(caller));
  if (real != nullptr) real(arguments...);
}

bool host_wanted() {
  const prof::Process& p = prof::process();
  return p.options.operator_memory && p.stage.load(std::memory_order_relaxed) == prof::Stage::Ready;
}

// What torch.profiler wants of the host's memory.
bool profiler_asks(const void* caller) {
  static constinit prof::gpu::Asked asked{"_ZN3c1022memoryProfilingEnabledEv",
                                          {{prof::gpu::Library::Runtime, prof::gpu::Role::Plain, 0}, 0}};
  auto* const real = reinterpret_cast<bool (*)()>(asked.real(caller));
  return real != nullptr && real();
}

void host_event(std::int64_t bytes) {
  prof::ThreadState& t = *prof::tls.state;
  if (prof::ops::local(t) == nullptr || t.record == nullptr) return;
  const prof::HookGuard guard(t);
  if (guard) prof::ops::allocated(guard, prof::ops::Memory::Host, bytes);
}

}  // namespace

// Whether the host's memory is to be reported, asked at each allocation and free. A yes comes from the first one on:
// PyTorch complains of frees whose allocation it did not see.
PROF_EXPORT bool _ZN3c1022memoryProfilingEnabledEv() {
  return host_wanted() || profiler_asks(__builtin_return_address(0));
}

// An allocation (bytes > 0) or a free, and the allocator's own totals after it. Totals were signed once.
#define PROF_TORCH_MEMORY(name, Total)                                                                             \
  PROF_EXPORT void name(void* block, std::int64_t bytes, Total allocated, Total reserved, Device device) {         \
    static constinit prof::gpu::Asked asked{#name, {{prof::gpu::Library::Runtime, prof::gpu::Role::Plain, 0}, 0}}; \
    if (is_cuda(device)) {                                                                                         \
      prof::gpu::tensor_event(block, bytes, static_cast<std::uint64_t>(allocated),                                 \
                              static_cast<std::uint64_t>(reserved), static_cast<std::uint32_t>(device.index));     \
    }                                                                                                              \
    if (device.type == kHost && host_wanted()) {                                                                   \
      host_event(bytes);                                                                                           \
      if (!profiler_asks(__builtin_return_address(0))) return;                                                     \
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
