// Sound: two threads draw rows of a fractal; each takes the next row from an atomic counter.
//
// Both threads calculate all the time; there is nothing here that is worth mending.
#include <atomic>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

constexpr int kWidth = 1400, kHeight = 1400, kMost = 5500;

struct Canvas {
  std::vector<uint16_t> pixels = std::vector<uint16_t>(size_t(kWidth) * kHeight);
  std::atomic<int> next_row{0};

  void draw_rows() {
    for (int y; (y = next_row.fetch_add(1)) < kHeight;) draw_row(y);
  }

  void draw_row(int y) {
    uint16_t* row = &pixels[size_t(y) * kWidth];
    for (int x = 0; x < kWidth; ++x) row[x] = escape(-2.1 + 2.8 * x / kWidth, -1.4 + 2.8 * y / kHeight);
  }

  static uint16_t escape(double cr, double ci) {
    double r = 0, i = 0;
    for (int n = 0; n < kMost; ++n) {
      double rr = r * r, ii = i * i;
      if (rr + ii > 4) return uint16_t(n);
      i = 2 * r * i + ci;
      r = rr - ii + cr;
    }
    return kMost;
  }
};

int main() {
  Canvas canvas;
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) threads.emplace_back([&canvas] { canvas.draw_rows(); });
  for (auto& thread : threads) thread.join();
  uint64_t sum = 0, inside = 0;
  for (uint16_t pixel : canvas.pixels) sum += pixel, inside += pixel == kMost;
  printf("sum %llu inside %llu\n", (unsigned long long)sum, (unsigned long long)inside);
}
