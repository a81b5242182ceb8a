// Renders frames of a Julia set with two threads and writes a histogram of the depths.
//
// Sound: nothing is wrong. The threads fetch whole rows from an atomic counter and
// take the mutex once per frame to merge their own histogram; the time is the
// iteration itself.
// First screen should say: both threads compute in depth_at all the time; no fault found.
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

constexpr int kWidth = 900, kHeight = 700, kLimit = 160;
using Histogram = std::array<uint64_t, kLimit + 1>;

static int depth_at(double zx, double zy, double cx, double cy) {
    int n = 0;
    double x2 = zx * zx, y2 = zy * zy;
    while (n < kLimit && x2 + y2 < 4) {
        zy = 2 * zx * zy + cy;
        zx = x2 - y2 + cx;
        x2 = zx * zx;
        y2 = zy * zy;
        ++n;
    }
    return n;
}

class Frame {
    std::vector<uint8_t> pixels_ = std::vector<uint8_t>(size_t(kWidth) * kHeight);
    std::atomic<int> next_row_{0};
    std::mutex mutex_;
    Histogram histogram_{};
    std::complex<double> c_;

  public:
    explicit Frame(std::complex<double> c) : c_(c) {}

    void work() {
        Histogram own{};
        for (int row; (row = next_row_.fetch_add(1)) < kHeight;) {
            uint8_t *out = &pixels_[size_t(row) * kWidth];
            double y = (row - kHeight / 2.0) / (kHeight / 2.4);
            for (int col = 0; col < kWidth; ++col) {
                int n = depth_at((col - kWidth / 2.0) / (kWidth / 3.2), y, c_.real(), c_.imag());
                ++own[n];
                out[col] = uint8_t(n);
            }
        }
        std::lock_guard<std::mutex> guard(mutex_);
        for (int i = 0; i <= kLimit; ++i) histogram_[i] += own[i];
    }

    const Histogram &histogram() const { return histogram_; }

    uint32_t checksum() const {
        uint32_t h = 2166136261u;
        for (uint8_t p : pixels_) h = (h ^ p) * 16777619u;
        return h;
    }
};

int main() {
    auto t0 = std::chrono::steady_clock::now();
    Histogram total{};
    uint32_t mix = 0;
    for (int i = 0; i < 200; ++i) {
        Frame frame(std::polar(0.7885, i * 0.0314));
        std::thread other(&Frame::work, &frame);
        frame.work();
        other.join();
        for (int k = 0; k <= kLimit; ++k) total[k] += frame.histogram()[k];
        mix = mix * 31 + frame.checksum();
    }
    std::printf("inside %llu, checksum %08x\n", (unsigned long long)total[kLimit], mix);
    std::printf("rendered in %.2f s\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count());
}
