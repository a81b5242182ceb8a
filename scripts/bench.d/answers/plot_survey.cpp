// Plot survey: marks the occupied cells of a survey grid, counts the neighbours of
// each, finds the connected plots, and lets the growth run for some seasons.
//
// What is wrong: CellHash combines the coordinates by x ^ y.  Both lie in 0..1023,
// so that some 110000 cells share 1024 hash values; each look-up walks through a
// chain of dozens of cells.
// First screen should say: most of the time is in look-ups of unordered_set/map<Cell>
// (_M_find_before_node) in Survey::neighbours and flood, because CellHash
// (line marked FAULT) makes only 1024 different values.
// Mend: combine properly, e.g. (uint64_t(x) << 32 | y) times a large odd number.
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <unordered_map>
#include <vector>

using Clock = std::chrono::steady_clock;

struct Cell {
    int x, y;
    bool operator==(const Cell& other) const { return x == other.x && y == other.y; }
};

struct CellHash {
    size_t operator()(const Cell& cell) const {
        return std::hash<int>()(cell.x) ^ std::hash<int>()(cell.y);  // FAULT equal-hashes
    }
};

struct Plant {
    float height = 0;
    int plot = -1;
    int neighbours = 0;
};

class Survey {
public:
    Survey(int side, unsigned seed) : side_(side), rng_(seed) {}

    void sow(int clumps, int perClump) {
        std::uniform_int_distribution<int> anywhere(0, side_ - 1);
        std::normal_distribution<float> around(0, 14);
        for (int c = 0; c < clumps; ++c) {
            int cx = anywhere(rng_), cy = anywhere(rng_);
            for (int i = 0; i < perClump; ++i) {
                int x = cx + int(around(rng_)), y = cy + int(around(rng_));
                if (x < 0 || y < 0 || x >= side_ || y >= side_) continue;
                plants_[Cell{x, y}].height += 1.0f;
            }
        }
    }

    void countNeighbours() {
        for (auto& [cell, plant] : plants_) {
            plant.neighbours = 0;
            for (int dx = -1; dx <= 1; ++dx)
                for (int dy = -1; dy <= 1; ++dy)
                    if ((dx || dy) && plants_.count(Cell{cell.x + dx, cell.y + dy})) ++plant.neighbours;
        }
    }

    int findPlots() {
        int plots = 0;
        std::vector<Cell> open;
        for (auto& entry : plants_) {
            if (entry.second.plot >= 0) continue;
            entry.second.plot = plots;
            open.push_back(entry.first);
            while (!open.empty()) {
                Cell cell = open.back();
                open.pop_back();
                flood(Cell{cell.x + 1, cell.y}, plots, open);
                flood(Cell{cell.x - 1, cell.y}, plots, open);
                flood(Cell{cell.x, cell.y + 1}, plots, open);
                flood(Cell{cell.x, cell.y - 1}, plots, open);
            }
            ++plots;
        }
        return plots;
    }

    double grow(int seasons) {
        double total = 0;
        for (auto& entry : plants_) {
            Plant& plant = entry.second;
            double light = 1.0 - plant.neighbours / 12.0;
            double height = plant.height;
            for (int s = 0; s < seasons; ++s)
                height += 0.05 * light * std::exp(-height / 40.0) * (1 + 0.3 * std::sin(s * 0.7 + entry.first.x));
            plant.height = float(height);
            total += height;
        }
        return total;
    }

    size_t size() const { return plants_.size(); }

private:
    void flood(Cell cell, int plot, std::vector<Cell>& open) {
        auto found = plants_.find(cell);
        if (found == plants_.end() || found->second.plot >= 0) return;
        found->second.plot = plot;
        open.push_back(cell);
    }

    int side_;
    std::mt19937 rng_;
    std::unordered_map<Cell, Plant, CellHash> plants_;
};

static double since(Clock::time_point began) {
    return std::chrono::duration<double>(Clock::now() - began).count();
}

int main() {
    double cells = 0, tally = 0;
    int plots = 0;
    size_t plants = 0;
    for (unsigned field = 0; field < 4; ++field) {
        Survey survey(1024, 40 + field);
        auto began = Clock::now();
        survey.sow(150, 1100);
        survey.countNeighbours();
        plots += survey.findPlots();
        cells += since(began);
        tally += survey.grow(250);
        plants += survey.size();
    }
    std::printf("%zu plants in %d plots, height %.1f\n", plants, plots, tally);
    double saved = cells - 0.54e-6 * double(plants);
    std::printf("truth %.3f\n", saved > 0 ? saved : 0.0);
}
