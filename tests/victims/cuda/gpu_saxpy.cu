// A program as nvcc makes it: kernels in <<<>>>, a template, a symbol, streams. What the kernels compute is not looked
// at: the fake device does not run them.
#include <cstdio>

__constant__ float scale;

__global__ void saxpy_60us(float* y, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += scale * x[i];
}

template <class T>
__global__ void fill_35us(T* y, T value, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = value;
}

#define CUDA(call)                                                                        \
  do {                                                                                    \
    if (const cudaError_t error = (call); error != cudaSuccess) {                         \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
      return 1;                                                                           \
    }                                                                                     \
  } while (0)

int main() {
  constexpr int kCount = 1 << 16, kSteps = 25;
  float *x = nullptr, *y = nullptr;
  cudaStream_t stream;
  CUDA(cudaStreamCreate(&stream));
  CUDA(cudaMalloc(&x, kCount * sizeof(float)));
  CUDA(cudaMalloc(&y, kCount * sizeof(float)));
  const float two = 2;
  CUDA(cudaMemcpyToSymbol(scale, &two, sizeof two));
  fill_35us<float><<<kCount / 256, 256, 0, stream>>>(x, 1.0F, kCount);
  for (int step = 0; step < kSteps; ++step) saxpy_60us<<<kCount / 256, 256, 0, stream>>>(y, x, kCount);
  CUDA(cudaGetLastError());
  CUDA(cudaStreamSynchronize(stream));
  float* const host = new float[kCount];
  CUDA(cudaMemcpy(host, y, kCount * sizeof(float), cudaMemcpyDeviceToHost));
  delete[] host;
  CUDA(cudaFree(x));
  CUDA(cudaFree(y));
  CUDA(cudaStreamDestroy(stream));
  std::printf("done %d\n", kSteps);
  return 0;
}
