// Load the tiles of a map view from a slow store and decode them.
//
// A small pool of threads serves the requests: while one tile is on its way
// from the store, another one can be decoded.  The store is modelled with a
// fixed latency, the tiles are run-length coded height fields.
//
// The workers hold the lock of the queue while they work.
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace {

constexpr int kTiles = 1050;
constexpr int kTileSize = 256;
constexpr int kWorkers = 3;
constexpr std::chrono::microseconds kStoreLatency{2000};

using Bytes = std::vector<std::uint8_t>;

struct TileSummary {
    std::uint64_t checksum = 0;
    int highest = 0;
    double roughness = 0.0;
};

// Answers with the coded bytes of a tile after the latency of the store.
class TileStore {
public:
    Bytes fetch(int tile) const {
        std::this_thread::sleep_for(kStoreLatency);
        Bytes coded;
        coded.reserve(kTileSize * kTileSize / 2);
        std::uint32_t state = 2654435761u * static_cast<std::uint32_t>(tile + 1);
        int remaining = kTileSize * kTileSize;
        while (remaining > 0) {
            state = state * 1664525u + 1013904223u;
            int run = 1 + static_cast<int>((state >> 24) & 7u);
            if (run > remaining) run = remaining;
            coded.push_back(static_cast<std::uint8_t>(run));
            coded.push_back(static_cast<std::uint8_t>(state >> 16));
            remaining -= run;
        }
        return coded;
    }
};

// Expands the runs, smooths the heights twice and sums them up.
TileSummary decode(const Bytes& coded) {
    std::vector<int> heights;
    heights.reserve(kTileSize * kTileSize);
    for (std::size_t i = 0; i + 1 < coded.size(); i += 2) {
        heights.insert(heights.end(), coded[i], coded[i + 1] * 16);
    }
    std::vector<int> smooth(heights.size());
    for (int round = 0; round < 8; ++round) {
        for (int y = 0; y < kTileSize; ++y) {
            for (int x = 0; x < kTileSize; ++x) {
                const int up = y > 0 ? y - 1 : y, down = y + 1 < kTileSize ? y + 1 : y;
                const int left = x > 0 ? x - 1 : x, right = x + 1 < kTileSize ? x + 1 : x;
                smooth[y * kTileSize + x] =
                    (4 * heights[y * kTileSize + x] + heights[up * kTileSize + x] +
                     heights[down * kTileSize + x] + heights[y * kTileSize + left] +
                     heights[y * kTileSize + right]) / 8;
            }
        }
        heights.swap(smooth);
    }
    TileSummary summary;
    for (std::size_t i = 0; i < heights.size(); ++i) {
        summary.checksum = summary.checksum * 31 + static_cast<std::uint64_t>(heights[i]);
        if (heights[i] > summary.highest) summary.highest = heights[i];
        if (i > 0) summary.roughness += heights[i] > heights[i - 1] ? 1.0 : 0.0;
    }
    summary.roughness /= static_cast<double>(heights.size());
    return summary;
}

class LoaderPool {
public:
    explicit LoaderPool(int workers) {
        for (int i = 0; i < workers; ++i) threads_.emplace_back([this] { work(); });
    }

    void submit(std::function<void()> job) {
        std::lock_guard<std::mutex> lock(mutex_);
        jobs_.push_back(std::move(job));
        ready_.notify_one();
    }

    // Lets the workers finish what is queued and waits for them.
    void finish() {
        {
            std::lock_guard<std::mutex> lock(mutex_);
            closed_ = true;
        }
        ready_.notify_all();
        for (std::thread& thread : threads_) thread.join();
    }

private:
    void work() {
        std::unique_lock<std::mutex> lock(mutex_);  // FAULT lock-contention
        while (true) {
            ready_.wait(lock, [this] { return closed_ || !jobs_.empty(); });
            if (jobs_.empty()) return;
            std::function<void()> job = std::move(jobs_.front());
            jobs_.pop_front();
            job();
        }
    }

    std::mutex mutex_;
    std::condition_variable ready_;
    std::deque<std::function<void()>> jobs_;
    std::vector<std::thread> threads_;
    bool closed_ = false;
};

}  // namespace

int main() {
    const TileStore store;
    std::vector<TileSummary> summaries(kTiles);
    const auto began = std::chrono::steady_clock::now();
    LoaderPool pool(kWorkers);
    for (int tile = 0; tile < kTiles; ++tile) {
        pool.submit([&store, &summaries, tile] { summaries[tile] = decode(store.fetch(tile)); });
    }
    pool.finish();
    const std::chrono::duration<double> all = std::chrono::steady_clock::now() - began;

    std::uint64_t checksum = 0;
    int highest = 0;
    double roughness = 0.0;
    for (const TileSummary& summary : summaries) {
        checksum ^= summary.checksum;
        highest = summary.highest > highest ? summary.highest : highest;
        roughness += summary.roughness;
    }
    std::printf("tiles %d  checksum %016llx\n", kTiles, static_cast<unsigned long long>(checksum));
    std::printf("highest %d  roughness %.4f\n", highest, roughness / kTiles);
    std::printf("truth %.3f\n", all.count() * (kWorkers - 1) / kWorkers);
    return 0;
}
