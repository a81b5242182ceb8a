// Copies and sets of the CUDA runtime. Bytes are those that the arguments name; of copies from array to array, whose
// elements have any size, elements.
#include "interpose/cuda/runtime.hpp"

using namespace prof::gpu;

PROF_CUDART_PER_THREAD(_ptds, cudaMemcpy, Copy, (void* to, const void* from, size_t bytes, int kind),
                       (to, from, bytes, kind), call.bytes = bytes)
PROF_CUDART_PER_THREAD(_ptsz, cudaMemcpyAsync, Copy, (void* to, const void* from, size_t bytes, int kind, void* stream),
                       (to, from, bytes, kind, stream), call.bytes = bytes)
PROF_CUDART(cudaMemcpyPeer, Copy, (void* to, int to_device, const void* from, int from_device, size_t bytes),
            (to, to_device, from, from_device, bytes), call.bytes = bytes)
PROF_CUDART(cudaMemcpyPeerAsync, Copy,
            (void* to, int to_device, const void* from, int from_device, size_t bytes, void* stream),
            (to, to_device, from, from_device, bytes, stream), call.bytes = bytes)
PROF_CUDART_PER_THREAD(_ptds, cudaMemcpyToSymbol, Copy,
                       (const void* symbol, const void* from, size_t bytes, size_t offset, int kind),
                       (symbol, from, bytes, offset, kind), call.bytes = bytes)
PROF_CUDART_PER_THREAD(_ptsz, cudaMemcpyToSymbolAsync, Copy,
                       (const void* symbol, const void* from, size_t bytes, size_t offset, int kind, void* stream),
                       (symbol, from, bytes, offset, kind, stream), call.bytes = bytes)
PROF_CUDART_PER_THREAD(_ptds, cudaMemcpyFromSymbol, Copy,
                       (void* to, const void* symbol, size_t bytes, size_t offset, int kind),
                       (to, symbol, bytes, offset, kind), call.bytes = bytes)
PROF_CUDART_PER_THREAD(_ptsz, cudaMemcpyFromSymbolAsync, Copy,
                       (void* to, const void* symbol, size_t bytes, size_t offset, int kind, void* stream),
                       (to, symbol, bytes, offset, kind, stream), call.bytes = bytes)

PROF_CUDART_PER_THREAD(_ptds, cudaMemcpy2D, Copy,
                       (void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                        int kind),
                       (to, to_pitch, from, from_pitch, width, height, kind), call.bytes = width * height)
PROF_CUDART_PER_THREAD(_ptsz, cudaMemcpy2DAsync, Copy,
                       (void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                        int kind, void* stream),
                       (to, to_pitch, from, from_pitch, width, height, kind, stream), call.bytes = width * height)
PROF_CUDART_PER_THREAD(_ptds, cudaMemcpy2DToArray, Copy,
                       (void* to, size_t x, size_t y, const void* from, size_t pitch, size_t width, size_t height,
                        int kind),
                       (to, x, y, from, pitch, width, height, kind), call.bytes = width * height)
PROF_CUDART_PER_THREAD(_ptsz, cudaMemcpy2DToArrayAsync, Copy,
                       (void* to, size_t x, size_t y, const void* from, size_t pitch, size_t width, size_t height,
                        int kind, void* stream),
                       (to, x, y, from, pitch, width, height, kind, stream), call.bytes = width * height)
PROF_CUDART_PER_THREAD(_ptds, cudaMemcpy2DFromArray, Copy,
                       (void* to, size_t pitch, const void* from, size_t x, size_t y, size_t width, size_t height,
                        int kind),
                       (to, pitch, from, x, y, width, height, kind), call.bytes = width * height)
PROF_CUDART_PER_THREAD(_ptsz, cudaMemcpy2DFromArrayAsync, Copy,
                       (void* to, size_t pitch, const void* from, size_t x, size_t y, size_t width, size_t height,
                        int kind, void* stream),
                       (to, pitch, from, x, y, width, height, kind, stream), call.bytes = width * height)
PROF_CUDART_PER_THREAD(_ptds, cudaMemcpy2DArrayToArray, Copy,
                       (void* to, size_t to_x, size_t to_y, const void* from, size_t from_x, size_t from_y,
                        size_t width, size_t height, int kind),
                       (to, to_x, to_y, from, from_x, from_y, width, height, kind), call.bytes = width * height)
PROF_CUDART_PER_THREAD(_ptds, cudaMemcpyToArray, Copy,
                       (void* to, size_t x, size_t y, const void* from, size_t bytes, int kind),
                       (to, x, y, from, bytes, kind), call.bytes = bytes)
PROF_CUDART_PER_THREAD(_ptsz, cudaMemcpyToArrayAsync, Copy,
                       (void* to, size_t x, size_t y, const void* from, size_t bytes, int kind, void* stream),
                       (to, x, y, from, bytes, kind, stream), call.bytes = bytes)
PROF_CUDART_PER_THREAD(_ptds, cudaMemcpyFromArray, Copy,
                       (void* to, const void* from, size_t x, size_t y, size_t bytes, int kind),
                       (to, from, x, y, bytes, kind), call.bytes = bytes)
PROF_CUDART_PER_THREAD(_ptsz, cudaMemcpyFromArrayAsync, Copy,
                       (void* to, const void* from, size_t x, size_t y, size_t bytes, int kind, void* stream),
                       (to, from, x, y, bytes, kind, stream), call.bytes = bytes)
PROF_CUDART_PER_THREAD(_ptds, cudaMemcpyArrayToArray, Copy,
                       (void* to, size_t to_x, size_t to_y, const void* from, size_t from_x, size_t from_y,
                        size_t bytes, int kind),
                       (to, to_x, to_y, from, from_x, from_y, bytes, kind), call.bytes = bytes)

PROF_CUDART_PER_THREAD(_ptds, cudaMemcpy3D, Copy, (const Copy3D* copy), (copy), call.bytes = bytes_of(copy))
PROF_CUDART_PER_THREAD(_ptsz, cudaMemcpy3DAsync, Copy, (const Copy3D* copy, void* stream), (copy, stream),
                       call.bytes = bytes_of(copy))
PROF_CUDART_PER_THREAD(_ptds, cudaMemcpy3DPeer, Copy, (const PeerCopy3D* copy), (copy), call.bytes = bytes_of(copy))
PROF_CUDART_PER_THREAD(_ptsz, cudaMemcpy3DPeerAsync, Copy, (const PeerCopy3D* copy, void* stream), (copy, stream),
                       call.bytes = bytes_of(copy))
PROF_CUDART_ANY_PER_THREAD(_ptsz, cudaMemcpyBatchAsync, Copy,
                           (void* to, void* from, const size_t* sizes, size_t count, void* attributes, void* indices,
                            size_t attribute_count, void* failed_or_stream, void* stream),
                           (to, from, sizes, count, attributes, indices, attribute_count, failed_or_stream, stream),
                           call.bytes = sum_of(sizes, count))
PROF_CUDART_ANY_PER_THREAD(_ptsz, cudaMemcpy3DBatchAsync, Copy,
                           (size_t count, const Copy3DOfBatch* copies, uint64_t failed_or_flags,
                            uint64_t flags_or_stream, void* stream),
                           (count, copies, failed_or_flags, flags_or_stream, stream),
                           call.bytes = bytes_of(copies, count))

PROF_CUDART_PER_THREAD(_ptds, cudaMemset, Copy, (void* to, int value, size_t bytes), (to, value, bytes),
                       call.bytes = bytes)
PROF_CUDART_PER_THREAD(_ptsz, cudaMemsetAsync, Copy, (void* to, int value, size_t bytes, void* stream),
                       (to, value, bytes, stream), call.bytes = bytes)
PROF_CUDART_PER_THREAD(_ptds, cudaMemset2D, Copy, (void* to, size_t pitch, int value, size_t width, size_t height),
                       (to, pitch, value, width, height), call.bytes = width * height)
PROF_CUDART_PER_THREAD(_ptsz, cudaMemset2DAsync, Copy,
                       (void* to, size_t pitch, int value, size_t width, size_t height, void* stream),
                       (to, pitch, value, width, height, stream), call.bytes = width * height)
PROF_CUDART_PER_THREAD(_ptds, cudaMemset3D, Copy, (PitchedPtr to, int value, Extent extent), (to, value, extent),
                       call.bytes = bytes_of(extent))
PROF_CUDART_PER_THREAD(_ptsz, cudaMemset3DAsync, Copy, (PitchedPtr to, int value, Extent extent, void* stream),
                       (to, value, extent, stream), call.bytes = bytes_of(extent))

// A device number and a stream before CUDA 13, a place, flags and a stream since.
PROF_CUDART_ANY_PER_THREAD(_ptsz, cudaMemPrefetchAsync, Copy,
                           (const void* block, size_t bytes, uint64_t place, uint64_t flags_or_stream, void* stream),
                           (block, bytes, place, flags_or_stream, stream), call.bytes = bytes)
PROF_CUDART_ANY_PER_THREAD(_ptsz, cudaMemPrefetchAsync_v2, Copy,
                           (const void* block, size_t bytes, uint64_t place, unsigned flags, void* stream),
                           (block, bytes, place, flags, stream), call.bytes = bytes)
