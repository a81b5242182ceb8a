// CUDA's runtime as the victims need it: declarations of our own, and what nvcc makes of kernels and of <<<>>>.
// CUDART_MAJOR says for which toolkit the program is built.
#pragma once

#include <stddef.h>

#include "victim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef int cudaError_t;
typedef struct {
  unsigned x, y, z;
} dim3;
enum { cudaSuccess = 0, cudaErrorNotReady = 600 };
enum {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault
};

void** __cudaRegisterFatBinary(void* binary);
void __cudaRegisterFatBinaryEnd(void** handle);
void __cudaUnregisterFatBinary(void** handle);
void __cudaRegisterFunction(void** handle, const char* stub, char* device, const char* name, int threads, void*, void*,
                            void*, void*, int*);
void __cudaRegisterVar(void** handle, char* stub, char* device, const char* name, int ext, size_t bytes, int constant,
                       int global);

cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaGetLastError(void);
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);
cudaError_t cudaMalloc(void** to, size_t bytes);
cudaError_t cudaFree(void* block);
cudaError_t cudaMallocAsync(void** to, size_t bytes, void* stream);
cudaError_t cudaFreeAsync(void* block, void* stream);
cudaError_t cudaMallocManaged(void** to, size_t bytes, unsigned flags);
cudaError_t cudaMallocHost(void** to, size_t bytes);
cudaError_t cudaFreeHost(void* block);
cudaError_t cudaMallocPitch(void** to, size_t* pitch, size_t width, size_t height);
cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, int kind);
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, int kind, void* stream);
cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t bytes);
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                         int kind);
cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset, int kind);
cudaError_t cudaMemset(void* to, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, void* stream);
cudaError_t cudaStreamCreate(void** stream);
cudaError_t cudaStreamDestroy(void* stream);
cudaError_t cudaStreamSynchronize(void* stream);
cudaError_t cudaStreamQuery(void* stream);
cudaError_t cudaStreamWaitEvent(void* stream, void* event, unsigned flags);
cudaError_t cudaStreamBeginCapture(void* stream, int mode);
cudaError_t cudaStreamEndCapture(void* stream, void** graph);
cudaError_t cudaGraphInstantiateWithFlags(void** executable, void* graph, unsigned long long flags);
cudaError_t cudaGraphLaunch(void* executable, void* stream);
cudaError_t cudaGraphExecDestroy(void* executable);
cudaError_t cudaGraphDestroy(void* graph);
cudaError_t cudaEventCreate(void** event);
cudaError_t cudaEventRecord(void* event, void* stream);
cudaError_t cudaEventSynchronize(void* event);
cudaError_t cudaEventElapsedTime(float* ms, void* from, void* to);
cudaError_t cudaLaunchKernel(const void* stub, dim3 grid, dim3 block, void** arguments, size_t shared, void* stream);
cudaError_t cudaLaunchHostFunc(void* stream, void (*function)(void*), void* argument);
#if CUDART_MAJOR >= 13
cudaError_t __cudaGetKernel(void** kernel, const void* stub);
cudaError_t __cudaLaunchKernel(void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared, void* stream);
#endif

#ifdef __cplusplus
}
#endif

// A kernel; one that is called step_250us takes 250 us on the fake device.
#define KERNEL(name)                                                                                     \
  static char stub_##name;                                                                               \
  __attribute__((constructor)) static void register_##name(void) {                                       \
    void** const handle = __cudaRegisterFatBinary(&stub_##name);                                         \
    __cudaRegisterFunction(handle, &stub_##name, &stub_##name, #name, -1, NULL, NULL, NULL, NULL, NULL); \
    __cudaRegisterFatBinaryEnd(handle);                                                                  \
  }

// name<<<4, 128, 0, stream>>>(); in the function that says so, without one of ours between.
#if CUDART_MAJOR >= 13
#define LAUNCH(name, stream)                                                                        \
  __extension__({                                                                                   \
    const dim3 launch_grid = {4, 1, 1}, launch_block = {128, 1, 1};                                 \
    void* launch_kernel = NULL;                                                                     \
    cudaError_t launch_error = __cudaGetKernel(&launch_kernel, &stub_##name);                       \
    if (launch_error == 0)                                                                          \
      launch_error = __cudaLaunchKernel(launch_kernel, launch_grid, launch_block, NULL, 0, stream); \
    launch_error;                                                                                   \
  })
#else
#define LAUNCH(name, stream)                                                    \
  __extension__({                                                               \
    const dim3 launch_grid = {4, 1, 1}, launch_block = {128, 1, 1};             \
    cudaLaunchKernel(&stub_##name, launch_grid, launch_block, NULL, 0, stream); \
  })
#endif

#define CUDA(call) EXPECT((call) == cudaSuccess)
