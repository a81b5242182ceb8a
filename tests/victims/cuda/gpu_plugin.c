// A library that uses CUDA, loaded by gpu_loader: as frameworks and extensions are. It says whether the calls went to
// the runtime that it was built for.
#include "cuda_api.h"

cudaError_t cudaRuntimeGetVersion(int* version);

#if CUDART_MAJOR >= 13
KERNEL(thirteen_30us)
static void launch_from_plugin(void) { CUDA(LAUNCH(thirteen_30us, NULL)); }
#else
KERNEL(twelve_50us)
static void launch_from_plugin(void) { CUDA(LAUNCH(twelve_50us, NULL)); }
#endif

__attribute__((visibility("default"))) void plugin_work(int count) {
  int version = 0;
  CUDA(cudaRuntimeGetVersion(&version));
  EXPECT(version / 1000 == CUDART_MAJOR);
  void* block = NULL;
  char host[1000] = {1};
  CUDA(cudaMalloc(&block, 1000));
  for (int i = 0; i < count; ++i) {
    launch_from_plugin();
    CUDA(cudaMemcpy(block, host, sizeof host, cudaMemcpyHostToDevice));
  }
  CUDA(cudaDeviceSynchronize());
  CUDA(cudaFree(block));
}
