// A framework in small: operators that launch kernels, and a caching allocator that tells its profiler hook of every
// block, as PyTorch's does. Used by gpu_train.py through ctypes.
#include <map>
#include <mutex>

#include "cuda_api.h"

namespace c10 {
// As in PyTorch since 2.1. The hook lies in another library than the allocator: the call can be seen.
struct Device {
  signed char type;
  signed char index;
};
void reportMemoryUsageToProfiler(void* block, long bytes, unsigned long allocated, unsigned long reserved,
                                 Device device);
}  // namespace c10

KERNEL(forward_400us)
KERNEL(backward_700us)

namespace {

constexpr size_t kSegment = 2 << 20;

struct Allocator {
  std::mutex mutex;
  std::map<void*, size_t> live;
  std::multimap<size_t, void*> free;
  size_t allocated = 0, reserved = 0;
};
Allocator allocator;

size_t rounded(size_t bytes) { return (bytes + kSegment - 1) / kSegment * kSegment; }

}  // namespace

extern "C" {

__attribute__((visibility("default"))) void ops_forward(int count) {
  for (int i = 0; i < count; ++i) CUDA(LAUNCH(forward_400us, NULL));
}

__attribute__((visibility("default"))) void ops_backward(int count) {
  for (int i = 0; i < count; ++i) CUDA(LAUNCH(backward_700us, NULL));
}

__attribute__((visibility("default"))) void ops_synchronize() { CUDA(cudaDeviceSynchronize()); }

__attribute__((visibility("default"))) void* ops_tensor(size_t bytes) {
  const std::lock_guard lock(allocator.mutex);
  void* block = nullptr;
  const auto cached = allocator.free.lower_bound(bytes);
  if (cached != allocator.free.end()) {
    block = cached->second;
    allocator.free.erase(cached);
  } else {
    CUDA(cudaMalloc(&block, rounded(bytes)));
    allocator.reserved += rounded(bytes);
  }
  allocator.live[block] = bytes;
  allocator.allocated += bytes;
  c10::reportMemoryUsageToProfiler(block, static_cast<long>(bytes), allocator.allocated, allocator.reserved, {1, 0});
  return block;
}

__attribute__((visibility("default"))) void ops_drop(void* block) {
  const std::lock_guard lock(allocator.mutex);
  const auto found = allocator.live.find(block);
  EXPECT(found != allocator.live.end());
  const size_t bytes = found->second;
  allocator.live.erase(found);
  allocator.free.emplace(rounded(bytes), block);
  allocator.allocated -= bytes;
  c10::reportMemoryUsageToProfiler(block, -static_cast<long>(bytes), allocator.allocated, allocator.reserved, {1, 0});
}

}  // extern "C"
