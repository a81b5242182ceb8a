// Renders map viewports on worker threads; tiles come from a slow store through a shared LRU cache.
//
// What is wrong: TileCache::get takes the cache's mutex and keeps it while it loads a missing tile from
//   the store (4 ms away). All other workers wait for the lock meanwhile, even those whose tile is in
//   the cache: eight workers fetch as slowly as one.
// First screen should say: the workers spend most of the run waiting for the mutex in TileCache::get,
//   which its holder keeps while it sleeps in the store's load; line: the lock_guard in get; amount:
//   the seconds printed as "truth" (mean per worker, so it compares with the wall time).
// Mend: leave the lock for the load and let a map of loads under way stop duplicates.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <list>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <unordered_map>
#include <vector>

using Clock = std::chrono::steady_clock;
static double since(Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); }

constexpr int SIDE = 64;
struct Tile { std::array<std::uint8_t, SIDE * SIDE> px; };
using TilePtr = std::shared_ptr<const Tile>;

// The tile store: a short trip over the network, then decoding.
class TileStore {
public:
    TilePtr load(int key) {
        std::this_thread::sleep_for(std::chrono::milliseconds(4));
        auto t = std::make_shared<Tile>();
        std::minstd_rand rng(key + 1);
        int x = rng() % 256;
        for (auto& p : t->px) p = std::uint8_t(x = (x * 7 + int(rng() % 256)) / 8);
        ++loads;
        return t;
    }
    std::atomic<long> loads{0};
};

class TileCache {
public:
    TileCache(TileStore& store, std::size_t cap) : store_(store), cap_(cap) {}
    TilePtr get(int key, double& waited) {
        auto t = Clock::now();
        std::lock_guard<std::mutex> lk(m_);  // FAULT lock-contention
        waited += since(t);
        auto it = index_.find(key);
        if (it != index_.end()) {
            order_.splice(order_.begin(), order_, it->second);
            return it->second->second;
        }
        TilePtr tile = store_.load(key);
        insert(key, tile);
        return tile;
    }
private:
    void insert(int key, TilePtr tile) {
        order_.emplace_front(key, std::move(tile));
        index_[key] = order_.begin();
        if (order_.size() > cap_) {
            index_.erase(order_.back().first);
            order_.pop_back();
        }
    }
    TileStore& store_;
    std::size_t cap_;
    std::mutex m_;
    std::list<std::pair<int, TilePtr>> order_;
    std::unordered_map<int, std::list<std::pair<int, TilePtr>>::iterator> index_;
};

// A user scrolling over the map: each viewport shows 3x2 tiles and moves a little from the last one.
class Viewer {
public:
    explicit Viewer(unsigned seed) : rng_(seed), x_(rng_() % 100), y_(rng_() % 100) {}
    std::array<int, 6> next() {
        x_ = std::clamp(x_ + int(rng_() % 3) - 1, 0, 97);
        y_ = std::clamp(y_ + int(rng_() % 3) - 1, 0, 98);
        if (rng_() % 25 == 0) { x_ = rng_() % 98; y_ = rng_() % 99; }
        std::array<int, 6> keys;
        for (int i = 0; i < 6; ++i) keys[i] = (y_ + i / 3) * 100 + x_ + i % 3;
        return keys;
    }
private:
    std::mt19937 rng_;
    int x_, y_;
};

// Hill shading over the six tiles put together.
static double shade(const std::array<TilePtr, 6>& tiles) {
    const int w = 3 * SIDE, h = 2 * SIDE;
    auto at = [&](int x, int y) { return int(tiles[y / SIDE * 3 + x / SIDE]->px[y % SIDE * SIDE + x % SIDE]); };
    double sum = 0;
    for (int y = 1; y + 1 < h; ++y)
        for (int x = 1; x + 1 < w; ++x) {
            double dx = (at(x + 1, y) - at(x - 1, y)) / 16.0, dy = (at(x, y + 1) - at(x, y - 1)) / 16.0;
            double slope = std::atan(std::sqrt(dx * dx + dy * dy)), aspect = std::atan2(dy, -dx);
            sum += std::max(0.0, 0.7 * std::cos(slope) + 0.7 * std::sin(slope) * std::cos(2.3 - aspect));
        }
    return sum / (w * h);
}

int main() {
    auto start = Clock::now();
    const int workers = 8, views = 95;
    TileStore store;
    TileCache cache(store, 600);
    std::vector<double> waited(workers), light(workers);
    std::vector<std::thread> pool;
    for (int w = 0; w < workers; ++w)
        pool.emplace_back([&, w] {
            Viewer viewer(w + 1);
            double wait = 0, sum = 0;
            for (int v = 0; v < views; ++v) {
                std::array<TilePtr, 6> tiles;
                auto keys = viewer.next();
                for (int i = 0; i < 6; ++i) tiles[i] = cache.get(keys[i], wait);
                sum += shade(tiles);
            }
            waited[w] = wait;
            light[w] = sum / views;
        });
    for (auto& t : pool) t.join();
    double wait = 0, mean = 0;
    for (int w = 0; w < workers; ++w) { wait += waited[w] / workers; mean += light[w] / workers; }
    std::printf("%d views, %ld tile loads, mean light %.4f\n", workers * views, store.loads.load(), mean);
    std::printf("total %.2f\ntruth %.2f\n", since(start), wait);
}
