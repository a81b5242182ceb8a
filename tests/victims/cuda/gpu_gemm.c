// Products of matrices for torch_gpu_ops.py: a library that calls another one.
#include "cuda_api.h"
#include "library_api.h"

// Of 4x6 by 6x5: 240 operations each.
__attribute__((visibility("default"))) void gemm(int count) {
  static void* handle;
  const float one = 1;
  if (handle == NULL) EXPECT(cublasCreate_v2(&handle) == 0);
  for (int i = 0; i < count; ++i)
    EXPECT(cublasSgemm_v2(handle, 0, 0, 4, 5, 6, &one, NULL, 4, NULL, 6, &one, NULL, 4) == 0);
}
