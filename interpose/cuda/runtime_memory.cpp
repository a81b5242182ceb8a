// Memory of the CUDA runtime. Pinned memory of the host's is the driver's mmap, and booked as such.
#include "interpose/cuda/runtime.hpp"

using namespace prof::gpu;

PROF_CUDART_THEN(cudaMalloc, Memory, (void** block, size_t bytes), (block, bytes), call.bytes = bytes,
                 PROF_ALLOCATED(block, bytes, Device))
PROF_CUDART_THEN(cudaMallocManaged, Memory, (void** block, size_t bytes, unsigned flags), (block, bytes, flags),
                 call.bytes = bytes, PROF_ALLOCATED(block, bytes, Managed))
PROF_CUDART(cudaMallocHost, Memory, (void** block, size_t bytes), (block, bytes), call.bytes = bytes)
PROF_CUDART(cudaHostAlloc, Memory, (void** block, size_t bytes, unsigned flags), (block, bytes, flags),
            call.bytes = bytes)
PROF_CUDART_SIZED(cudaMallocPitch, Memory, (void** block, size_t* pitch, size_t width, size_t height),
                  (block, pitch, width, height), *pitch* height, PROF_ALLOCATED(block, call.bytes, Device))
PROF_CUDART_SIZED(cudaMalloc3D, Memory, (PitchedPtr * block, Extent extent), (block, extent),
                  block->pitch* extent.height* extent.depth, PROF_ALLOCATED(&block->ptr, call.bytes, Device))
PROF_CUDART_THEN(cudaMallocArray, Memory,
                 (void** array, const ChannelFormat* format, size_t width, size_t height, unsigned flags),
                 (array, format, width, height, flags), call.bytes = bytes_of(format) * width * side(height),
                 PROF_ALLOCATED(array, call.bytes, Device))
PROF_CUDART_THEN(cudaMalloc3DArray, Memory, (void** array, const ChannelFormat* format, Extent extent, unsigned flags),
                 (array, format, extent, flags),
                 call.bytes = bytes_of(format) * extent.width * side(extent.height) * side(extent.depth),
                 PROF_ALLOCATED(array, call.bytes, Device))
PROF_CUDART(cudaMallocMipmappedArray, Memory,
            (void** array, const ChannelFormat* format, Extent extent, unsigned levels, unsigned flags),
            (array, format, extent, levels, flags),
            call.bytes = bytes_of(format) * extent.width * side(extent.height) * side(extent.depth))
PROF_CUDART_THEN_PER_THREAD(_ptsz, cudaMallocAsync, Memory, (void** block, size_t bytes, void* stream),
                            (block, bytes, stream), call.bytes = bytes, PROF_ALLOCATED(block, bytes, Pool))
PROF_CUDART_THEN_PER_THREAD(_ptsz, cudaMallocFromPoolAsync, Memory,
                            (void** block, size_t bytes, void* pool, void* stream), (block, bytes, pool, stream),
                            call.bytes = bytes, PROF_ALLOCATED(block, bytes, Pool))

PROF_CUDART(cudaFree, Memory, (void* block), (block), PROF_FREED(block))
PROF_CUDART(cudaFreeHost, Memory, (void* block), (block), )
PROF_CUDART(cudaFreeArray, Memory, (void* array), (array), PROF_FREED(array))
PROF_CUDART(cudaFreeMipmappedArray, Memory, (void* array), (array), )
PROF_CUDART_PER_THREAD(_ptsz, cudaFreeAsync, Memory, (void* block, void* stream), (block, stream), PROF_FREED(block))

PROF_CUDART(cudaHostRegister, Memory, (void* block, size_t bytes, unsigned flags), (block, bytes, flags),
            call.bytes = bytes)
PROF_CUDART(cudaHostUnregister, Memory, (void* block), (block), )
PROF_CUDART(cudaHostGetDevicePointer, Plain, (void** on_device, void* block, unsigned flags),
            (on_device, block, flags), )
PROF_CUDART(cudaIpcGetMemHandle, Setup, (IpcHandle * handle, void* block), (handle, block), )
PROF_CUDART(cudaIpcOpenMemHandle, Setup, (void** block, IpcHandle handle, unsigned flags), (block, handle, flags), )
PROF_CUDART(cudaIpcCloseMemHandle, Setup, (void* block), (block), )

PROF_CUDART(cudaMemGetInfo, Plain, (size_t * unused, size_t* total), (unused, total), )
PROF_CUDART(cudaPointerGetAttributes, Plain, (void* attributes, const void* block), (attributes, block), )
PROF_CUDART_ANY(cudaMemAdvise, Setup, (const void* block, size_t bytes, int advice, uint64_t location),
                (block, bytes, advice, location), )

PROF_CUDART(cudaMemPoolCreate, Setup, (void** pool, const void* properties), (pool, properties), )
PROF_CUDART(cudaMemPoolDestroy, Setup, (void* pool), (pool), )
PROF_CUDART(cudaMemPoolTrimTo, Memory, (void* pool, size_t keep), (pool, keep), )
PROF_CUDART(cudaMemPoolSetAttribute, Setup, (void* pool, int attribute, void* value), (pool, attribute, value), )
PROF_CUDART(cudaMemPoolGetAttribute, Plain, (void* pool, int attribute, void* value), (pool, attribute, value), )
PROF_CUDART(cudaMemPoolSetAccess, Setup, (void* pool, const void* access, size_t count), (pool, access, count), )
PROF_CUDART(cudaDeviceGetDefaultMemPool, Plain, (void** pool, int device), (pool, device), )
PROF_CUDART(cudaDeviceGetMemPool, Plain, (void** pool, int device), (pool, device), )
PROF_CUDART(cudaDeviceSetMemPool, Setup, (int device, void* pool), (device, pool), )
