// Streams, events and waiting of the CUDA runtime.
#include "interpose/cuda/runtime.hpp"

PROF_CUDART(cudaStreamCreate, Setup, (void** stream), (stream), )
PROF_CUDART(cudaStreamCreateWithFlags, Setup, (void** stream, unsigned flags), (stream, flags), )
PROF_CUDART(cudaStreamCreateWithPriority, Setup, (void** stream, unsigned flags, int priority),
            (stream, flags, priority), )
PROF_CUDART(cudaStreamDestroy, Setup, (void* stream), (stream), )
PROF_CUDART_PER_THREAD(_ptsz, cudaStreamWaitEvent, Plain, (void* stream, void* event, unsigned flags),
                       (stream, event, flags), )
PROF_CUDART_PER_THREAD(_ptsz, cudaStreamQuery, Plain, (void* stream), (stream), )
PROF_CUDART_PER_THREAD(_ptsz, cudaStreamGetPriority, Plain, (void* stream, int* priority), (stream, priority), )
PROF_CUDART_PER_THREAD(_ptsz, cudaStreamAttachMemAsync, Setup,
                       (void* stream, void* block, size_t bytes, unsigned flags), (stream, block, bytes, flags), )

PROF_CUDART(cudaEventCreate, Setup, (void** event), (event), )
PROF_CUDART(cudaEventCreateWithFlags, Setup, (void** event, unsigned flags), (event, flags), )
PROF_CUDART(cudaEventDestroy, Setup, (void* event), (event), )
PROF_CUDART_PER_THREAD(_ptsz, cudaEventRecord, Plain, (void* event, void* stream), (event, stream), )
PROF_CUDART_PER_THREAD(_ptsz, cudaEventRecordWithFlags, Plain, (void* event, void* stream, unsigned flags),
                       (event, stream, flags), )
PROF_CUDART(cudaEventQuery, Plain, (void* event), (event), )
PROF_CUDART(cudaEventElapsedTime, Plain, (float* milliseconds, void* start, void* end), (milliseconds, start, end), )
PROF_CUDART_ANY(cudaEventElapsedTime_v2, Plain, (float* milliseconds, void* start, void* end),
                (milliseconds, start, end), )
PROF_CUDART(cudaIpcGetEventHandle, Setup, (prof::gpu::IpcHandle * handle, void* event), (handle, event), )
PROF_CUDART(cudaIpcOpenEventHandle, Setup, (void** event, prof::gpu::IpcHandle handle), (event, handle), )

PROF_CUDART(cudaDeviceSynchronize, Sync, (), (), )
PROF_CUDART_PER_THREAD(_ptsz, cudaStreamSynchronize, Sync, (void* stream), (stream), )
PROF_CUDART(cudaEventSynchronize, Sync, (void* event), (event), )
PROF_CUDART_ANY(cudaThreadSynchronize, Sync, (), (), )
