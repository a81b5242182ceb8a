// SOUND: blocked matrix product.
#include <cstdio>
#include <vector>
void multiply(const float* a, const float* b, float* c, int n) {
  const int B = 64;
  for (int i0 = 0; i0 < n; i0 += B)
    for (int k0 = 0; k0 < n; k0 += B)
      for (int i = i0; i < i0 + B; ++i)
        for (int k = k0; k < k0 + B; ++k) {
          float x = a[i * n + k];
          for (int j = 0; j < n; ++j) c[i * n + j] += x * b[k * n + j];
        }
}
int main() {
  const int n = 1024;
  std::vector<float> a(n * n, 1.5f), b(n * n, 0.25f), c(n * n);
  for (int r = 0; r < 16; ++r) multiply(a.data(), b.data(), c.data(), n);
  printf("%.1f\n", c[5]);
}
