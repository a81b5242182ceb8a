// Plans delivery rounds with an ant colony: builds neighbour lists, lets ants walk, polishes with 2-opt.
//
// What is wrong: the pheromone table is an unordered_map keyed by a pair of stop numbers, and its
//   hash is the well-known  hash(from) ^ hash(to).  Stops are numbered street by street, so
//   neighbours have close numbers and the xor yields a few hundred different values for ~36,000
//   edges: every lookup walks a chain of hundreds of nodes.
// First screen should say: most of the run is spent finding keys in the unordered_map (walking long
//   chains / comparing keys) called from PheromoneTable::at in Colony::gather; cause: EdgeHash
//   collides; line: the return in EdgeHash::operator(); amount: the seconds printed as "truth".
// Mend: mix the two halves (combine into 64 bits and multiply/shift) instead of xor.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <random>
#include <unordered_map>
#include <vector>

using Clock = std::chrono::steady_clock;
static double since(Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); }

struct Stop { double lat, lon; };

struct Edge {
    int from, to;
    bool operator==(const Edge& o) const { return from == o.from && to == o.to; }
};
struct EdgeHash {
    std::size_t operator()(const Edge& e) const {
        return std::hash<int>()(e.from) ^ std::hash<int>()(e.to);  // FAULT equal-hashes
    }
};

class PheromoneTable {
public:
    explicit PheromoneTable(std::size_t expected) { table_.reserve(expected); }
    void add(Edge e, float v) { table_.emplace(e, v); }
    float& at(Edge e) { return table_.find(e)->second; }
    void evaporate(float keep) { for (auto& kv : table_) kv.second = std::max(0.01f, kv.second * keep); }
    std::size_t size() const { return table_.size(); }
private:
    std::unordered_map<Edge, float, EdgeHash> table_;
};

static double haversine(const Stop& a, const Stop& b) {
    const double rad = M_PI / 180.0;
    double dlat = (b.lat - a.lat) * rad, dlon = (b.lon - a.lon) * rad;
    double s = std::sin(dlat / 2), t = std::sin(dlon / 2);
    double h = s * s + std::cos(a.lat * rad) * std::cos(b.lat * rad) * t * t;
    return 12742.0 * std::asin(std::sqrt(h));
}

static std::vector<Stop> make_stops(int rows, int cols, std::mt19937& rng) {
    std::uniform_real_distribution<double> jitter(-0.0002, 0.0002);
    std::vector<Stop> v;
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < cols; ++c) v.push_back({52.0 + r * 0.001 + jitter(rng), 13.0 + c * 0.0015 + jitter(rng)});
    return v;
}

struct Neighbour { int id; float km; };
static std::vector<std::vector<Neighbour>> nearest(const std::vector<Stop>& stops, int k) {
    std::vector<std::vector<Neighbour>> out(stops.size());
    std::vector<Neighbour> row(stops.size());
    for (std::size_t i = 0; i < stops.size(); ++i) {
        for (std::size_t j = 0; j < stops.size(); ++j) row[j] = {int(j), i == j ? 1e9f : float(haversine(stops[i], stops[j]))};
        std::partial_sort(row.begin(), row.begin() + k, row.end(), [](auto& a, auto& b) { return a.km < b.km; });
        out[i].assign(row.begin(), row.begin() + k);
    }
    return out;
}

class Colony {
public:
    Colony(const std::vector<std::vector<Neighbour>>& nb, unsigned seed) : nb_(nb), pher_(nb.size() * 12), rng_(seed) {
        auto t = Clock::now();
        for (std::size_t i = 0; i < nb.size(); ++i)
            for (auto& n : nb[i]) pher_.add({int(i), n.id}, 1.0f);
        lookup_s += since(t);
    }
    double walk(int start, int steps, std::vector<int>& path) {
        double km = 0;
        int cur = start;
        path.assign(1, start);
        std::vector<float> w(nb_[0].size());
        for (int s = 0; s < steps; ++s) {
            gather(cur, w);
            for (std::size_t i = 0; i < w.size(); ++i) w[i] *= std::pow(1.0f / (0.05f + nb_[cur][i].km), 2.5f);
            float total = std::accumulate(w.begin(), w.end(), 0.0f);
            float pick = std::uniform_real_distribution<float>(0, total)(rng_);
            std::size_t i = 0;
            while (i + 1 < w.size() && (pick -= w[i]) > 0) ++i;
            km += nb_[cur][i].km;
            cur = nb_[cur][i].id;
            path.push_back(cur);
        }
        return km;
    }
    void reinforce(const std::vector<int>& path, float amount) {
        auto t = Clock::now();
        for (std::size_t i = 1; i < path.size(); ++i) pher_.at({path[i - 1], path[i]}) += amount;
        lookup_s += since(t);
    }
    void evaporate() { pher_.evaporate(0.9f); }
    double lookup_s = 0;
private:
    void gather(int cur, std::vector<float>& w) {
        auto t = Clock::now();
        for (std::size_t i = 0; i < w.size(); ++i) w[i] = pher_.at({cur, nb_[cur][i].id});
        lookup_s += since(t);
    }
    const std::vector<std::vector<Neighbour>>& nb_;
    PheromoneTable pher_;
    std::mt19937 rng_;
};

static double two_opt(std::vector<int>& tour, const std::vector<Stop>& stops, int rounds) {
    double gain = 0;
    for (int r = 0; r < rounds; ++r)
        for (std::size_t i = 1; i + 2 < tour.size(); ++i)
            for (std::size_t j = i + 1; j + 1 < tour.size() && j < i + 200; ++j) {
                const Stop &a = stops[tour[i - 1]], &b = stops[tour[i]], &c = stops[tour[j]], &d = stops[tour[j + 1]];
                double delta = haversine(a, b) + haversine(c, d) - haversine(a, c) - haversine(b, d);
                if (delta > 1e-9) { std::reverse(tour.begin() + i, tour.begin() + j + 1); gain += delta; }
            }
    return gain;
}

int main() {
    auto start = Clock::now();
    std::mt19937 rng(7);
    auto stops = make_stops(50, 60, rng);
    auto nb = nearest(stops, 12);
    Colony colony(nb, 11);
    std::vector<int> path, best;
    double best_km = 1e18;
    for (int it = 0; it < 14; ++it) {
        for (int ant = 0; ant < 40; ++ant) {
            double km = colony.walk(rng() % stops.size(), 150, path);
            if (km < best_km) { best_km = km; best = path; }
        }
        colony.evaporate();
        colony.reinforce(best, 0.5f);
    }
    std::vector<int> tour(stops.size());
    std::iota(tour.begin(), tour.end(), 0);
    std::shuffle(tour.begin(), tour.begin() + 1500, rng);
    double gain = two_opt(tour, stops, 8);
    std::printf("best walk %.2f km, 2-opt gained %.1f km\n", best_km, gain);
    std::printf("total %.2f\ntruth %.2f\n", since(start), colony.lookup_s);
}
