// Copies and sets of the CUDA driver. Bytes are those that the arguments name.
#include "interpose/cuda/driver.hpp"

using namespace prof::gpu;

PROF_CUDA_PER_THREAD(_ptds, cuMemcpy, Copy, (DevicePtr to, DevicePtr from, size_t bytes), (to, from, bytes),
                     call.bytes = bytes)
PROF_CUDA_PER_THREAD(_ptsz, cuMemcpyAsync, Copy, (DevicePtr to, DevicePtr from, size_t bytes, void* stream),
                     (to, from, bytes, stream), call.bytes = bytes)
PROF_CUDA_PER_THREAD(_ptds, cuMemcpyHtoD_v2, Copy, (DevicePtr to, const void* from, size_t bytes), (to, from, bytes),
                     call.bytes = bytes)
PROF_CUDA_PER_THREAD(_ptsz, cuMemcpyHtoDAsync_v2, Copy, (DevicePtr to, const void* from, size_t bytes, void* stream),
                     (to, from, bytes, stream), call.bytes = bytes)
PROF_CUDA_PER_THREAD(_ptds, cuMemcpyDtoH_v2, Copy, (void* to, DevicePtr from, size_t bytes), (to, from, bytes),
                     call.bytes = bytes)
PROF_CUDA_PER_THREAD(_ptsz, cuMemcpyDtoHAsync_v2, Copy, (void* to, DevicePtr from, size_t bytes, void* stream),
                     (to, from, bytes, stream), call.bytes = bytes)
PROF_CUDA_PER_THREAD(_ptds, cuMemcpyDtoD_v2, Copy, (DevicePtr to, DevicePtr from, size_t bytes), (to, from, bytes),
                     call.bytes = bytes)
PROF_CUDA_PER_THREAD(_ptsz, cuMemcpyDtoDAsync_v2, Copy, (DevicePtr to, DevicePtr from, size_t bytes, void* stream),
                     (to, from, bytes, stream), call.bytes = bytes)
PROF_CUDA_PER_THREAD(_ptds, cuMemcpyPeer, Copy,
                     (DevicePtr to, void* to_context, DevicePtr from, void* from_context, size_t bytes),
                     (to, to_context, from, from_context, bytes), call.bytes = bytes)
PROF_CUDA_PER_THREAD(_ptsz, cuMemcpyPeerAsync, Copy,
                     (DevicePtr to, void* to_context, DevicePtr from, void* from_context, size_t bytes, void* stream),
                     (to, to_context, from, from_context, bytes, stream), call.bytes = bytes)

PROF_CUDA_PER_THREAD(_ptds, cuMemcpyDtoA_v2, Copy, (void* array, size_t offset, DevicePtr from, size_t bytes),
                     (array, offset, from, bytes), call.bytes = bytes)
PROF_CUDA_PER_THREAD(_ptds, cuMemcpyAtoD_v2, Copy, (DevicePtr to, void* array, size_t offset, size_t bytes),
                     (to, array, offset, bytes), call.bytes = bytes)
PROF_CUDA_PER_THREAD(_ptds, cuMemcpyHtoA_v2, Copy, (void* array, size_t offset, const void* from, size_t bytes),
                     (array, offset, from, bytes), call.bytes = bytes)
PROF_CUDA_PER_THREAD(_ptsz, cuMemcpyHtoAAsync_v2, Copy,
                     (void* array, size_t offset, const void* from, size_t bytes, void* stream),
                     (array, offset, from, bytes, stream), call.bytes = bytes)
PROF_CUDA_PER_THREAD(_ptds, cuMemcpyAtoH_v2, Copy, (void* to, void* array, size_t offset, size_t bytes),
                     (to, array, offset, bytes), call.bytes = bytes)
PROF_CUDA_PER_THREAD(_ptsz, cuMemcpyAtoHAsync_v2, Copy,
                     (void* to, void* array, size_t offset, size_t bytes, void* stream),
                     (to, array, offset, bytes, stream), call.bytes = bytes)
PROF_CUDA_PER_THREAD(_ptds, cuMemcpyAtoA_v2, Copy,
                     (void* to, size_t to_offset, void* from, size_t from_offset, size_t bytes),
                     (to, to_offset, from, from_offset, bytes), call.bytes = bytes)

PROF_CUDA_PER_THREAD(_ptds, cuMemcpy2D_v2, Copy, (const DriverCopy2D* copy), (copy), call.bytes = bytes_of(copy))
PROF_CUDA_PER_THREAD(_ptds, cuMemcpy2DUnaligned_v2, Copy, (const DriverCopy2D* copy), (copy),
                     call.bytes = bytes_of(copy))
PROF_CUDA_PER_THREAD(_ptsz, cuMemcpy2DAsync_v2, Copy, (const DriverCopy2D* copy, void* stream), (copy, stream),
                     call.bytes = bytes_of(copy))
PROF_CUDA_PER_THREAD(_ptds, cuMemcpy3D_v2, Copy, (const DriverCopy3D* copy), (copy), call.bytes = bytes_of(copy))
PROF_CUDA_PER_THREAD(_ptsz, cuMemcpy3DAsync_v2, Copy, (const DriverCopy3D* copy, void* stream), (copy, stream),
                     call.bytes = bytes_of(copy))
PROF_CUDA_PER_THREAD(_ptds, cuMemcpy3DPeer, Copy, (const DriverCopy3D* copy), (copy), call.bytes = bytes_of(copy))
PROF_CUDA_PER_THREAD(_ptsz, cuMemcpy3DPeerAsync, Copy, (const DriverCopy3D* copy, void* stream), (copy, stream),
                     call.bytes = bytes_of(copy))
PROF_CUDA_ANY_PER_THREAD(_ptsz, cuMemcpyBatchAsync, Copy,
                         (void* to, void* from, const size_t* sizes, size_t count, void* attributes, void* indices,
                          size_t attribute_count, size_t* failed, void* stream),
                         (to, from, sizes, count, attributes, indices, attribute_count, failed, stream),
                         call.bytes = sum_of(sizes, count))
PROF_CUDA_ANY_PER_THREAD(_ptsz, cuMemcpyBatchAsync_v2, Copy,
                         (void* to, void* from, const size_t* sizes, size_t count, void* attributes, void* indices,
                          size_t attribute_count, void* stream),
                         (to, from, sizes, count, attributes, indices, attribute_count, stream),
                         call.bytes = sum_of(sizes, count))

PROF_CUDA_PER_THREAD(_ptds, cuMemsetD8_v2, Copy, (DevicePtr to, unsigned char value, size_t count), (to, value, count),
                     call.bytes = count)
PROF_CUDA_PER_THREAD(_ptds, cuMemsetD16_v2, Copy, (DevicePtr to, unsigned short value, size_t count),
                     (to, value, count), call.bytes = 2 * count)
PROF_CUDA_PER_THREAD(_ptds, cuMemsetD32_v2, Copy, (DevicePtr to, unsigned value, size_t count), (to, value, count),
                     call.bytes = 4 * count)
PROF_CUDA_PER_THREAD(_ptsz, cuMemsetD8Async, Copy, (DevicePtr to, unsigned char value, size_t count, void* stream),
                     (to, value, count, stream), call.bytes = count)
PROF_CUDA_PER_THREAD(_ptsz, cuMemsetD16Async, Copy, (DevicePtr to, unsigned short value, size_t count, void* stream),
                     (to, value, count, stream), call.bytes = 2 * count)
PROF_CUDA_PER_THREAD(_ptsz, cuMemsetD32Async, Copy, (DevicePtr to, unsigned value, size_t count, void* stream),
                     (to, value, count, stream), call.bytes = 4 * count)
PROF_CUDA_PER_THREAD(_ptds, cuMemsetD2D8_v2, Copy,
                     (DevicePtr to, size_t pitch, unsigned char value, size_t width, size_t height),
                     (to, pitch, value, width, height), call.bytes = width * height)
PROF_CUDA_PER_THREAD(_ptds, cuMemsetD2D16_v2, Copy,
                     (DevicePtr to, size_t pitch, unsigned short value, size_t width, size_t height),
                     (to, pitch, value, width, height), call.bytes = 2 * width * height)
PROF_CUDA_PER_THREAD(_ptds, cuMemsetD2D32_v2, Copy,
                     (DevicePtr to, size_t pitch, unsigned value, size_t width, size_t height),
                     (to, pitch, value, width, height), call.bytes = 4 * width * height)
PROF_CUDA_PER_THREAD(_ptsz, cuMemsetD2D8Async, Copy,
                     (DevicePtr to, size_t pitch, unsigned char value, size_t width, size_t height, void* stream),
                     (to, pitch, value, width, height, stream), call.bytes = width * height)
PROF_CUDA_PER_THREAD(_ptsz, cuMemsetD2D16Async, Copy,
                     (DevicePtr to, size_t pitch, unsigned short value, size_t width, size_t height, void* stream),
                     (to, pitch, value, width, height, stream), call.bytes = 2 * width * height)
PROF_CUDA_PER_THREAD(_ptsz, cuMemsetD2D32Async, Copy,
                     (DevicePtr to, size_t pitch, unsigned value, size_t width, size_t height, void* stream),
                     (to, pitch, value, width, height, stream), call.bytes = 4 * width * height)

PROF_CUDA_ANY_PER_THREAD(_ptsz, cuMemPrefetchAsync, Copy, (DevicePtr block, size_t bytes, int device, void* stream),
                         (block, bytes, device, stream), call.bytes = bytes)
PROF_CUDA_ANY_PER_THREAD(_ptsz, cuMemPrefetchAsync_v2, Copy,
                         (DevicePtr block, size_t bytes, uint64_t place, unsigned flags, void* stream),
                         (block, bytes, place, flags, stream), call.bytes = bytes)
