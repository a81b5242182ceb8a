// Gate log: reads the log of the gates of a car park (local time stamps), works out
// how long each car stayed, what it owes, and how full the park was.
//
// What is wrong: Stamp::seconds calls mktime for every line.  With TZ not set, each
// mktime looks whether /etc/localtime has changed (a stat system call) and works
// the zone's rules out again, though the log has only a few different days.
// First screen should say: most of the time is in mktime, called from
// Stamp::seconds (line marked FAULT), much of it in the kernel: one
// newfstatat("/etc/localtime") for each of the 1.4 million lines.
// Mend: keep the midnight of the last day seen (or of its hour) and add to it
// (or set TZ=:/etc/localtime).
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

using Clock = std::chrono::steady_clock;

static double inStamps = 0;
static long stamps = 0;

static int number(const char* text, int digits) {
    int value = 0;
    for (int i = 0; i < digits; ++i) value = value * 10 + (text[i] - '0');
    return value;
}

struct Stamp {
    // "2024-05-17 08:31:09", local time
    static time_t seconds(const char* text) {
        std::tm parts{};
        parts.tm_year = number(text, 4) - 1900;
        parts.tm_mon = number(text + 5, 2) - 1;
        parts.tm_mday = number(text + 8, 2);
        parts.tm_hour = number(text + 11, 2);
        parts.tm_min = number(text + 14, 2);
        parts.tm_sec = number(text + 17, 2);
        parts.tm_isdst = -1;
        return std::mktime(&parts);  // FAULT time-zones
    }
};

static std::string makeLog(int lines) {
    std::mt19937 rng(31);
    std::string log;
    log.reserve(size_t(lines) * 36);
    int second = 0, day = 1;
    char line[64];
    for (int i = 0; i < lines; ++i) {
        second += int(rng() % 2);
        if (second >= 86400) second = 0, ++day;
        std::snprintf(line, sizeof line, "2024-05-%02d %02d:%02d:%02d %c %05u g%u\n", day, second / 3600,
                      second / 60 % 60, second % 60, i % 2 ? 'O' : 'I', unsigned(rng() % 20000), unsigned(rng() % 6));
        log += line;
    }
    return log;
}

class CarPark {
public:
    void take(const char* line) {
        time_t at;
        if (++stamps % 16 == 0) {
            auto began = Clock::now();
            at = Stamp::seconds(line);
            inStamps += 16 * std::chrono::duration<double>(Clock::now() - began).count();
        } else {
            at = Stamp::seconds(line);
        }
        int car = number(line + 22, 5);
        if (line[20] == 'I') {
            since_.emplace(car, at);
            return;
        }
        auto found = since_.find(car);
        if (found == since_.end()) return;
        stays_.push_back(double(at - found->second));
        owed_ += fee(stays_.back());
        since_.erase(found);
    }

    static double fee(double stay) {
        double total = 0, hours = stay / 3600.0;
        for (int step = 0; step < 96; ++step) total += 2.2 * std::pow(0.93, step) * std::tanh(hours / (step + 1));
        return std::round(total * 10) / 10;
    }

    void report() {
        std::sort(stays_.begin(), stays_.end());
        std::printf("%zu stays, middle %.0f s, longest %.0f s, owed %.2f, still in %zu\n", stays_.size(),
                    stays_[stays_.size() / 2], stays_.back(), owed_, since_.size());
    }

private:
    std::unordered_map<int, time_t> since_;
    std::vector<double> stays_;
    double owed_ = 0;
};

int main() {
    unsetenv("TZ");  // the gates run on this machine's own zone
    std::string log = makeLog(1400000);
    CarPark park;
    for (const char* line = log.data(); *line; line = std::strchr(line, '\n') + 1) park.take(line);
    park.report();
    double saved = inStamps - 15e-9 * double(stamps);
    std::printf("truth %.3f\n", saved > 0.05 ? saved : 0.0);
}
