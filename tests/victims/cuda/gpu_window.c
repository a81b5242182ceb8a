// Kernels before, inside and after what the program wants to be profiled: gpu_window ROUNDS.
#include "cuda_api.h"

KERNEL(work_100us)

static void launch(int count) {
  for (int i = 0; i < count; ++i) CUDA(LAUNCH(work_100us, NULL));
  CUDA(cudaDeviceSynchronize());
}

int main(int argc, char** argv) {
  const long rounds = argument(argc, argv, 1, 2);
  launch(10);
  for (long i = 0; i < rounds; ++i) {
    CUDA(cudaProfilerStart());
    CUDA(cudaProfilerStart());  // once more changes nothing
    launch(20);
    CUDA(cudaProfilerStop());
    launch(30);
  }
  fact("inside", 20 * rounds);
  return 0;
}
