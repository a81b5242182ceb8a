// The fake CUDA runtime: memory.
#include "tests/fakes/libcudart/cudart.hpp"

using namespace fakegpu;
using cudart::Error;

#define API extern "C" __attribute__((visibility("default")))

namespace {

Error get(Scope& scope, void** to, std::size_t bytes, Place place) {
  scope.bytes(bytes);
  if (to == nullptr) return cudart::end(scope, cudart::kInvalidValue);
  void* const block = allocate(bytes, place);
  if (block == nullptr) return cudart::end(scope, cudart::kOutOfMemory);
  *to = block;
  return cudart::end(scope, 0);
}

Error give_back(Scope& scope, void* block) { return cudart::end(scope, release(block) ? 0 : cudart::kInvalidValue); }

// In the order of the stream, as far as the memory goes: it is kept until what uses it is done.
Error give_back_later(Scope& scope, void* block, Stream* stream) {
  Work work;
  work.kind = WorkKind::Host;
  work.body = [block] { release(block); };
  submit(stream, std::move(work));
  return cudart::end(scope, 0);
}

}  // namespace

API Error cudaMalloc(void** to, std::size_t bytes) {
  CUDART_CALL(cudaMalloc);
  CUDART_NESTED(cuMemAlloc_v2);
  return get(scope, to, bytes, Place::Device);
}

API Error cudaFree(void* block) {
  CUDART_CALL(cudaFree);
  CUDART_NESTED(cuMemFree_v2);
  synchronize_context(current());
  return give_back(scope, block);
}

API Error cudaMallocAsync(void** to, std::size_t bytes, void*) {
  CUDART_CALL(cudaMallocAsync);
  return get(scope, to, bytes, Place::Device);
}

API Error cudaMallocAsync_ptsz(void** to, std::size_t bytes, void*) {
  CUDART_CALL(cudaMallocAsync_ptsz);
  return get(scope, to, bytes, Place::Device);
}

API Error cudaMallocFromPoolAsync(void** to, std::size_t bytes, void*, void*) {
  CUDART_CALL(cudaMallocFromPoolAsync);
  return get(scope, to, bytes, Place::Device);
}

API Error cudaFreeAsync(void* block, void* stream) {
  CUDART_CALL(cudaFreeAsync);
  return give_back_later(scope, block, stream_of(stream));
}

API Error cudaFreeAsync_ptsz(void* block, void* stream) {
  CUDART_CALL(cudaFreeAsync_ptsz);
  return give_back_later(scope, block, stream_of(stream, true));
}

API Error cudaMallocManaged(void** to, std::size_t bytes, unsigned) {
  CUDART_CALL(cudaMallocManaged);
  return get(scope, to, bytes, Place::Managed);
}

API Error cudaMallocHost(void** to, std::size_t bytes) {
  CUDART_CALL(cudaMallocHost);
  return get(scope, to, bytes, Place::Pinned);
}

API Error cudaHostAlloc(void** to, std::size_t bytes, unsigned) {
  CUDART_CALL(cudaHostAlloc);
  return get(scope, to, bytes, Place::Pinned);
}

API Error cudaFreeHost(void* block) {
  CUDART_CALL(cudaFreeHost);
  return give_back(scope, block);
}

API Error cudaHostRegister(void* block, std::size_t bytes, unsigned) {
  CUDART_CALL(cudaHostRegister);
  scope.bytes(bytes);
  return cudart::end(scope, pin(block, bytes) ? 0 : cudart::kInvalidValue);
}

API Error cudaHostUnregister(void* block) {
  CUDART_CALL(cudaHostUnregister);
  return cudart::end(scope, unpin(block) ? 0 : cudart::kInvalidValue);
}

API Error cudaMallocPitch(void** to, std::size_t* pitch, std::size_t width, std::size_t height) {
  CUDART_CALL(cudaMallocPitch);
  *pitch = (width + 511) & ~std::size_t{511};
  return get(scope, to, *pitch * height, Place::Device);
}

API Error cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  CUDART_CALL(cudaMemGetInfo);
  *total = kDeviceBytes;
  *free = kDeviceBytes - used_bytes(current()->device);
  return cudart::end(scope, 0);
}

API Error cudaDeviceGetDefaultMemPool(void** pool, int) {
  CUDART_CALL(cudaDeviceGetDefaultMemPool);
  static char standing_for_it;
  *pool = &standing_for_it;
  return cudart::end(scope, 0);
}

API Error cudaMemPoolTrimTo(void*, std::size_t) {
  CUDART_CALL(cudaMemPoolTrimTo);
  return cudart::end(scope, 0);
}

namespace {
struct PointerAttributes {  // cudaPointerAttributes
  int type, device;
  void *on_device, *on_host;
};
}  // namespace

API Error cudaPointerGetAttributes(PointerAttributes* to, const void* address) {
  CUDART_CALL(cudaPointerGetAttributes);
  const Place place = place_of(address);
  auto* const at = const_cast<void*>(address);
  to->type = place == Place::Pageable ? 0 : place == Place::Pinned ? 1 : place == Place::Device ? 2 : 3;
  to->device = device_of(address);
  to->on_device = place == Place::Pageable ? nullptr : at;
  to->on_host = place == Place::Device ? nullptr : at;
  return cudart::end(scope, 0);
}
