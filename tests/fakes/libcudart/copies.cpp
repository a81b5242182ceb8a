// The fake CUDA runtime: copies and sets. A call that is not Async waits for what it asked for.
#include "tests/fakes/libcudart/cudart.hpp"

using namespace fakegpu;
using cudart::Error;

#define API extern "C" __attribute__((visibility("default")))

namespace {

struct Rows {
  void* to;
  std::size_t to_pitch;
  const void* from;
  std::size_t from_pitch, width, count;
};

Error move(Scope& scope, const Rows& rows, Stream* stream, bool wait) {
  scope.bytes(rows.width * rows.count);
  if (rows.width * rows.count != 0) {
    if (rows.to == nullptr || rows.from == nullptr) return cudart::end(scope, cudart::kInvalidValue);
    copy_rows(stream, rows.to, rows.to_pitch, rows.from, rows.from_pitch, rows.width, rows.count);
  }
  if (wait) synchronize(stream);
  return cudart::end(scope, 0);
}

Error move(Scope& scope, void* to, const void* from, std::size_t bytes, Stream* stream, bool wait) {
  return move(scope, {to, bytes, from, bytes, bytes, 1}, stream, wait);
}

Error fill(Scope& scope, void* to, int value, std::size_t bytes, Stream* stream, bool wait) {
  scope.bytes(bytes);
  if (bytes != 0) {
    if (to == nullptr) return cudart::end(scope, cudart::kInvalidValue);
    set(stream, to, static_cast<std::uint32_t>(value) & 0xff, 1, bytes);
  }
  if (wait) synchronize(stream);
  return cudart::end(scope, 0);
}

}  // namespace

API Error cudaMemcpy(void* to, const void* from, std::size_t bytes, int) {
  CUDART_CALL(cudaMemcpy);
  return move(scope, to, from, bytes, stream_of(nullptr), true);
}

API Error cudaMemcpy_ptds(void* to, const void* from, std::size_t bytes, int) {
  CUDART_CALL(cudaMemcpy_ptds);
  return move(scope, to, from, bytes, stream_of(nullptr, true), true);
}

API Error cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, int, void* stream) {
  CUDART_CALL(cudaMemcpyAsync);
  CUDART_NESTED(cuMemcpyAsync);
  return move(scope, to, from, bytes, stream_of(stream), false);
}

API Error cudaMemcpyAsync_ptsz(void* to, const void* from, std::size_t bytes, int, void* stream) {
  CUDART_CALL(cudaMemcpyAsync_ptsz);
  return move(scope, to, from, bytes, stream_of(stream, true), false);
}

API Error cudaMemcpyPeer(void* to, int, const void* from, int, std::size_t bytes) {
  CUDART_CALL(cudaMemcpyPeer);
  return move(scope, to, from, bytes, stream_of(nullptr), true);
}

API Error cudaMemcpyPeerAsync(void* to, int, const void* from, int, std::size_t bytes, void* stream) {
  CUDART_CALL(cudaMemcpyPeerAsync);
  return move(scope, to, from, bytes, stream_of(stream), false);
}

API Error cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                       std::size_t height, int) {
  CUDART_CALL(cudaMemcpy2D);
  return move(scope, {to, to_pitch, from, from_pitch, width, height}, stream_of(nullptr), true);
}

API Error cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                            std::size_t height, int, void* stream) {
  CUDART_CALL(cudaMemcpy2DAsync);
  return move(scope, {to, to_pitch, from, from_pitch, width, height}, stream_of(stream), false);
}

namespace {
struct Pitched {  // cudaPitchedPtr
  void* at;
  std::size_t pitch, width, height;
};
struct Position {  // cudaPos
  std::size_t x, y, z;
};
struct Copy3D {  // cudaMemcpy3DParms
  void* from_array;
  Position from_position;
  Pitched from;
  void* to_array;
  Position to_position;
  Pitched to;
  std::size_t width, height, depth;
  int kind;
};
Error move(Scope& scope, const Copy3D& all, Stream* stream, bool wait) {
  if (all.from_array != nullptr || all.to_array != nullptr) return cudart::end(scope, cudart::kInvalidValue);
  // Whole planes, one after the other.
  return move(scope, {all.to.at, all.to.pitch, all.from.at, all.from.pitch, all.width, all.height * all.depth}, stream,
              wait);
}
}  // namespace

API Error cudaMemcpy3D(const Copy3D* all) {
  CUDART_CALL(cudaMemcpy3D);
  return move(scope, *all, stream_of(nullptr), true);
}

API Error cudaMemcpy3DAsync(const Copy3D* all, void* stream) {
  CUDART_CALL(cudaMemcpy3DAsync);
  return move(scope, *all, stream_of(stream), false);
}

API Error cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset, int) {
  CUDART_CALL(cudaMemcpyToSymbol);
  void* const at = cudart::variable(symbol);
  if (at == nullptr) return cudart::end(scope, cudart::kInvalidSymbol);
  return move(scope, static_cast<char*>(at) + offset, from, bytes, stream_of(nullptr), true);
}

API Error cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset, int) {
  CUDART_CALL(cudaMemcpyFromSymbol);
  void* const at = cudart::variable(symbol);
  if (at == nullptr) return cudart::end(scope, cudart::kInvalidSymbol);
  return move(scope, to, static_cast<char*>(at) + offset, bytes, stream_of(nullptr), true);
}

API Error cudaMemset(void* to, int value, std::size_t bytes) {
  CUDART_CALL(cudaMemset);
  return fill(scope, to, value, bytes, stream_of(nullptr), true);
}

API Error cudaMemset_ptds(void* to, int value, std::size_t bytes) {
  CUDART_CALL(cudaMemset_ptds);
  return fill(scope, to, value, bytes, stream_of(nullptr, true), true);
}

API Error cudaMemsetAsync(void* to, int value, std::size_t bytes, void* stream) {
  CUDART_CALL(cudaMemsetAsync);
  return fill(scope, to, value, bytes, stream_of(stream), false);
}

API Error cudaMemsetAsync_ptsz(void* to, int value, std::size_t bytes, void* stream) {
  CUDART_CALL(cudaMemsetAsync_ptsz);
  return fill(scope, to, value, bytes, stream_of(stream, true), false);
}

API Error cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  CUDART_CALL(cudaMemset2D);
  if (pitch != width && height > 1) return cudart::end(scope, cudart::kInvalidValue);
  return fill(scope, to, value, width * height, stream_of(nullptr), true);
}
