// Cleans scans of photographic plates: a background estimate per scan, a
// subtraction, and a count of the stars that stand out.
//
// What is wrong: background() makes its 48 MB work plane anew for every
// scan; the memory goes back to the system each time, so each time 12 000
// pages are faulted in and zeroed.
// First screen should say: some third to half of the run is page faults and
// zeroing (kernel time, or vector's fill) for the work plane that is allocated
// and freed for every scan; own line the vector in PlateFilter::background.
// Mend: keep the work plane as a member.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <random>
#include <vector>

using Clock = std::chrono::steady_clock;

constexpr int kWidth = 4000;
constexpr int kHeight = 3000;
constexpr int kScans = 64;

struct Scan {
    std::vector<uint16_t> pixels;
    Scan() : pixels(static_cast<size_t>(kWidth) * kHeight) {}
    const uint16_t* row(int y) const { return pixels.data() + static_cast<size_t>(y) * kWidth; }
};

class Scanner {
public:
    explicit Scanner(uint32_t seed) : rng_(seed) {}
    void next(Scan& scan) {
        uint32_t state = rng_();
        uint16_t base = 400 + state % 100;
        for (auto& p : scan.pixels) {
            state = state * 1664525u + 1013904223u;
            p = base + (state >> 26);
        }
        for (int star = 0; star < 3000; ++star) {
            size_t at = rng_() % (scan.pixels.size() - 2);
            scan.pixels[at] += 300;
            scan.pixels[at + 1] += 150;
        }
    }

private:
    std::mt19937 rng_;
};

class PlateFilter {
public:
    // Mean over blocks of 8 along the row, kept as a plane of floats.
    double background(const Scan& scan) {
        auto start = Clock::now();
        std::vector<float> plane(static_cast<size_t>(kWidth) * kHeight);  // FAULT page-faults
        renewing_ += Clock::now() - start;
        for (int y = 0; y < kHeight; ++y) {
            const uint16_t* in = scan.row(y);
            float* out = plane.data() + static_cast<size_t>(y) * kWidth;
            for (int x = 0; x < kWidth; x += 8) {
                uint32_t sum = 0;
                for (int k = 0; k < 8; ++k) sum += in[x + k];
                std::fill(out + x, out + x + 8, sum / 8.0f);
            }
        }
        double level = count(scan, plane);
        start = Clock::now();
        release(plane);
        renewing_ += Clock::now() - start;
        return level;
    }
    size_t stars() const { return stars_; }
    double renewing() const { return std::chrono::duration<double>(renewing_).count(); }

private:
    static void release(std::vector<float>& plane) { std::vector<float>().swap(plane); }

    double count(const Scan& scan, const std::vector<float>& plane) {
        double level = 0;
        for (int y = 0; y < kHeight; ++y) {
            const uint16_t* in = scan.row(y);
            const float* sky = plane.data() + static_cast<size_t>(y) * kWidth;
            float sum = 0;
            for (int x = 0; x < kWidth; ++x) {
                float over = in[x] - sky[x];
                stars_ += over > 120.0f;
                sum += sky[x];
            }
            level += sum / kWidth;
        }
        return level / kHeight;
    }
    size_t stars_ = 0;
    Clock::duration renewing_{};
};

int main() {
    Scanner scanner(31);
    PlateFilter filter;
    Scan scan;
    double level = 0;
    for (int i = 0; i < kScans; ++i) {
        scanner.next(scan);
        level += filter.background(scan);
    }
    printf("%d scans, sky %.2f, %zu stars\n", kScans, level / kScans, filter.stars());
    printf("truth %.3f\n", filter.renewing());
}
