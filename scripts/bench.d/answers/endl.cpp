// Simulates particles in a box and writes their tracks as CSV.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <vector>

using Clock = std::chrono::steady_clock;
static double flush_cost = 0;

struct Particle {
  double x, y, vx, vy;
};

std::vector<Particle> seed(int n) {
  std::vector<Particle> p;
  p.reserve(n);
  for (int i = 0; i < n; ++i) p.push_back({std::sin(i * 1.1), std::cos(i * 0.7), std::cos(i * 2.3), std::sin(i * 1.9)});
  return p;
}

void advance(std::vector<Particle>& ps, double dt) {
  for (auto& p : ps) {
    for (int k = 0; k < 12; ++k) {
      double r2 = p.x * p.x + p.y * p.y + 0.01;
      double f = -1.0 / (r2 * std::sqrt(r2));
      p.vx += f * p.x * dt;
      p.vy += f * p.y * dt;
      p.x += p.vx * dt;
      p.y += p.vy * dt;
    }
  }
}

void write_row(std::ostream& out, int step, int id, const Particle& p) {
  out << step << ',' << id << ',' << p.x << ',' << p.y;
  auto t = Clock::now();
  out << std::endl;  // FAULT small-writes
  flush_cost += std::chrono::duration<double>(Clock::now() - t).count();
}

int main() {
  std::ofstream out("tracks.csv");
  auto ps = seed(600);
  for (int step = 0; step < 1700; ++step) {
    advance(ps, 1e-3);
    for (size_t i = 0; i < ps.size(); ++i) write_row(out, step, i, ps[i]);
  }
  printf("x %.3f\n", ps[0].x);
  printf("truth %.3f\n", flush_cost);
}
