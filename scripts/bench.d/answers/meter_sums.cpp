// Reads a binary file of electricity meter readings and computes daily load curves and outliers per meter.
//
// What is wrong: ReadingFile::get seeks before each record, even though records are read one after
//   the other. ifstream::seekg throws the stream's buffer away, so each 48-byte record costs an
//   lseek and a read of 8 KiB: about 170 times the file's size is copied out of the kernel.
// First screen should say: most of the run is system calls - one lseek and one read(8191) per record, the
//   bytes read are ~170 times the file; line: the seekg in ReadingFile::get; amount: the seconds
//   printed as "truth".
// Mend: seek only when the wanted record is not the next one (or read in blocks).
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

using Clock = std::chrono::steady_clock;
static double since(Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); }

struct Reading {
    std::uint64_t epoch;
    std::uint32_t meter, flags;
    double kwh, volt, amp, phase;
};
static_assert(sizeof(Reading) == 48, "file layout");

static void write_sample(const std::string& path, int meters, int slots) {
    std::ofstream f(path, std::ios::binary);
    std::mt19937 rng(5);
    std::normal_distribution<double> noise(0, 0.05);
    for (int s = 0; s < slots; ++s)
        for (int m = 0; m < meters; ++m) {
            double day = 2 * M_PI * (s % 96) / 96.0;
            Reading r{1700000000u + 900u * s, std::uint32_t(m), rng() % 997 == 0, 0, 230 + noise(rng), 0, 0};
            r.kwh = 0.4 + 0.3 * std::sin(day - 1.5) + 0.1 * std::sin(2 * day) + noise(rng) + (rng() % 5000 == 0 ? 4 : 0);
            r.amp = r.kwh * 4000 / r.volt;
            r.phase = std::fmod(day, 1.0);
            f.write(reinterpret_cast<const char*>(&r), sizeof r);
        }
}

class ReadingFile {
public:
    explicit ReadingFile(const std::string& path) : in_(path, std::ios::binary | std::ios::ate) {
        if (!in_) throw std::runtime_error("cannot open " + path);
        count_ = std::size_t(in_.tellg()) / sizeof(Reading);
    }
    std::size_t count() const { return count_; }
    void get(std::size_t i, Reading& r) {
        in_.seekg(std::streamoff(i * sizeof(Reading)));  // FAULT lost-buffers
        if (!in_.read(reinterpret_cast<char*>(&r), sizeof r)) throw std::runtime_error("short read");
    }
private:
    std::ifstream in_;
    std::size_t count_ = 0;
};

class MeterStats {
public:
    void add(const Reading& r) {
        int slot = int(r.epoch / 900 % 96);
        curve_[slot] += r.kwh;
        ++seen_[slot];
        all_.push_back(float(r.kwh));
        apparent_ += std::hypot(r.volt * r.amp, r.volt * std::sin(r.phase));
    }
    // Outliers by median and median absolute deviation.
    std::size_t outliers(double k) {
        std::vector<float> v = all_;
        auto mid = v.begin() + v.size() / 2;
        std::nth_element(v.begin(), mid, v.end());
        float med = *mid;
        for (float& x : v) x = std::fabs(x - med);
        std::nth_element(v.begin(), mid, v.end());
        float mad = std::max(1e-3f, *mid);
        return std::count_if(all_.begin(), all_.end(), [&](float x) { return std::fabs(x - med) > k * mad; });
    }
    double peak() const {
        double best = 0;
        for (int s = 0; s < 96; ++s) if (seen_[s]) best = std::max(best, curve_[s] / seen_[s]);
        return best;
    }
private:
    double curve_[96] = {}, apparent_ = 0;
    long seen_[96] = {};
    std::vector<float> all_;
};

int main() {
    auto start = Clock::now();
    const int meters = 400, slots = 96 * 75;
    const std::string path = "/tmp/meters_" + std::to_string(getpid()) + ".bin";
    write_sample(path, meters, slots);
    std::vector<MeterStats> stats(meters);
    ReadingFile file(path);
    std::vector<Reading> hour(4 * meters);
    double read_s = 0;
    std::size_t flagged = 0;
    for (std::size_t base = 0; base < file.count(); base += hour.size()) {
        auto t = Clock::now();
        for (std::size_t i = 0; i < hour.size(); ++i) file.get(base + i, hour[i]);
        read_s += since(t);
        for (const Reading& r : hour) {
            flagged += r.flags != 0;
            if (!r.flags) stats[r.meter].add(r);
        }
    }
    std::size_t out = 0;
    double peak = 0;
    for (auto& s : stats) { out += s.outliers(8); peak = std::max(peak, s.peak()); }
    unlink(path.c_str());
    std::printf("%zu readings, %zu flagged, %zu outliers, peak slot %.3f kWh\n", file.count(), flagged, out, peak);
    std::printf("total %.2f\ntruth %.2f\n", since(start), read_s);
}
