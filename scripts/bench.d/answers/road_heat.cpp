// Builds a visit heat map from GPS trips: snap each fix to a grid cell, count the visits
// per cell, then smooth the counts and report the busiest places.
//
// What is wrong: Cell hash x ^ (y<<1) puts ~120k cells into at most 1024 values: long chains in the unordered_map.
// Mend: Mix both coordinates (64-bit key times an odd constant, fold high bits).
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <unordered_map>
#include <vector>

using Clock = std::chrono::steady_clock;

struct Cell {
    int32_t x, y;
    bool operator==(const Cell& other) const { return x == other.x && y == other.y; }
};

struct CellHash {
    size_t operator()(const Cell& c) const noexcept {
        return std::hash<int32_t>{}(c.x) ^ (std::hash<int32_t>{}(c.y) << 1);  // FAULT equal-hashes
    }
};

struct Visit {
    uint32_t count = 0;
    float speed = 0;
};

struct Fix {
    double lat, lon;
    float speed;
};

constexpr double kUsualNs = 23;

class TripSource {
public:
    explicit TripSource(uint64_t seed) : rng_(seed) {}
    // One trip: a slightly wobbly drive through the city.
    void next(std::vector<Fix>& trip) {
        std::uniform_real_distribution<double> u(0, 1);
        std::normal_distribution<double> turn(0, 0.15);
        double lat = 48.0 + u(rng_) * 0.5, lon = 11.0 + u(rng_) * 0.5, dir = u(rng_) * 6.28;
        trip.clear();
        for (int i = 0; i < 900; ++i) {
            dir += turn(rng_);
            lat += 0.00035 * std::sin(dir);
            lon += 0.00035 * std::cos(dir);
            lat = std::clamp(lat, 48.0, 48.5);
            lon = std::clamp(lon, 11.0, 11.5);
            trip.push_back({lat, lon, float(30 + 20 * std::sin(dir * 3))});
        }
    }

private:
    std::mt19937_64 rng_;
};

// Three-point filter with the haversine step length as the weight.
void denoise(std::vector<Fix>& trip) {
    constexpr double rad = 3.14159265358979 / 180;
    for (int pass = 0; pass < 4; ++pass)
        for (size_t i = 1; i + 1 < trip.size(); ++i) {
            const Fix &a = trip[i - 1], &b = trip[i + 1];
            double s1 = std::sin((b.lat - a.lat) * rad / 2), s2 = std::sin((b.lon - a.lon) * rad / 2);
            double h = s1 * s1 + std::cos(a.lat * rad) * std::cos(b.lat * rad) * s2 * s2;
            double w = 0.3 / (1 + 1e4 * std::asin(std::sqrt(h)));
            trip[i].lat = (1 - w) * trip[i].lat + w * 0.5 * (a.lat + b.lat);
            trip[i].lon = (1 - w) * trip[i].lon + w * 0.5 * (a.lon + b.lon);
        }
}

class HeatMap {
public:
    void add(const std::vector<Cell>& cells, const std::vector<Fix>& trip) {
        auto t0 = Clock::now();
        for (size_t i = 0; i < cells.size(); ++i) {
            Visit& v = visits_[cells[i]];
            v.count++;
            v.speed += trip[i].speed;
        }
        spent_ += std::chrono::duration<double>(Clock::now() - t0).count();
        ops_ += cells.size();
    }

    void report(size_t n) const {
        std::vector<std::pair<Cell, Visit>> all(visits_.begin(), visits_.end());
        n = std::min(n, all.size());
        std::partial_sort(all.begin(), all.begin() + n, all.end(), [](auto& a, auto& b) {
            if (a.second.count != b.second.count) return a.second.count > b.second.count;
            return a.first.x != b.first.x ? a.first.x < b.first.x : a.first.y < b.first.y;
        });
        std::printf("%zu cells\n", all.size());
        for (size_t i = 0; i < n; ++i)
            std::printf("%4d %4d  %6u visits  %.1f km/h\n", all[i].first.x, all[i].first.y,
                        all[i].second.count, all[i].second.speed / all[i].second.count);
    }
    double saved() const { return spent_ - ops_ * kUsualNs * 1e-9; }

private:
    std::unordered_map<Cell, Visit, CellHash> visits_;
    double spent_ = 0;
    size_t ops_ = 0;
};

int main(int argc, char** argv) {
    int trips = argc > 1 ? std::atoi(argv[1]) : 15000;
    TripSource source(20240611);
    HeatMap heat;
    std::vector<Fix> trip;
    std::vector<Cell> cells;
    for (int t = 0; t < trips; ++t) {
        source.next(trip);
        denoise(trip);
        cells.clear();
        for (const Fix& f : trip)
            cells.push_back({int32_t((f.lat - 48.0) * 700), int32_t((f.lon - 11.0) * 700)});
        heat.add(cells, trip);
    }
    heat.report(8);
    std::printf("truth %.3f\n", heat.saved());
}
