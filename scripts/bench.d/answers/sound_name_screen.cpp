// Screens customer names against a watch list by edit distance (bit-parallel, one machine
// word per name) with two threads that draw chunks of customers from a shared counter.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

struct Hit {
    uint32_t customer, entry;
    int distance;
};

// All names in one buffer, found by offsets.
class NameTable {
public:
    void reserve(size_t names, size_t chars) {
        start_.reserve(names + 1);
        text_.reserve(chars);
    }
    void add(const char* s, size_t n) {
        for (size_t i = 0; i < n; ++i) text_.push_back(uint8_t(s[i] - 'a'));
        start_.push_back(uint32_t(text_.size()));
    }
    void addCodes(const uint8_t* b, const uint8_t* e) {
        text_.insert(text_.end(), b, e);
        start_.push_back(uint32_t(text_.size()));
    }
    size_t size() const { return start_.size() - 1; }
    const uint8_t* begin(size_t i) const { return text_.data() + start_[i]; }
    const uint8_t* end(size_t i) const { return text_.data() + start_[i + 1]; }
    size_t length(size_t i) const { return start_[i + 1] - start_[i]; }

private:
    std::vector<uint32_t> start_{0};
    std::vector<uint8_t> text_;
};

NameTable makeNames(size_t count, uint64_t seed) {
    static const char* parts[] = {"an", "ber", "cor", "dal", "el", "fen", "gor", "hil", "is", "jon", "kar", "lin", "mar", "nor", "ol", "pet"};
    NameTable t;
    t.reserve(count, count * 14);
    uint64_t s = seed;
    std::string name;
    for (size_t i = 0; i < count; ++i) {
        s = s * 6364136223846793005ull + 1442695040888963407ull;
        uint64_t bits = s >> 20;
        name.clear();
        for (int k = 0, n = 3 + int(bits % 4); k < n; ++k) name += parts[(bits >> (4 + 4 * k)) & 15];
        t.add(name.data(), name.size());
    }
    return t;
}

// The watch list ordered by length, so that a search sees only lengths within its limit.
struct WatchList {
    explicit WatchList(const NameTable& names) : id(names.size()) {
        std::iota(id.begin(), id.end(), 0u);
        std::stable_sort(id.begin(), id.end(), [&](uint32_t a, uint32_t b) { return names.length(a) < names.length(b); });
        table.reserve(names.size(), names.size() * 14);
        for (uint32_t i : id) table.addCodes(names.begin(i), names.end(i));
        for (size_t len = 0; len < from.size(); ++len)
            from[len] = std::partition_point(id.begin(), id.end(), [&](uint32_t i) { return names.length(i) < len; }) - id.begin();
    }
    size_t firstOf(size_t len) const { return from[std::min(len, from.size() - 1)]; }
    std::vector<uint32_t> id;
    NameTable table;
    std::array<size_t, 64> from{};
};

class Pattern {
public:
    void set(const uint8_t* b, const uint8_t* e) {
        peq_.fill(0);
        uint64_t bit = 1;
        for (; b != e; ++b, bit <<= 1) peq_[*b] |= bit;
        last_ = bit >> 1;
    }
    int distance(size_t m, const uint8_t* b, const uint8_t* e) const {
        uint64_t pv = ~0ull, mv = 0;
        int score = int(m);
        for (; b != e; ++b) {
            uint64_t eq = peq_[*b];
            uint64_t xv = eq | mv;
            uint64_t xh = (((eq & pv) + pv) ^ pv) | eq;
            uint64_t ph = mv | ~(xh | pv), mh = pv & xh;
            score += (ph & last_) != 0;
            score -= (mh & last_) != 0;
            ph = ph << 1 | 1;
            pv = mh << 1 | ~(xv | ph);
            mv = ph & xv;
        }
        return score;
    }

private:
    std::array<uint64_t, 32> peq_{};
    uint64_t last_ = 0;
};

class Screener {
public:
    Screener(const NameTable& customers, const WatchList& watch) : customers_(customers), watch_(watch) {}

    std::vector<Hit> run(unsigned threads, int limit) {
        std::vector<std::vector<Hit>> found(threads);
        std::vector<std::thread> team;
        for (unsigned i = 1; i < threads; ++i) team.emplace_back([&, i] { found[i] = work(limit); });
        found[0] = work(limit);
        for (auto& t : team) t.join();
        std::vector<Hit> all = std::move(found[0]);
        for (unsigned i = 1; i < threads; ++i) all.insert(all.end(), found[i].begin(), found[i].end());
        std::sort(all.begin(), all.end(), [](const Hit& a, const Hit& b) {
            return a.customer != b.customer ? a.customer < b.customer : a.entry < b.entry;
        });
        return all;
    }

private:
    std::vector<Hit> work(int limit) {
        constexpr size_t kChunk = 64;
        std::vector<Hit> hits;
        Pattern pattern;
        for (size_t from; (from = next_.fetch_add(kChunk, std::memory_order_relaxed)) < customers_.size();) {
            size_t to = std::min(from + kChunk, customers_.size());
            for (size_t c = from; c < to; ++c) {
                size_t m = customers_.length(c);
                pattern.set(customers_.begin(c), customers_.end(c));
                size_t end = watch_.firstOf(m + limit + 1);
                for (size_t w = watch_.firstOf(m > size_t(limit) ? m - limit : 0); w < end; ++w) {
                    int d = pattern.distance(m, watch_.table.begin(w), watch_.table.end(w));
                    if (d <= limit) hits.push_back({uint32_t(c), watch_.id[w], d});
                }
            }
        }
        return hits;
    }
    const NameTable& customers_;
    const WatchList& watch_;
    std::atomic<size_t> next_{0};
};

int main(int argc, char** argv) {
    size_t customers = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 175000;
    NameTable people = makeNames(customers, 99), watch = makeNames(5000, 4711);
    unsigned threads = std::max(1u, std::thread::hardware_concurrency());
    WatchList list(watch);
    auto hits = Screener(people, list).run(threads, 1);
    size_t exact = std::count_if(hits.begin(), hits.end(), [](const Hit& h) { return h.distance == 0; });
    std::printf("%zu customers, %zu hits, %zu exact\n", people.size(), hits.size(), exact);
    std::printf("truth 0\n");
}
