// Cleans scanned pages: estimates the paper background with repeated box blurs, divides it
// out and binarises the result.
//
// What is wrong: Vertical box blur walks columns with a 16 KB stride.
// Mend: Row by row with an array of running sums.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

using Clock = std::chrono::steady_clock;
static double now() { return std::chrono::duration<double>(Clock::now().time_since_epoch()).count(); }

constexpr double kPixelNs = 0.67;

class Image {
public:
    Image(int w, int h) : w_(w), h_(h), px_(size_t(w) * h) {}
    int width() const { return w_; }
    int height() const { return h_; }
    float& at(int x, int y) { return px_[size_t(y) * w_ + x]; }
    float at(int x, int y) const { return px_[size_t(y) * w_ + x]; }
    std::vector<float>& data() { return px_; }
    const std::vector<float>& data() const { return px_; }

private:
    int w_, h_;
    std::vector<float> px_;
};

static double g_down = 0, g_pixels = 0;

Image scanPage(int w, int h, uint32_t seed) {
    Image page(w, h);
    uint32_t s = seed;
    for (int y = 0; y < h; ++y) {
        float shade = 0.75f + 0.2f * std::sin(y * 0.0011f + seed);
        for (int x = 0; x < w; ++x) {
            s = s * 1664525u + 1013904223u;
            bool ink = ((x >> 3) * 2654435761u ^ (y >> 4) * 40503u) % 11 == 0;
            page.at(x, y) = (ink ? 0.15f : shade) + (s >> 24) * 0.0004f;
        }
    }
    return page;
}

void blurAcross(const Image& in, Image& out, int r) {
    int w = in.width();
    float inv = 1.0f / (2 * r + 1);
    for (int y = 0; y < in.height(); ++y) {
        float sum = in.at(0, y) * (r + 1);
        for (int i = 1; i <= r; ++i) sum += in.at(i, y);
        for (int x = 0; x < w; ++x) {
            out.at(x, y) = sum * inv;
            sum += in.at(std::min(x + r + 1, w - 1), y) - in.at(std::max(x - r, 0), y);
        }
    }
}

void blurDown(const Image& in, Image& out, int r) {
    double t0 = now();
    int w = in.width(), h = in.height();
    float inv = 1.0f / (2 * r + 1);
    for (int x = 0; x < w; ++x) {
        float sum = in.at(x, 0) * (r + 1);
        for (int i = 1; i <= r; ++i) sum += in.at(x, i);
        for (int y = 0; y < h; ++y) {
            out.at(x, y) = sum * inv;
            sum += in.at(x, std::min(y + r + 1, h - 1)) - in.at(x, std::max(y - r, 0));  // FAULT column-order
        }
    }
    g_down += now() - t0;
    g_pixels += double(w) * h;
}

Image background(const Image& page, int passes, int r) {
    Image a = page, b(page.width(), page.height());
    for (int i = 0; i < passes; ++i) {
        blurAcross(a, b, r);
        blurDown(b, a, r);
    }
    return a;
}

struct Stats {
    size_t ink = 0;
    double contrast = 0;
};

Stats binarise(const Image& page, const Image& paper) {
    Stats st;
    for (size_t i = 0; i < page.data().size(); ++i) {
        float v = page.data()[i] / std::max(0.05f, paper.data()[i]);
        float soft = 1.0f / (1.0f + std::exp(-12.0f * (v - 0.7f)));
        st.ink += soft < 0.5f;
        st.contrast += std::abs(soft - 0.5f);
    }
    st.contrast /= page.data().size();
    return st;
}

int main(int argc, char** argv) {
    int pages = argc > 1 ? std::atoi(argv[1]) : 11;
    for (int p = 0; p < pages; ++p) {
        Image page = scanPage(4096, 3072, 17 + p);
        Image paper = background(page, 2, 40);
        Stats st = binarise(page, paper);
        std::printf("page %d: %.3f%% ink, contrast %.4f\n", p, 100.0 * st.ink / page.data().size(), st.contrast);
    }
    std::printf("truth %.3f\n", g_down - g_pixels * kPixelNs * 1e-9);
}
