// Replays a web shop's visit log: first one big window of old visits, then
// many windows of a few seconds each; per window it counts distinct visitors
// and finds the busiest ones.
//
// What is wrong: one unordered_map is used for all windows and cleared; since
// the first window left it with more than a million buckets, each clear()
// of some 400 entries wipes 10 MB of bucket array.
// First screen should say: some half of the run is memset below
// unordered_map::clear, called for each small window; own line seen_.clear()
// in WindowCounter::finish.
// Mend: give the map back after each window (swap with a fresh one).
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <unordered_map>
#include <vector>

using Clock = std::chrono::steady_clock;

struct Visit {
    uint64_t visitor;
    uint32_t page;
};

struct Summary {
    size_t distinct = 0;
    uint64_t busiest = 0;
    uint32_t most = 0;
    double entropy = 0;
};

class VisitLog {
public:
    explicit VisitLog(uint64_t seed) : rng_(seed) {}
    void read(std::vector<Visit>& into, size_t count, uint64_t visitors) {
        into.resize(count);
        for (auto& v : into) {
            uint64_t r = rng_();
            uint64_t who = std::min(r % visitors, (r >> 20) % visitors);
            v.visitor = who * 0x9E3779B97F4A7C15ull ^ 0x5bd1e995;
            v.page = static_cast<uint32_t>(r >> 40) % 5000;
        }
    }

private:
    std::mt19937_64 rng_;
};

class PageStats {
public:
    PageStats() : hits_(5000), smooth_(5000) {}
    void add(const std::vector<Visit>& visits) {
        for (const Visit& v : visits) ++hits_[v.page];
    }
    // Exponential smoothing and a look at what rose.
    size_t roll() {
        size_t rising = 0;
        for (size_t i = 0; i < hits_.size(); ++i) {
            double now = std::log1p(hits_[i]);
            if (now > 2 * smooth_[i] + 1) ++rising;
            smooth_[i] += 0.1 * (std::sqrt(now * now + 0.01) - smooth_[i]);
            hits_[i] = 0;
        }
        return rising;
    }

private:
    std::vector<uint32_t> hits_;
    std::vector<double> smooth_;
};

class WindowCounter {
public:
    Summary finish(const std::vector<Visit>& visits) {
        for (const Visit& v : visits) ++seen_[v.visitor];
        Summary s;
        s.distinct = seen_.size();
        for (const auto& [who, n] : seen_) {
            if (n > s.most || (n == s.most && who < s.busiest)) s.most = n, s.busiest = who;
            double p = static_cast<double>(n) / visits.size();
            s.entropy -= p * std::log2(p);
        }
        auto start = Clock::now();
        seen_.clear();  // FAULT container-clears
        clearing_ += Clock::now() - start;
        return s;
    }
    double clearing() const { return std::chrono::duration<double>(clearing_).count(); }

private:
    std::unordered_map<uint64_t, uint32_t> seen_;
    Clock::duration clearing_{};
};

int main() {
    VisitLog log(2024);
    WindowCounter counter;
    PageStats pages;
    std::vector<Visit> visits;

    log.read(visits, 1100000, 1ull << 40);
    Summary old = counter.finish(visits);
    pages.add(visits);
    printf("old visits: %zu visitors, %zu pages rising\n", old.distinct, pages.roll());
    double first = counter.clearing();

    double entropy = 0;
    size_t distinct = 0, rising = 0;
    for (int window = 0; window < 13000; ++window) {
        log.read(visits, 600, 700);
        Summary s = counter.finish(visits);
        pages.add(visits);
        rising += pages.roll();
        entropy += s.entropy;
        distinct += s.distinct;
    }
    printf("windows: %.1f visitors, entropy %.3f, rising %zu\n", distinct / 13000.0, entropy / 13000, rising);
    printf("truth %.3f\n", counter.clearing() - first);
}
