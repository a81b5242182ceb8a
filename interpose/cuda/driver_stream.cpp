// Streams, events and waiting of the CUDA driver.
#include "interpose/cuda/driver.hpp"

using namespace prof::gpu;

PROF_CUDA(cuStreamCreate, Setup, (void** stream, unsigned flags), (stream, flags), )
PROF_CUDA(cuStreamCreateWithPriority, Setup, (void** stream, unsigned flags, int priority), (stream, flags, priority), )
PROF_CUDA(cuStreamDestroy_v2, Setup, (void* stream), (stream), )
PROF_CUDA_PER_THREAD(_ptsz, cuStreamWaitEvent, Plain, (void* stream, void* event, unsigned flags),
                     (stream, event, flags), )
PROF_CUDA_PER_THREAD(_ptsz, cuStreamQuery, Plain, (void* stream), (stream), )
PROF_CUDA_PER_THREAD(_ptsz, cuStreamGetCtx, Plain, (void* stream, void** context), (stream, context), )
PROF_CUDA_PER_THREAD(_ptsz, cuStreamAttachMemAsync, Setup,
                     (void* stream, DevicePtr block, size_t bytes, unsigned flags), (stream, block, bytes, flags), )
PROF_CUDA_PER_THREAD(_ptsz, cuStreamWaitValue32_v2, Plain,
                     (void* stream, DevicePtr address, unsigned value, unsigned flags),
                     (stream, address, value, flags), )
PROF_CUDA_PER_THREAD(_ptsz, cuStreamWriteValue32_v2, Plain,
                     (void* stream, DevicePtr address, unsigned value, unsigned flags),
                     (stream, address, value, flags), )

PROF_CUDA(cuEventCreate, Setup, (void** event, unsigned flags), (event, flags), )
PROF_CUDA(cuEventDestroy_v2, Setup, (void* event), (event), )
PROF_CUDA_PER_THREAD(_ptsz, cuEventRecord, Plain, (void* event, void* stream), (event, stream), )
PROF_CUDA_PER_THREAD(_ptsz, cuEventRecordWithFlags, Plain, (void* event, void* stream, unsigned flags),
                     (event, stream, flags), )
PROF_CUDA(cuEventQuery, Plain, (void* event), (event), )
PROF_CUDA_ANY(cuEventElapsedTime, Plain, (float* milliseconds, void* start, void* end), (milliseconds, start, end), )
PROF_CUDA_ANY(cuEventElapsedTime_v2, Plain, (float* milliseconds, void* start, void* end), (milliseconds, start, end), )
PROF_CUDA(cuIpcGetEventHandle, Setup, (IpcHandle * handle, void* event), (handle, event), )
PROF_CUDA(cuIpcOpenEventHandle, Setup, (void** event, IpcHandle handle), (event, handle), )

PROF_CUDA(cuCtxSynchronize, Sync, (), (), )
PROF_CUDA_PER_THREAD(_ptsz, cuStreamSynchronize, Sync, (void* stream), (stream), )
PROF_CUDA(cuEventSynchronize, Sync, (void* event), (event), )
