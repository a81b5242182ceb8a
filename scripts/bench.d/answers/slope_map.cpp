// Slope map: reads heights of a landscape, smooths them and tells how steep it is where.
//
// build: -O0 -g -pthread
// What is wrong: it is built without -O, by a makefile that was made for looking for a fault.
// First screen should say: code of the program is compiled without optimisation, some 2 s.
// Mend: -O2.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

class Heights {
 public:
  Heights(int width, int height) : width_(width), height_(height), cells_(static_cast<std::size_t>(width) * height) {}
  int width() const { return width_; }
  int height() const { return height_; }
  float& at(int x, int y) { return cells_[static_cast<std::size_t>(y) * width_ + x]; }
  float at(int x, int y) const { return cells_[static_cast<std::size_t>(y) * width_ + x]; }

 private:
  int width_, height_;
  std::vector<float> cells_;
};

Heights survey(int width, int height) {
  Heights out(width, height);
  std::mt19937 random(5);
  std::uniform_real_distribution<float> rough(-2, 2);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x)
      out.at(x, y) = 400 + 90 * std::sin(x / 61.0f) * std::cos(y / 47.0f) + rough(random);
  }
  return out;
}

Heights smooth(const Heights& in) {
  Heights out(in.width(), in.height());
  for (int y = 1; y + 1 < in.height(); ++y) {
    for (int x = 1; x + 1 < in.width(); ++x) {
      float sum = 0;
      for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) sum += in.at(x + dx, y + dy);  // FAULT unoptimised
      }
      out.at(x, y) = sum / 9;
    }
  }
  return out;
}

double steepness(const Heights& in) {
  double sum = 0;
  for (int y = 1; y + 1 < in.height(); ++y) {
    for (int x = 1; x + 1 < in.width(); ++x) {
      const float along = in.at(x + 1, y) - in.at(x - 1, y), across = in.at(x, y + 1) - in.at(x, y - 1);
      sum += std::sqrt(along * along + across * across);
    }
  }
  return sum / (in.width() * static_cast<double>(in.height()));
}

int main() {
  Heights land = survey(1400, 1000);
  const auto began = std::chrono::steady_clock::now();
  for (int round = 0; round < 36; ++round) {
    land = smooth(land);
    std::printf("%d %.4f\n", round, steepness(land));
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  // What -O2 leaves of it was measured: a tenth.
  std::printf("truth %.3f\n", took.count() * 0.9);
}
