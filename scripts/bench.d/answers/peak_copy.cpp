// Statistics of a large sample: moments in place, median by a sorted copy.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

std::vector<double> acquire(size_t n) {
  std::vector<double> v(n);
  unsigned long s = 88172645463325252ul;
  for (auto& x : v) {
    s ^= s << 13, s ^= s >> 7, s ^= s << 17;
    x = std::log(1.0 + (s % 100000) / 1000.0);
  }
  return v;
}

double moment(const std::vector<double>& v, int k) {
  double a = 0;
  for (double x : v) a += std::pow(x - 2, k);
  return a / v.size();
}

double median(const std::vector<double>& v) {
  std::vector<double> copy(v);  // FAULT peak-copies
  auto mid = copy.begin() + copy.size() / 2;
  std::nth_element(copy.begin(), mid, copy.end());
  return *mid;
}

void standardise(std::vector<double>& v, double centre) {
  for (auto& x : v) x = (x - centre) / (1 + std::fabs(x));
}

int main() {
  const size_t n = 26000000;
  auto v = acquire(n);
  double m3 = moment(v, 3), m4 = moment(v, 5);
  double med = median(v);
  standardise(v, med);
  printf("m3 %.4f m4 %.4f median %.4f x %.3f\n", m3, m4, med, moment(v, 3));
  printf("truth %zu bytes\n", n * sizeof(double));
}
