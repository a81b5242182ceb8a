// Adds up a matrix column by column: each element is in another line of the cache.
#include <cstdio>
#include <ctime>
#include <vector>

static double now() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

int main() {
  const int n = 4096;
  std::vector<float> m(size_t(n) * n, 0.5f);
  volatile float out;
  float usual = 0;  // along the rows
  double began = now();
  for (size_t i = 0; i < m.size(); ++i) usual += m[i];
  out = usual;
  const double each = now() - began;
  began = now();
  for (int round = 0; round < 9; ++round) {
    float sum = 0;
    for (int column = 0; column < n; ++column)
      for (int row = 0; row < n; ++row) sum += m[size_t(row) * n + column];  // FAULT column-order
    out = sum;
  }
  printf("%.1f\ntruth %.3f\n", out, now() - began - 9 * each);
}
