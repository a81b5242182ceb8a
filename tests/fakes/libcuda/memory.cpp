// The fake CUDA driver: memory, copies and sets. A CUdeviceptr is an address.
#include "tests/fakes/libcuda/cuda.hpp"

using namespace fakegpu;
using driver::Result;
using Address = std::uintptr_t;

namespace {

Result get(Scope& scope, Address* to, std::size_t bytes, Place place) {
  scope.bytes(bytes);
  if (bytes == 0) return scope.done(driver::kInvalidValue);
  void* const block = allocate(bytes, place);
  if (block == nullptr) return scope.done(driver::kOutOfMemory);
  *to = reinterpret_cast<Address>(block);
  return scope.done(0);
}

Result move(Scope& scope, Address to, Address from, std::size_t bytes, Stream* stream, bool wait) {
  scope.bytes(bytes);
  if (bytes != 0) {
    if (to == 0 || from == 0) return scope.done(driver::kInvalidValue);
    copy(stream, reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  }
  if (wait) synchronize(stream);
  return scope.done(0);
}

Result fill(Scope& scope, Address to, std::uint32_t value, unsigned value_bytes, std::size_t count, Stream* stream,
            bool wait) {
  scope.bytes(count * value_bytes);
  if (count != 0) {
    if (to == 0) return scope.done(driver::kInvalidValue);
    set(stream, reinterpret_cast<void*>(to), value, value_bytes, count);
  }
  if (wait) synchronize(stream);
  return scope.done(0);
}

}  // namespace

CUDA_API Result cuMemAlloc_v2(Address* to, std::size_t bytes) {
  CUDA_CALL(cuMemAlloc_v2);
  return get(scope, to, bytes, Place::Device);
}

CUDA_API Result cuMemAllocManaged(Address* to, std::size_t bytes, unsigned) {
  CUDA_CALL(cuMemAllocManaged);
  return get(scope, to, bytes, Place::Managed);
}

CUDA_API Result cuMemAllocAsync(Address* to, std::size_t bytes, void*) {
  CUDA_CALL(cuMemAllocAsync);
  return get(scope, to, bytes, Place::Device);
}

CUDA_API Result cuMemAllocHost_v2(Address* to, std::size_t bytes) {
  CUDA_CALL(cuMemAllocHost_v2);
  return get(scope, to, bytes, Place::Pinned);
}

CUDA_API Result cuMemFree_v2(Address block) {
  CUDA_CALL(cuMemFree_v2);
  synchronize_context(current());
  return scope.done(release(reinterpret_cast<void*>(block)) ? 0 : driver::kInvalidValue);
}

CUDA_API Result cuMemFreeAsync(Address block, void* stream) {
  CUDA_CALL(cuMemFreeAsync);
  Work work;
  work.kind = WorkKind::Host;
  work.body = [block] { release(reinterpret_cast<void*>(block)); };
  submit(stream_of(stream), std::move(work));
  return scope.done(0);
}

CUDA_API Result cuMemFreeHost(void* block) {
  CUDA_CALL(cuMemFreeHost);
  return scope.done(release(block) ? 0 : driver::kInvalidValue);
}

CUDA_API Result cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  CUDA_CALL(cuMemGetInfo_v2);
  *total = kDeviceBytes;
  *free = kDeviceBytes - used_bytes(current()->device);
  return scope.done(0);
}

CUDA_API Result cuMemcpy(Address to, Address from, std::size_t bytes) {
  CUDA_CALL(cuMemcpy);
  return move(scope, to, from, bytes, stream_of(nullptr), true);
}

CUDA_API Result cuMemcpyAsync(Address to, Address from, std::size_t bytes, void* stream) {
  CUDA_CALL(cuMemcpyAsync);
  return move(scope, to, from, bytes, stream_of(stream), false);
}

CUDA_API Result cuMemcpyHtoD_v2(Address to, const void* from, std::size_t bytes) {
  CUDA_CALL(cuMemcpyHtoD_v2);
  return move(scope, to, reinterpret_cast<Address>(from), bytes, stream_of(nullptr), true);
}

CUDA_API Result cuMemcpyHtoDAsync_v2(Address to, const void* from, std::size_t bytes, void* stream) {
  CUDA_CALL(cuMemcpyHtoDAsync_v2);
  return move(scope, to, reinterpret_cast<Address>(from), bytes, stream_of(stream), false);
}

CUDA_API Result cuMemcpyDtoH_v2(void* to, Address from, std::size_t bytes) {
  CUDA_CALL(cuMemcpyDtoH_v2);
  return move(scope, reinterpret_cast<Address>(to), from, bytes, stream_of(nullptr), true);
}

CUDA_API Result cuMemcpyDtoHAsync_v2(void* to, Address from, std::size_t bytes, void* stream) {
  CUDA_CALL(cuMemcpyDtoHAsync_v2);
  return move(scope, reinterpret_cast<Address>(to), from, bytes, stream_of(stream), false);
}

CUDA_API Result cuMemcpyDtoD_v2(Address to, Address from, std::size_t bytes) {
  CUDA_CALL(cuMemcpyDtoD_v2);
  return move(scope, to, from, bytes, stream_of(nullptr), true);
}

CUDA_API Result cuMemcpyDtoDAsync_v2(Address to, Address from, std::size_t bytes, void* stream) {
  CUDA_CALL(cuMemcpyDtoDAsync_v2);
  return move(scope, to, from, bytes, stream_of(stream), false);
}

CUDA_API Result cuMemsetD8_v2(Address to, unsigned char value, std::size_t count) {
  CUDA_CALL(cuMemsetD8_v2);
  return fill(scope, to, value, 1, count, stream_of(nullptr), true);
}

CUDA_API Result cuMemsetD32_v2(Address to, unsigned value, std::size_t count) {
  CUDA_CALL(cuMemsetD32_v2);
  return fill(scope, to, value, 4, count, stream_of(nullptr), true);
}

CUDA_API Result cuMemsetD8Async(Address to, unsigned char value, std::size_t count, void* stream) {
  CUDA_CALL(cuMemsetD8Async);
  return fill(scope, to, value, 1, count, stream_of(stream), false);
}

CUDA_API Result cuMemsetD32Async(Address to, unsigned value, std::size_t count, void* stream) {
  CUDA_CALL(cuMemsetD32Async);
  return fill(scope, to, value, 4, count, stream_of(stream), false);
}
