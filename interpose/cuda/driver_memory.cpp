// Memory of the CUDA driver. Pinned memory of the host's is its mmap, and booked as such.
#include "interpose/cuda/driver.hpp"

using namespace prof::gpu;

PROF_CUDA_THEN(cuMemAlloc_v2, Memory, (DevicePtr * block, size_t bytes), (block, bytes), call.bytes = bytes,
               PROF_CU_ALLOCATED(block, bytes, Device))
PROF_CUDA_SIZED(cuMemAllocPitch_v2, Memory,
                (DevicePtr * block, size_t* pitch, size_t width, size_t height, unsigned element),
                (block, pitch, width, height, element), *pitch* height, PROF_CU_ALLOCATED(block, call.bytes, Device))
PROF_CUDA_THEN(cuMemAllocManaged, Memory, (DevicePtr * block, size_t bytes, unsigned flags), (block, bytes, flags),
               call.bytes = bytes, PROF_CU_ALLOCATED(block, bytes, Managed))
PROF_CUDA(cuMemAllocHost_v2, Memory, (void** block, size_t bytes), (block, bytes), call.bytes = bytes)
PROF_CUDA(cuMemHostAlloc, Memory, (void** block, size_t bytes, unsigned flags), (block, bytes, flags),
          call.bytes = bytes)
PROF_CUDA_THEN_PER_THREAD(_ptsz, cuMemAllocAsync, Memory, (DevicePtr * block, size_t bytes, void* stream),
                          (block, bytes, stream), call.bytes = bytes, PROF_CU_ALLOCATED(block, bytes, Pool))
PROF_CUDA_THEN_PER_THREAD(_ptsz, cuMemAllocFromPoolAsync, Memory,
                          (DevicePtr * block, size_t bytes, void* pool, void* stream), (block, bytes, pool, stream),
                          call.bytes = bytes, PROF_CU_ALLOCATED(block, bytes, Pool))
PROF_CUDA_THEN(cuArrayCreate_v2, Memory, (void** array, const DriverArray* a), (array, a), call.bytes = bytes_of(a),
               PROF_CU_ALLOCATED(array, call.bytes, Device))
PROF_CUDA_THEN(cuArray3DCreate_v2, Memory, (void** array, const DriverArray3D* a), (array, a), call.bytes = bytes_of(a),
               PROF_CU_ALLOCATED(array, call.bytes, Device))
PROF_CUDA(cuMipmappedArrayCreate, Memory, (void** array, const DriverArray3D* a, unsigned levels), (array, a, levels),
          call.bytes = bytes_of(a))

PROF_CUDA(cuMemFree_v2, Memory, (DevicePtr block), (block), PROF_CU_FREED(block))
PROF_CUDA(cuMemFreeHost, Memory, (void* block), (block), )
PROF_CUDA_PER_THREAD(_ptsz, cuMemFreeAsync, Memory, (DevicePtr block, void* stream), (block, stream),
                     PROF_CU_FREED(block))
PROF_CUDA(cuArrayDestroy, Memory, (void* array), (array), PROF_CU_FREED(array))
PROF_CUDA(cuMipmappedArrayDestroy, Memory, (void* array), (array), )

// Memory of its own and addresses of their own, joined by maps. A map is what is booked: programs give the memory's
// handle back at any time after it, and the memory stays until nothing maps it.
PROF_CUDA(cuMemCreate, Memory, (DevicePtr * handle, size_t bytes, const void* properties, unsigned long long flags),
          (handle, bytes, properties, flags), call.bytes = bytes)
PROF_CUDA(cuMemRelease, Memory, (DevicePtr handle), (handle), )
PROF_CUDA_THEN(cuMemMap, Memory,
               (DevicePtr block, size_t bytes, size_t offset, DevicePtr handle, unsigned long long flags),
               (block, bytes, offset, handle, flags), , PROF_CU_ALLOCATED(&block, bytes, Device))
PROF_CUDA(cuMemUnmap, Memory, (DevicePtr block, size_t bytes), (block, bytes), PROF_CU_FREED(block))
PROF_CUDA(cuMemAddressReserve, Setup,
          (DevicePtr * block, size_t bytes, size_t alignment, DevicePtr wish, unsigned long long flags),
          (block, bytes, alignment, wish, flags), )
PROF_CUDA(cuMemAddressFree, Setup, (DevicePtr block, size_t bytes), (block, bytes), )
PROF_CUDA(cuMemSetAccess, Setup, (DevicePtr block, size_t bytes, const void* access, size_t count),
          (block, bytes, access, count), )

PROF_CUDA(cuMemHostRegister_v2, Memory, (void* block, size_t bytes, unsigned flags), (block, bytes, flags),
          call.bytes = bytes)
PROF_CUDA(cuMemHostUnregister, Memory, (void* block), (block), )
PROF_CUDA(cuIpcGetMemHandle, Setup, (IpcHandle * handle, DevicePtr block), (handle, block), )
PROF_CUDA(cuIpcOpenMemHandle_v2, Setup, (DevicePtr * block, IpcHandle handle, unsigned flags), (block, handle, flags), )
PROF_CUDA(cuIpcCloseMemHandle, Setup, (DevicePtr block), (block), )

PROF_CUDA(cuMemGetInfo_v2, Plain, (size_t * unused, size_t* total), (unused, total), )
PROF_CUDA(cuMemGetAddressRange_v2, Plain, (DevicePtr * base, size_t* bytes, DevicePtr block), (base, bytes, block), )
PROF_CUDA(cuPointerGetAttribute, Plain, (void* value, int attribute, DevicePtr block), (value, attribute, block), )
PROF_CUDA(cuPointerGetAttributes, Plain, (unsigned count, int* attributes, void** values, DevicePtr block),
          (count, attributes, values, block), )
PROF_CUDA(cuMemGetAllocationGranularity, Plain, (size_t * bytes, const void* properties, int option),
          (bytes, properties, option), )
PROF_CUDA_ANY(cuMemAdvise, Setup, (DevicePtr block, size_t bytes, int advice, int device),
              (block, bytes, advice, device), )
PROF_CUDA_ANY(cuMemAdvise_v2, Setup, (DevicePtr block, size_t bytes, int advice, uint64_t place),
              (block, bytes, advice, place), )

PROF_CUDA(cuMemPoolCreate, Setup, (void** pool, const void* properties), (pool, properties), )
PROF_CUDA(cuMemPoolDestroy, Setup, (void* pool), (pool), )
PROF_CUDA(cuMemPoolTrimTo, Memory, (void* pool, size_t keep), (pool, keep), )
PROF_CUDA(cuMemPoolSetAttribute, Setup, (void* pool, int attribute, void* value), (pool, attribute, value), )
PROF_CUDA(cuMemPoolSetAccess, Setup, (void* pool, const void* access, size_t count), (pool, access, count), )
