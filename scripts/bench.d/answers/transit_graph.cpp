// Builds a public transport graph with departures per stop and answers earliest-arrival queries.
//
// What is wrong: each stop has a std::deque, which takes 576 bytes and more, though most stops have few departures.
// First screen should say: most of the memory at the peak is what these deques take when they are made.
// Mend: std::vector.
#include <algorithm>
#include <cstdint>
#include <cstdio>

#include <deque>
#include <queue>
#include <vector>

struct Departure {
    uint32_t minute;
    uint32_t target;
    uint32_t duration;
};

struct Stop {  // FAULT small-deques
    std::deque<Departure> departures;
    float x = 0, y = 0;
};

static constexpr uint32_t kSide = 560;
static constexpr uint32_t kStops = kSide * kSide;
static constexpr uint32_t kLines = 34000;
static constexpr uint32_t kLineLength = 150;
static constexpr int kQueries = 24;

class Random {
public:
    explicit Random(uint64_t seed) : state_(seed) {}
    uint32_t below(uint32_t n) {
        state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
        return uint32_t((state_ >> 33) % n);
    }

private:
    uint64_t state_;
};

class Network {
public:
    Network() : stops_(kStops) {  // FAULT small-deques
        for (uint32_t i = 0; i < kStops; ++i) {
            stops_[i].x = float(i % kSide);
            stops_[i].y = float(i / kSide);
        }
    }

    void addLine(uint32_t start, int dx, int dy, uint32_t firstMinute, Random& random) {
        int x = int(start % kSide), y = int(start / kSide);
        uint32_t minute = firstMinute;
        for (uint32_t k = 0; k < kLineLength; ++k) {
            if (random.below(12) == 0) std::swap(dx, dy);
            int nx = x + dx, ny = y + dy;
            if (nx < 0 || ny < 0 || nx >= int(kSide) || ny >= int(kSide)) return;
            uint32_t ride = 1 + random.below(4);
            stops_[uint32_t(y) * kSide + uint32_t(x)].departures.push_back(
                {minute % 1440, uint32_t(ny) * kSide + uint32_t(nx), ride});
            minute += ride;
            x = nx;
            y = ny;
        }
    }

    void sortDepartures() {
        for (Stop& stop : stops_)
            std::sort(stop.departures.begin(), stop.departures.end(),
                      [](const Departure& a, const Departure& b) {
                          return a.minute != b.minute ? a.minute < b.minute : a.target < b.target;
                      });
    }

    // Earliest arrivals from one stop, riding or walking to the neighbouring stops.
    std::vector<uint32_t> arrivals(uint32_t from, uint32_t start) const {
        std::vector<uint32_t> best(kStops, UINT32_MAX);
        using Entry = std::pair<uint32_t, uint32_t>;
        std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> queue;
        best[from] = start;
        queue.push({start, from});
        auto relax = [&](uint32_t stop, uint32_t minute) {
            if (minute < best[stop]) {
                best[stop] = minute;
                queue.push({minute, stop});
            }
        };
        while (!queue.empty()) {
            auto [minute, stop] = queue.top();
            queue.pop();
            if (minute > best[stop]) continue;
            const auto& list = stops_[stop].departures;
            auto it = std::lower_bound(list.begin(), list.end(), minute % 1440,
                                       [](const Departure& d, uint32_t m) { return d.minute < m; });
            for (; it != list.end(); ++it)
                relax(it->target, minute - minute % 1440 + it->minute + it->duration);
            uint32_t x = stop % kSide, y = stop / kSide;
            const uint32_t walk = minute + 14;
            if (x > 0) relax(stop - 1, walk);
            if (x + 1 < kSide) relax(stop + 1, walk);
            if (y > 0) relax(stop - kSide, walk);
            if (y + 1 < kSide) relax(stop + kSide, walk);
        }
        return best;
    }

    size_t departureCount() const {
        size_t count = 0;
        for (const Stop& stop : stops_) count += stop.departures.size();
        return count;
    }

private:
    std::vector<Stop> stops_;
};

// Not ru_maxrss, which begins with what the parent had.
static long long highestResident() {
    long long kib = 0;
    char line[256];
    if (std::FILE* status = std::fopen("/proc/self/status", "r")) {
        while (std::fgets(line, sizeof line, status))
            if (std::sscanf(line, "VmHWM: %lld", &kib) == 1) break;
        std::fclose(status);
    }
    return kib * 1024;
}

int main() {
    Random random(20240501);
    Network network;
    static const int steps[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    for (uint32_t line = 0; line < kLines; ++line) {
        const int* step = steps[random.below(4)];
        network.addLine(random.below(kStops), step[0], step[1], random.below(1440), random);
    }
    network.sortDepartures();
    uint64_t sum = 0;
    uint32_t furthest = 0;
    for (int q = 0; q < kQueries; ++q) {
        std::vector<uint32_t> best = network.arrivals(random.below(kStops), 300 + random.below(600));
        for (uint32_t i = 0; i < kStops; i += 97) sum += best[i];
        furthest = std::max(furthest, *std::max_element(best.begin(), best.end()));
    }
    std::printf("stops %u departures %zu sum %llu furthest %u min\n", kStops,
                network.departureCount(), (unsigned long long)sum, furthest);
    std::printf("truth %lld bytes\n", highestResident() - 106'000'000);
}
