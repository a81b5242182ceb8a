// Watch the vibration of a machine: the strength of a few frequency bands in
// consecutive windows of the signal, and the windows that stand out.
//
// One thread takes blocks of samples from the source, another analyses them.
// Nobody tells the first one that there is room again: it looks every 50 ms.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <optional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

namespace {

constexpr int kWindow = 512;
constexpr int kWindowsPerBlock = 100;
constexpr int kBlocks = 1100;
constexpr std::size_t kQueueBlocks = 16;
constexpr double kPi = 3.14159265358979323846;

// Centre of each band in cycles per window.
constexpr std::array<int, 4> kBands = {6, 17, 43, 88};

using Block = std::vector<float>;

using BandLevels = std::array<float, kBands.size()>;

// First in, first out; the writer waits while the queue is full.
class BlockQueue {
public:
    void push(Block block) {
        std::unique_lock<std::mutex> lock(mutex_);
        while (blocks_.size() >= kQueueBlocks) {
            notFull_.wait_for(lock, std::chrono::milliseconds(50));  // FAULT timed-out-waits
        }
        blocks_.push_back(std::move(block));
        notEmpty_.notify_one();
    }

    void close() {
        std::lock_guard<std::mutex> lock(mutex_);
        closed_ = true;
        notEmpty_.notify_all();
    }

    // The next block, or nothing at the end.
    std::optional<Block> pop() {
        std::unique_lock<std::mutex> lock(mutex_);
        const auto began = std::chrono::steady_clock::now();
        notEmpty_.wait(lock, [this] { return closed_ || !blocks_.empty(); });
        waited_ += std::chrono::steady_clock::now() - began;
        if (blocks_.empty()) return std::nullopt;
        Block block = std::move(blocks_.front());
        blocks_.pop_front();
        return block;
    }

    double waited() const { return std::chrono::duration<double>(waited_).count(); }

private:
    std::chrono::steady_clock::duration waited_{};
    std::mutex mutex_;
    std::condition_variable notFull_, notEmpty_;
    std::deque<Block> blocks_;
    bool closed_ = false;
};

// Noise with a slowly growing bearing tone in the third band.
class SignalSource {
public:
    explicit SignalSource(unsigned seed) : rng_(seed) {}

    Block read(int number) {
        Block samples(kWindow + (kWindowsPerBlock - 1) * kWindow / 8);
        for (float& sample : samples) {
            const float noise = static_cast<float>(rng_() >> 8) / 8388608.0f - 1.0f;
            phase_ += 43.0f / kWindow;
            if (phase_ >= 1.0f) phase_ -= 1.0f;
            const float tone = 4.0f * std::fabs(phase_ - 0.5f) - 1.0f;
            sample = noise + tone * 0.6f * static_cast<float>(number) / kBlocks;
        }
        return samples;
    }

private:
    std::mt19937 rng_;
    float phase_ = 0.0f;
};

// Power of one frequency in the window (Goertzel's recurrence).
float bandPower(const float* samples, int cycles) {
    const double coefficient = 2.0 * std::cos(2.0 * kPi * cycles / kWindow);
    double previous = 0.0, before = 0.0;
    for (int i = 0; i < kWindow; ++i) {
        const double current = samples[i] + coefficient * previous - before;
        before = previous;
        previous = current;
    }
    const double power = previous * previous + before * before - coefficient * previous * before;
    return static_cast<float>(power / kWindow);
}

BandLevels analyseWindow(const float* samples) {
    BandLevels levels{};
    for (std::size_t band = 0; band < kBands.size(); ++band) {
        for (int side = -1; side <= 1; ++side) {
            levels[band] += bandPower(samples, kBands[band] + side);
        }
    }
    return levels;
}

std::vector<BandLevels> analyseAll(BlockQueue& queue) {
    std::vector<BandLevels> results;
    results.reserve(static_cast<std::size_t>(kBlocks) * kWindowsPerBlock);
    while (std::optional<Block> block = queue.pop()) {
        for (int window = 0; window < kWindowsPerBlock; ++window) {
            results.push_back(analyseWindow(block->data() + window * kWindow / 8));
        }
    }
    return results;
}

// Number of windows whose level in the band is above the limit.
int countLoud(const std::vector<BandLevels>& results, std::size_t band, double limit) {
    return static_cast<int>(std::count_if(results.begin(), results.end(),
                                          [&](const auto& levels) { return levels[band] > limit; }));
}

}  // namespace

int main() {
    BlockQueue queue;
    std::thread sampler([&queue] {
        SignalSource source(7);
        for (int number = 0; number < kBlocks; ++number) queue.push(source.read(number));
        queue.close();
    });
    const std::vector<BandLevels> results = analyseAll(queue);
    sampler.join();

    for (std::size_t band = 0; band < kBands.size(); ++band) {
        double mean = 0.0;
        for (const BandLevels& levels : results) mean += levels[band] / results.size();
        std::printf("band %zu: mean %.4f, loud windows %d\n", band, mean,
                    countLoud(results, band, 2.5 * mean));
    }
    std::printf("truth %.3f\n", queue.waited());
    return 0;
}
