// Builds a road network (a grid with some roads missing and some short cuts)
// and works out travel times from a number of depots.
//
// What is wrong: every crossing reserves room for 64 roads and has about four;
// 300 000 crossings keep some 200 MB of room that is never used.
// First screen should say: the memory is held by the road lists of the
// crossings (vector::reserve in RoadNet's constructor), filled to 6 %; own
// line the reserve.
// Mend: count first, reserve what is needed.
#include <sys/resource.h>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <queue>
#include <random>
#include <vector>

struct Road {
    uint32_t to;
    float minutes;
    uint32_t kind;
};

struct Crossing {
    float x, y;
    std::vector<Road> roads;
};

struct Segment {
    uint32_t a, b;
    float minutes;
    uint32_t kind;
};

static std::vector<Segment> survey(uint32_t side, uint32_t seed) {
    std::mt19937 rng(seed);
    std::vector<Segment> out;
    auto speed = [&](uint32_t kind) { return (kind ? 0.4f : 1.0f) * (0.5f + rng() % 1000 / 1000.0f); };
    for (uint32_t y = 0; y < side; ++y)
        for (uint32_t x = 0; x < side; ++x) {
            uint32_t here = y * side + x, kind = rng() % 10 == 0;
            if (x + 1 < side && rng() % 12) out.push_back({here, here + 1, speed(kind), kind});
            if (y + 1 < side && rng() % 12) out.push_back({here, here + side, speed(kind), kind});
            if (rng() % 400 == 0) out.push_back({here, static_cast<uint32_t>(rng() % (side * side)), 25.0f, 2});
        }
    return out;
}

class RoadNet {
public:
    RoadNet(uint32_t side, const std::vector<Segment>& segments) : crossings_(side * side) {
        std::vector<uint32_t> degree(crossings_.size());
        for (const Segment& s : segments) ++degree[s.a], ++degree[s.b];
        for (uint32_t i = 0; i < crossings_.size(); ++i) {
            crossings_[i].x = i % side;
            crossings_[i].y = i / side;
            crossings_[i].roads.reserve(64);  // FAULT none
        }
        for (const Segment& s : segments) {
            crossings_[s.a].roads.push_back({s.b, s.minutes, s.kind});
            crossings_[s.b].roads.push_back({s.a, s.minutes, s.kind});
        }
        for (uint32_t d : degree) busiest_ = d > busiest_ ? d : busiest_;
    }
    size_t size() const { return crossings_.size(); }
    uint32_t busiest() const { return busiest_; }
    const Crossing& at(uint32_t i) const { return crossings_[i]; }
    double spare() const {
        double bytes = 0;
        for (const Crossing& c : crossings_) bytes += (c.roads.capacity() - c.roads.size()) * sizeof(Road);
        return bytes;
    }

private:
    std::vector<Crossing> crossings_;
    uint32_t busiest_ = 0;
};

class TravelTimes {
public:
    explicit TravelTimes(const RoadNet& net) : net_(net), minutes_(net.size()) {}

    // Dijkstra from the depot; lorries may not use the short cuts.
    void run(uint32_t depot, bool lorry) {
        using Entry = std::pair<float, uint32_t>;
        std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
        minutes_.assign(net_.size(), 1e9f);
        minutes_[depot] = 0;
        open.push({0, depot});
        while (!open.empty()) {
            auto [m, here] = open.top();
            open.pop();
            if (m > minutes_[here]) continue;
            for (const Road& r : net_.at(here).roads) {
                if (lorry && r.kind == 2) continue;
                float next = m + r.minutes;
                if (next < minutes_[r.to]) {
                    minutes_[r.to] = next;
                    open.push({next, r.to});
                }
            }
        }
    }
    double mean() const {
        double sum = 0;
        size_t n = 0;
        for (float m : minutes_)
            if (m < 1e8f) sum += m, ++n;
        return sum / n;
    }

private:
    const RoadNet& net_;
    std::vector<float> minutes_;
};

int main() {
    const uint32_t side = 550;
    RoadNet net(side, survey(side, 5));
    TravelTimes times(net);
    std::mt19937 rng(1);
    double total = 0;
    for (int depot = 0; depot < 30; ++depot) {
        times.run(rng() % net.size(), depot % 2);
        total += times.mean();
    }
    rusage use;
    getrusage(RUSAGE_SELF, &use);
    printf("%zu crossings, at most %u roads, mean %.3f minutes\n", net.size(), net.busiest(), total / 30);
    printf("peak %ld MB\n", use.ru_maxrss / 1024);
    printf("truth %.0f MB\n", net.spare() / 1e6);
}
