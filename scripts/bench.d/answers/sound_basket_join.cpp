// Join order lines with products and aggregate revenue per category on two threads.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <random>
#include <thread>
#include <unordered_map>
#include <vector>

constexpr int kCategories = 32;

struct Product {
    uint32_t category;
    float price;
};

struct Line {
    uint64_t product;
    uint32_t units;
};

using Catalogue = std::unordered_map<uint64_t, Product>;
using Totals = std::array<double, kCategories>;

Catalogue build_catalogue(const std::vector<uint64_t>& ids, std::mt19937_64& rng) {
    Catalogue catalogue;
    catalogue.reserve(ids.size());
    for (uint64_t id : ids)
        catalogue.emplace(id, Product{uint32_t(rng() % kCategories), float(rng() % 5000) / 100});
    return catalogue;
}

std::vector<Line> build_lines(const std::vector<uint64_t>& ids, size_t n, uint64_t seed) {
    std::mt19937_64 rng(seed);
    std::vector<Line> lines;
    lines.reserve(n);
    for (size_t i = 0; i < n; ++i) {
        uint64_t r = rng();
        lines.push_back({ids[r % ids.size()], uint32_t(r >> 60) + 1});
    }
    return lines;
}

Totals aggregate(const Catalogue& catalogue, const std::vector<Line>& lines) {
    Totals totals{};
    for (const Line& line : lines) {
        auto it = catalogue.find(line.product);
        if (it != catalogue.end()) totals[it->second.category] += line.units * it->second.price;
    }
    return totals;
}

Totals process_day(const Catalogue& catalogue, const std::vector<uint64_t>& ids, int day) {
    std::array<Totals, 2> parts;
    auto shop = [&](int half) {
        std::vector<Line> lines = build_lines(ids, 2'000'000, day * 2 + half + 1);
        parts[half] = aggregate(catalogue, lines);
    };
    std::thread other(shop, 0);
    shop(1);
    other.join();
    for (int c = 0; c < kCategories; ++c) parts[0][c] += parts[1][c];
    return parts[0];
}

int main() {
    std::mt19937_64 rng(2024);
    std::vector<uint64_t> ids(20000);
    for (auto& id : ids) id = rng();
    Catalogue catalogue = build_catalogue(ids, rng);
    double grand = 0;
    for (int day = 0; day < 30; ++day) {
        Totals totals = process_day(catalogue, ids, day);
        double top = *std::max_element(totals.begin(), totals.end());
        for (double t : totals) grand += t;
        std::printf("day %2d top category %.2f\n", day, top);
    }
    std::printf("total %.2f\n", grand);
    return 0;
}
