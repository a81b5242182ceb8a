// Follows the motion in a film: a few filters on each frame of large pictures.
//
// What is wrong: each frame allocates its 64 MB of scratch planes anew and frees them; blocks of that size come straight
// from the kernel, so that every page is faulted in, zeroed, and given back for each frame.
// First screen should say: a good part of the time is page faults (kernel: clear_page) and munmap for the scratch buffers that
// Flow::step allocates per frame - keep them in the object.
// Mend: keep the scratch planes as a member, allocated once.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <vector>

static double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

constexpr int kWidth = 2048, kHeight = 2048, kPlanes = 4;
constexpr size_t kPixels = size_t(kWidth) * kHeight;

using Picture = std::vector<float>;

struct Scratch {
  std::unique_ptr<float[]> data{new float[kPixels * kPlanes]};
  float* plane(int k) { return data.get() + k * kPixels; }
};

static Scratch kept;

class Flow {
 public:
  double step(const Picture& before, const Picture& after) {
    double began = now();
    Scratch fresh;  // FAULT page-faults
    double motion = measure(before, after, fresh);  // FAULT page-faults
    spent += now() - began;
    return motion;
  }

  double measure(const Picture& before, const Picture& after, Scratch& scratch) {
    float *dx = scratch.plane(0), *dy = scratch.plane(1), *dt = scratch.plane(2), *weight = scratch.plane(3);
    for (size_t i = kWidth; i + kWidth < kPixels; ++i) {
      dx[i] = before[i + 1] - before[i - 1];          // FAULT page-faults
      dy[i] = before[i + kWidth] - before[i - kWidth];  // FAULT page-faults
      dt[i] = after[i] - before[i];                   // FAULT page-faults
      weight[i] = dx[i] * dx[i] + dy[i] * dy[i];      // FAULT page-faults
    }
    double sum = 0;
    for (size_t i = kWidth; i + kWidth < kPixels; ++i) sum += weight[i] > 1e-4f ? dt[i] * (dx[i] + dy[i]) / weight[i] : 0;
    return sum / kPixels;
  }

  double spent = 0;
};

static void draw(Picture& picture, int number) {
  std::vector<float> row(kWidth), column(kHeight);
  for (int x = 0; x < kWidth; ++x) row[x] = std::sin(x * 0.021f + number * 0.11f);
  for (int y = 0; y < kHeight; ++y) column[y] = std::cos(y * 0.017f - number * 0.07f);
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) picture[size_t(y) * kWidth + x] = row[x] * column[y] + 0.1f * ((x ^ y) & 15);
}

int main() {
  const int frames = 72;
  Flow flow;
  Picture before(kPixels), after(kPixels);
  draw(before, 0);
  double motion = 0, usual = 0;
  flow.measure(before, after, kept);
  for (int number = 1; number <= frames; ++number) {
    draw(after, number);
    motion += flow.step(before, after);
    if (number % 18 == 0) {
      double began = now();
      flow.measure(before, after, kept);
      usual += now() - began;
    }
    std::swap(before, after);
  }
  printf("motion %.6f\n", motion / frames);
  flow.measure(before, after, kept);
  printf("truth %.3f\n", flow.spent - usual * 18);
}
