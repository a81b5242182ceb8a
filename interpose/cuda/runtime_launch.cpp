// What gives a device work, other than copies: kernels, graphs, functions of the host's in a stream's turn.
#include "interpose/cuda/runtime.hpp"

using namespace prof::gpu;

PROF_CUDART_PER_THREAD(_ptsz, cudaLaunchKernel, Launch,
                       (const void* kernel, Dim3 grid, Dim3 block, void** args, size_t shared, void* stream),
                       (kernel, grid, block, args, shared, stream), )
PROF_CUDART_PER_THREAD(_ptsz, cudaLaunchKernelExC, Launch, (const void* config, const void* kernel, void** args),
                       (config, kernel, args), )
PROF_CUDART_PER_THREAD(_ptsz, cudaLaunchCooperativeKernel, Launch,
                       (const void* kernel, Dim3 grid, Dim3 block, void** args, size_t shared, void* stream),
                       (kernel, grid, block, args, shared, stream), )
PROF_CUDART_ANY(cudaLaunchCooperativeKernelMultiDevice, Launch, (void* launches, unsigned count, unsigned flags),
                (launches, count, flags), )
// What the compiler of CUDA 13 makes of <<<>>>; that of earlier versions calls cudaLaunchKernel.
PROF_CUDART_ANY_PER_THREAD(_ptsz, __cudaLaunchKernel, Launch,
                           (void* kernel, Dim3 grid, Dim3 block, void** args, size_t shared, void* stream),
                           (kernel, grid, block, args, shared, stream), )

PROF_CUDART_PER_THREAD(_ptsz, cudaGraphLaunch, Launch, (void* graph, void* stream), (graph, stream), )
PROF_CUDART_PER_THREAD(_ptsz, cudaGraphUpload, Launch, (void* graph, void* stream), (graph, stream), )
PROF_CUDART_PER_THREAD(_ptsz, cudaLaunchHostFunc, Launch, (void* stream, void (*function)(void*), void* data),
                       (stream, function, data), )
PROF_CUDART_PER_THREAD(_ptsz, cudaStreamAddCallback, Launch,
                       (void* stream, void (*callback)(void*, int, void*), void* data, unsigned flags),
                       (stream, callback, data, flags), )

// CUDA 11 has a node and a buffer for messages where 12 has flags.
PROF_CUDART_ANY(cudaGraphInstantiate, Setup,
                (void** executable, void* graph, uint64_t flags_or_node, char* messages, size_t room),
                (executable, graph, flags_or_node, messages, room), )
PROF_CUDART(cudaGraphInstantiateWithFlags, Setup, (void** executable, void* graph, unsigned long long flags),
            (executable, graph, flags), )
PROF_CUDART_PER_THREAD(_ptsz, cudaGraphInstantiateWithParams, Setup, (void** executable, void* graph, void* params),
                       (executable, graph, params), )
PROF_CUDART_ANY(cudaGraphExecUpdate, Setup, (void* executable, void* graph, void* info_or_node, void* result_info),
                (executable, graph, info_or_node, result_info), )
PROF_CUDART(cudaGraphExecDestroy, Setup, (void* executable), (executable), )
PROF_CUDART(cudaGraphCreate, Setup, (void** graph, unsigned flags), (graph, flags), )
PROF_CUDART(cudaGraphDestroy, Setup, (void* graph), (graph), )
PROF_CUDART_PER_THREAD(_ptsz, cudaStreamBeginCapture, Setup, (void* stream, int mode), (stream, mode), )
PROF_CUDART_PER_THREAD(_ptsz, cudaStreamEndCapture, Setup, (void* stream, void** graph), (stream, graph), )
PROF_CUDART_PER_THREAD(_ptsz, cudaStreamIsCapturing, Plain, (void* stream, int* status), (stream, status), )
PROF_CUDART(cudaThreadExchangeStreamCaptureMode, Plain, (int* mode), (mode), )

PROF_CUDART(cudaFuncGetAttributes, Plain, (void* attributes, const void* kernel), (attributes, kernel), )
PROF_CUDART(cudaFuncSetAttribute, Plain, (const void* kernel, int attribute, int value), (kernel, attribute, value), )
PROF_CUDART(cudaOccupancyMaxActiveBlocksPerMultiprocessor, Plain,
            (int* blocks, const void* kernel, int block_size, size_t shared), (blocks, kernel, block_size, shared), )
PROF_CUDART(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, Plain,
            (int* blocks, const void* kernel, int block_size, size_t shared, unsigned flags),
            (blocks, kernel, block_size, shared, flags), )
