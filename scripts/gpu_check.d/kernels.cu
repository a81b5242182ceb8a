// The kernels of driver.cpp, compiled to PTX.
extern "C" __global__ void scale(float* at, float factor, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) at[i] *= factor;
}

extern "C" __global__ void sum(const float* from, float* to, int n) {
  float total = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) total += from[i];
  atomicAdd(to, total);
}
