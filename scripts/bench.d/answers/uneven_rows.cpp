// Pairwise distances of points, upper triangle, rows split evenly over threads.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>
#include <thread>
#include <vector>

using Clock = std::chrono::steady_clock;
static double since(Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); }

struct Point {
  float x, y, z;
};

std::vector<Point> cloud(int n) {
  std::mt19937 g(3);
  std::uniform_real_distribution<float> u(0, 1);
  std::vector<Point> p(n);
  for (auto& q : p) q = {u(g), u(g), u(g)};
  return p;
}

double row_energy(const std::vector<Point>& p, int i) {
  double e = 0;
  for (size_t j = i + 1; j < p.size(); ++j) {
    float dx = p[i].x - p[j].x, dy = p[i].y - p[j].y, dz = p[i].z - p[j].z;
    e += 1.0 / std::sqrt(dx * dx + dy * dy + dz * dz + 1e-4f);
  }
  return e;
}

void part(const std::vector<Point>& p, int first, int last, double& e, double& took) {
  auto t = Clock::now();
  for (int i = first; i < last; ++i) e += row_energy(p, i);  // FAULT uneven-workers
  took = since(t);
}

double histogram(const std::vector<Point>& p) {
  std::vector<double> h(64);
  for (int r = 0; r < 120; ++r)
    for (auto& q : p) h[int(q.x * 63.9f)] += std::sqrt(q.y * r + q.z);
  double s = 0;
  for (double v : h) s += v;
  return s;
}

int main() {
  auto p = cloud(42000);
  const int threads = 2;
  std::vector<double> e(threads), took(threads);
  std::vector<std::thread> ts;
  int rows = p.size() / threads;
  for (int t = 0; t < threads; ++t)
    ts.emplace_back(part, std::cref(p), t * rows, t * rows + rows, std::ref(e[t]),  // FAULT uneven-workers
                    std::ref(took[t]));
  for (auto& t : ts) t.join();
  double h = histogram(p);
  double most = 0, mean = 0, sum = 0;
  for (int t = 0; t < threads; ++t) most = std::max(most, took[t]), mean += took[t] / threads, sum += e[t];
  printf("energy %.3f histogram %.1f\n", sum, h);
  printf("truth %.3f\n", most - mean);
}
