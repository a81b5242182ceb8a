// Counts the k-mers of a set of contigs in two threads and reports the spectrum.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

static constexpr int kLength = 9;
static constexpr uint32_t kCodes = 1u << (2 * kLength);

class Sequencer {
public:
    explicit Sequencer(uint64_t seed) : state_(seed) {}
    std::string contig(size_t length) {
        std::string bases(length, 'A');
        for (size_t i = 0; i < length; ++i) {
            state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
            const uint32_t draw = state_ >> 60;
            bases[i] = draw < 5 ? 'A' : draw < 8 ? 'C' : draw < 11 ? 'G' : 'T';
        }
        return bases;
    }

private:
    uint64_t state_;
};

std::vector<std::string> readContigs(int count, size_t length) {
    Sequencer sequencer(2024);
    std::vector<std::string> contigs;
    for (int i = 0; i < count; ++i) contigs.push_back(sequencer.contig(length));
    return contigs;
}

inline uint32_t baseCode(char base) {
    switch (base) {
        case 'A': return 0;
        case 'C': return 1;
        case 'G': return 2;
        default: return 3;
    }
}

class KmerTable {
public:
    KmerTable() : counts_(kCodes, 0) {}

    void add(uint32_t code) {
        std::lock_guard<std::mutex> hold(mutex_);  // FAULT small-locks
        ++counts_[code];
    }
    const std::vector<uint32_t>& counts() const { return counts_; }

private:
    std::mutex mutex_;
    std::vector<uint32_t> counts_;
};

template <class Add>
void countContig(const std::string& contig, const Add& add) {
    uint32_t code = 0, reverse = 0;
    for (size_t i = 0; i < contig.size(); ++i) {
        const uint32_t base = baseCode(contig[i]);
        code = ((code << 2) | base) & (kCodes - 1);
        reverse = (reverse >> 2) | ((3 - base) << (2 * kLength - 2));
        if (i + 1 >= kLength) add(std::min(code, reverse));
    }
}

void countAll(const std::vector<std::string>& contigs, KmerTable& table) {
    std::atomic<size_t> next{0};
    auto work = [&] {
        for (size_t i = next++; i < contigs.size(); i = next++)
            countContig(contigs[i], [&](uint32_t code) { table.add(code); });
    };
    std::vector<std::thread> threads;
    for (int t = 0; t < 2; ++t) threads.emplace_back(work);
    for (auto& thread : threads) thread.join();
}

// Seconds that a part of it takes two threads which count by themselves.
double countApart(const std::vector<std::string>& contigs, size_t part) {
    const auto started = std::chrono::steady_clock::now();
    std::vector<std::thread> threads;
    for (size_t t = 0; t < 2; ++t)
        threads.emplace_back([&contigs, part, t] {
            std::vector<uint32_t> counts(kCodes, 0);
            for (size_t i = t; i < contigs.size() / part; i += 2)
                countContig(contigs[i], [&](uint32_t code) { ++counts[code]; });
        });
    for (auto& thread : threads) thread.join();
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - started;
    return spent.count();
}

// How many k-mers occur once, twice and so on, in bins that double.
std::vector<size_t> spectrum(const std::vector<uint32_t>& counts) {
    std::vector<size_t> bins(32, 0);
    for (uint32_t count : counts)
        if (count > 0) ++bins[31 - __builtin_clz(count)];
    return bins;
}

// Length of the longest suffix-prefix overlap of two contigs by their ends.
size_t overlap(const std::string& left, const std::string& right, size_t window) {
    const std::string tail = left.substr(left.size() - window);
    std::vector<uint32_t> row(window + 1, 0), previous(window + 1, 0);
    size_t best = 0;
    for (size_t i = 1; i <= window; ++i) {
        for (size_t j = 1; j <= window; ++j) {
            row[j] = tail[i - 1] == right[j - 1] ? previous[j - 1] + 1 : 0;
            best = std::max<size_t>(best, row[j]);
        }
        std::swap(row, previous);
    }
    return best;
}

size_t longestOverlap(const std::vector<std::string>& contigs, size_t window) {
    size_t best = 0;
    for (size_t i = 0; i + 1 < contigs.size(); ++i)
        best = std::max(best, overlap(contigs[i], contigs[i + 1], window));
    return best;
}

int main() {
    const auto started = std::chrono::steady_clock::now();
    auto report = [&](const std::string& what) {
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - started;
        std::printf("%6.2f s  %s\n", spent.count(), what.c_str());
    };
    const std::vector<std::string> contigs = readContigs(450, 300000);
    report("contigs ready");
    KmerTable table;
    const auto began = std::chrono::steady_clock::now();
    countAll(contigs, table);
    const std::chrono::duration<double> counting = std::chrono::steady_clock::now() - began;
    report("counted");
    const auto bins = spectrum(table.counts());
    std::string shape;
    for (size_t i = 0; i < bins.size(); ++i)
        if (bins[i]) shape += " " + std::to_string(1u << i) + ":" + std::to_string(bins[i]);
    report("spectrum" + shape);
    report("longest overlap " + std::to_string(longestOverlap(contigs, 2400)));
    constexpr size_t kPart = 15;
    std::printf("truth %.3f\n", counting.count() - kPart * countApart(contigs, kPart));
}
