// Counts words and word pairs in a large generated text on all cores and prints the most frequent.
//
// Sound: nothing is wrong. Each thread counts its own part into its own maps, keyed by string_view
//   into the shared text; the maps are merged once under a mutex at the end; the time goes to
//   hashing and counting, which is the job.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

using Clock = std::chrono::steady_clock;
static double since(Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); }

static std::string make_text(std::size_t words) {
    std::mt19937 rng(17);
    std::vector<std::string> vocab(1500);
    for (auto& w : vocab) {
        int len = 3 + rng() % 8;
        for (int i = 0; i < len; ++i) w += char('a' + rng() % 26);
    }
    std::string text;
    text.reserve(words * 9);
    std::uniform_real_distribution<double> u(0, 1);
    for (std::size_t i = 0; i < words; ++i) {
        double x = u(rng);
        text += vocab[std::size_t(x * x * x * vocab.size())];
        text += i % 14 == 13 ? '\n' : ' ';
    }
    return text;
}

struct Census {
    std::unordered_map<std::string_view, std::uint32_t> words;
    std::unordered_map<std::string_view, std::uint32_t> pairs;
    std::uint64_t letters = 0;
    void merge(const Census& o) {
        for (auto& kv : o.words) words[kv.first] += kv.second;
        for (auto& kv : o.pairs) pairs[kv.first] += kv.second;
        letters += o.letters;
    }
};

static Census count(std::string_view text) {
    Census c;
    c.words.reserve(4000);
    c.pairs.reserve(1000000);
    std::size_t i = 0, prev = std::string_view::npos;
    while (i < text.size()) {
        std::size_t e = text.find_first_of(" \n", i);
        if (e == std::string_view::npos) e = text.size();
        if (e > i) {
            ++c.words[text.substr(i, e - i)];
            if (prev != std::string_view::npos) ++c.pairs[text.substr(prev, e - prev)];
            c.letters += e - i;
            prev = e < text.size() && text[e] == '\n' ? std::string_view::npos : i;
        }
        i = e + 1;
    }
    return c;
}

template <class Map>
static void print_top(const char* title, const Map& m, std::size_t n) {
    std::vector<std::pair<std::uint32_t, std::string_view>> v;
    v.reserve(m.size());
    for (auto& kv : m) v.emplace_back(kv.second, kv.first);
    n = std::min(n, v.size());
    std::partial_sort(v.begin(), v.begin() + n, v.end(), std::greater<>());
    std::printf("%s (%zu different):\n", title, m.size());
    for (std::size_t i = 0; i < n; ++i) std::printf("  %8u %.*s\n", v[i].first, int(v[i].second.size()), v[i].second.data());
}

int main() {
    auto start = Clock::now();
    const std::string text = make_text(8000000);
    const unsigned n = std::max(2u, std::thread::hardware_concurrency());
    std::vector<std::size_t> cut(n + 1, text.size());
    cut[0] = 0;
    for (unsigned t = 1; t < n; ++t) cut[t] = std::min(text.size(), text.find('\n', text.size() / n * t) + 1);
    Census all;
    std::mutex m;
    std::vector<std::thread> pool;
    for (unsigned t = 0; t < n; ++t)
        pool.emplace_back([&, t] {
            Census c = count(std::string_view(text).substr(cut[t], cut[t + 1] - cut[t]));
            std::lock_guard<std::mutex> lk(m);
            if (all.words.empty()) all = std::move(c);
            else all.merge(c);
        });
    for (auto& th : pool) th.join();
    print_top("words", all.words, 8);
    print_top("pairs", all.pairs, 8);
    std::printf("%.1f letters a word\n", double(all.letters) / 8e6);
    std::printf("total %.2f\n", since(start));
}
