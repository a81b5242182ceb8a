// A program in the CUDA runtime's API whose kernels, copies and sets are known: what gpu_check compares with. Prints
// the mean time of an empty launch in nanoseconds.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "launches.h"

#define CHECK(call)                                                                        \
  do {                                                                                     \
    const cudaError_t e = (call);                                                          \
    if (e != cudaSuccess) {                                                                \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e));           \
      exit(1);                                                                             \
    }                                                                                      \
  } while (0)

__global__ void scale(float* at, float factor, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) at[i] *= factor;
}

__global__ void sum(const float* from, float* to, int n) {
  float total = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) total += from[i];
  atomicAdd(to, total);
}

__global__ void empty() {}

static double now() {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

int main() {
  const int n = kBytes / sizeof(float);
  float *device, *other, *host;
  cudaStream_t streams[2];
  CHECK(cudaMalloc(&device, kBytes));
  CHECK(cudaMalloc(&other, kBytes));
  CHECK(cudaMallocHost(&host, kBytes));
  for (int i = 0; i < 2; ++i) CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
  for (int i = 0; i < kCopiesIn; ++i) CHECK(cudaMemcpyAsync(device, host, kBytes, cudaMemcpyHostToDevice, streams[i % 2]));
  for (int i = 0; i < kSets; ++i) CHECK(cudaMemsetAsync(other, 0, kBytes, streams[i % 2]));
  for (int i = 0; i < kScales; ++i) scale<<<n / 256, 256, 0, streams[i % 2]>>>(device, 1.0001f, n);
  for (int i = 0; i < kSums; ++i) sum<<<1, 256, 0, streams[i % 2]>>>(device, other, 4096);
  CHECK(cudaGetLastError());
  for (int i = 0; i < kCopiesWithin; ++i) CHECK(cudaMemcpyAsync(other, device, kBytes, cudaMemcpyDeviceToDevice, streams[0]));
  for (int i = 0; i < kCopiesOut; ++i) CHECK(cudaMemcpy(host, device, kBytes, cudaMemcpyDeviceToHost));

  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal));
  for (int i = 0; i < kGraphNodes; ++i) scale<<<n / 256, 256, 0, streams[0]>>>(device, 1.0001f, n);
  CHECK(cudaStreamEndCapture(streams[0], &graph));
  CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
  for (int i = 0; i < kGraphLaunches; ++i) CHECK(cudaGraphLaunch(exec, streams[0]));
  CHECK(cudaDeviceSynchronize());

  // Launches are timed while the queue has room: 512 in a row, then the device is let catch up.
  double spent = 0;
  for (int i = 0; i < kTimed;) {
    const double start = now();
    for (int k = 0; k < 512 && i < kTimed; ++k, ++i) empty<<<1, 1, 0, streams[0]>>>();
    spent += now() - start;
    CHECK(cudaStreamSynchronize(streams[0]));
  }
  printf("launch_ns %.1f\n", spent / kTimed);
  CHECK(cudaFree(device));
  CHECK(cudaFree(other));
  CHECK(cudaFreeHost(host));
  return 0;
}
