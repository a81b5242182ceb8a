// As runtime.cu, in the driver's API: usage: driver FILE.ptx
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

#include <vector>

#include "launches.h"

#define CHECK(call)                                             \
  do {                                                          \
    const CUresult e = (call);                                  \
    if (e != CUDA_SUCCESS) {                                    \
      const char* text = "?";                                   \
      cuGetErrorString(e, &text);                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, text); \
      exit(1);                                                  \
    }                                                           \
  } while (0)

int main(int argc, char** argv) {
  if (argc != 2) return fprintf(stderr, "usage: driver FILE.ptx\n"), 2;
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction scale, sum;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuModuleLoad(&module, argv[1]));
  CHECK(cuModuleGetFunction(&scale, module, "scale"));
  CHECK(cuModuleGetFunction(&sum, module, "sum"));

  int n = kBytes / sizeof(float), few = 4096;
  float factor = 1.0001f;
  CUdeviceptr at, other;
  std::vector<float> host(n);
  CHECK(cuMemAlloc(&at, kBytes));
  CHECK(cuMemAlloc(&other, kBytes));
  for (int i = 0; i < kCopiesIn; ++i) CHECK(cuMemcpyHtoD(at, host.data(), kBytes));
  for (int i = 0; i < kSets; ++i) CHECK(cuMemsetD32(other, 0, n));
  void* scale_arguments[] = {&at, &factor, &n};
  void* sum_arguments[] = {&at, &other, &few};
  for (int i = 0; i < kScales; ++i)
    CHECK(cuLaunchKernel(scale, n / 256, 1, 1, 256, 1, 1, 0, nullptr, scale_arguments, nullptr));
  for (int i = 0; i < kSums; ++i) CHECK(cuLaunchKernel(sum, 1, 1, 1, 256, 1, 1, 0, nullptr, sum_arguments, nullptr));
  for (int i = 0; i < kCopiesWithin; ++i) CHECK(cuMemcpyDtoD(other, at, kBytes));
  for (int i = 0; i < kCopiesOut; ++i) CHECK(cuMemcpyDtoH(host.data(), at, kBytes));
  CHECK(cuCtxSynchronize());
  CHECK(cuMemFree(at));
  CHECK(cuMemFree(other));
  CHECK(cuDevicePrimaryCtxRelease(device));
  return 0;
}
