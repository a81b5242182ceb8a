// Loads a dealer's price list (one article a line), builds an index over it
// and prices a day's worth of orders with it.
//
// What is wrong: the list lies in one big buffer and sscanf is called on the
// middle of it; each call first measures the rest of the buffer (strlen).
// First screen should say: some 40 % of the run is strlen (__strlen_*) below
// sscanf, called for each line over the whole rest of the text; own line the
// sscanf in parse_list.
// Mend: copy the line into a small buffer and sscanf that.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

using Clock = std::chrono::steady_clock;

struct Article {
    char code[16];
    int group;
    double price;
    int stock;
};

struct Order {
    uint32_t article;
    int pieces;
};

static double since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

static std::string write_list(int articles) {
    std::mt19937 rng(17);
    auto draw = [&rng](unsigned below) { return static_cast<unsigned>(rng() % below); };
    std::string text;
    char line[128];
    for (int i = 0; i < articles; ++i) {
        int n = snprintf(line, sizeof line, "A%07d;%u;%.2f;%u;spare part for series %u, boxed\n", i,
                         draw(40), draw(100000) / 100.0 + 0.5, draw(500), draw(900));
        text.append(line, n);
    }
    return text;
}

static std::vector<Article> parse_list(const std::string& text) {
    std::vector<Article> list;
    const char* at = text.c_str();
    while (*at) {
        Article a;
        const char* end = strchr(at, '\n');
        if (sscanf(at, "%15[^;];%d;%lf;%d", a.code, &a.group, &a.price, &a.stock) == 4)  // FAULT string-lengths
            list.push_back(a);
        at = end + 1;
    }
    return list;
}

class Pricing {
public:
    explicit Pricing(std::vector<Article> list) : list_(std::move(list)), rebate_(40) {
        for (uint32_t i = 0; i < list_.size(); ++i) by_code_.emplace(list_[i].code, i);
        for (int g = 0; g < 40; ++g) rebate_[g] = 1.0 - g % 7 * 0.01;
    }
    uint32_t find(const std::string& code) const {
        auto it = by_code_.find(code);
        return it == by_code_.end() ? UINT32_MAX : it->second;
    }
    double price(const Order& o) const {
        const Article& a = list_[o.article];
        double scale = o.pieces > 100 ? 0.9 : o.pieces > 10 ? 0.95 : 1.0;
        return a.price * o.pieces * scale * rebate_[a.group];
    }
    size_t size() const { return list_.size(); }

private:
    std::vector<Article> list_;
    std::unordered_map<std::string, uint32_t> by_code_;
    std::vector<double> rebate_;
};

static std::vector<Order> draw_orders(const Pricing& pricing, int count, uint32_t seed) {
    std::mt19937 rng(seed);
    std::vector<Order> orders;
    orders.reserve(count);
    char code[16];
    for (int i = 0; i < count; ++i) {
        snprintf(code, sizeof code, "A%07u", static_cast<unsigned>(rng() % (pricing.size() + 20)));
        uint32_t found = pricing.find(code);
        if (found != UINT32_MAX) orders.push_back({found, static_cast<int>(rng() % 150) + 1});
    }
    return orders;
}

// Median and sum of the day's orders, per customer of 64.
static double close_day(const Pricing& pricing, const std::vector<Order>& orders) {
    std::vector<std::vector<double>> customer(64);
    for (size_t i = 0; i < orders.size(); ++i)
        customer[i * 2654435761u >> 7 & 63].push_back(pricing.price(orders[i]));
    double result = 0;
    for (auto& bills : customer) {
        std::sort(bills.begin(), bills.end());
        result += bills[bills.size() / 2] + std::accumulate(bills.begin(), bills.end(), 0.0) / bills.size();
    }
    return result;
}

int main() {
    std::string text = write_list(82000);
    auto start = Clock::now();
    std::vector<Article> list = parse_list(text);
    double parse = since(start);
    Pricing pricing(std::move(list));
    printf("%zu articles\n", pricing.size());
    double total = 0;
    for (int day = 0; day < 16; ++day) total += close_day(pricing, draw_orders(pricing, 500000, 100 + day));
    printf("sixteen days: %.2f\n", total);
    printf("truth %.3f\n", parse);
}
