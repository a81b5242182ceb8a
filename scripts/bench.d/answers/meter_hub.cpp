// Hub for utility meters: every session decodes a meter's uploads and is closed.
//
// What is wrong: the session's own decoder keeps a listener that holds a shared_ptr to the session: a cycle, so that no
// session is ever freed.
// First screen should say: memory grows all the time and is never given back, by readings that Session::store keeps, and
// the listener of Session::open() keeps the session.
// Mend: capture this: the decoder lives no longer than the session.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <sys/resource.h>

class Generator {
public:
    explicit Generator(std::uint64_t seed) : state_(seed * 2654435761u + 88172645463325252ull) {}
    std::uint32_t next() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return static_cast<std::uint32_t>(state_ >> 11);
    }

private:
    std::uint64_t state_;
};

constexpr std::uint32_t METERS = 5000;

struct Reading {
    std::uint32_t minute;
    std::uint32_t watts;
};

// Splits a stream of bytes into readings and reports each to its listener.
class Decoder {
public:
    using Listener = std::function<void(const Reading&)>;

    void listen(Listener listener) { listener_ = std::move(listener); }

    void feed(const std::vector<std::uint8_t>& bytes) {
        std::size_t at = 0;
        std::uint32_t minute = 0;
        while (at < bytes.size()) {
            minute += take(bytes, at);
            std::uint32_t watts = take(bytes, at);
            listener_(Reading{minute, watts});
        }
    }

private:
    static std::uint32_t take(const std::vector<std::uint8_t>& bytes, std::size_t& at) {
        std::uint32_t value = 0;
        int shift = 0;
        while (at < bytes.size()) {
            std::uint8_t b = bytes[at++];
            value |= static_cast<std::uint32_t>(b & 0x7f) << shift;
            if (!(b & 0x80))
                break;
            shift += 7;
        }
        return value;
    }

    Listener listener_;
};

class Session : public std::enable_shared_from_this<Session> {
public:
    explicit Session(std::uint32_t meter) : meter_(meter) {}

    void open() {
        auto self = shared_from_this();
        decoder_.listen([self](const Reading& r) { self->store(r); });  // FAULT host-memory-grows
    }

    void upload(const std::vector<std::uint8_t>& bytes) { decoder_.feed(bytes); }

    std::uint32_t peak_hour() const {
        std::map<std::uint32_t, std::uint64_t> hours;
        for (const Reading& r : readings_)
            hours[r.minute / 60 % 24] += r.watts;
        auto best = std::max_element(hours.begin(), hours.end(), [](const auto& a, const auto& b) {
            return a.second < b.second;
        });
        return best == hours.end() ? 0 : best->first;
    }

    // Load duration curve: the share of time during which each level is exceeded.
    double duration_index() const {
        std::vector<std::uint32_t> watts;
        watts.reserve(readings_.size());
        for (const Reading& r : readings_)
            watts.push_back(r.watts);
        std::sort(watts.begin(), watts.end(), std::greater<>());
        double area = 0.0, weighted = 0.0;
        for (std::size_t i = 0; i < watts.size(); ++i) {
            area += watts[i];
            weighted += watts[i] * (i + 0.5);
        }
        return weighted / (area * watts.size());
    }

    std::size_t count() const { return readings_.size(); }

private:
    void store(const Reading& r) { readings_.push_back(r); }  // FAULT host-memory-grows

    std::uint32_t meter_;
    Decoder decoder_;
    std::vector<Reading> readings_;
};

static void put(std::vector<std::uint8_t>& out, std::uint32_t value) {
    while (value >= 0x80) {
        out.push_back(static_cast<std::uint8_t>(value | 0x80));
        value >>= 7;
    }
    out.push_back(static_cast<std::uint8_t>(value));
}

static void make_upload(std::vector<std::uint8_t>& out, std::uint32_t meter) {
    Generator random(meter + 1);
    out.clear();
    for (int i = 0; i < 12000; ++i) {
        put(out, 1 + random.next() % 5);
        put(out, 150 + random.next() % (3000 + meter % 700));
    }
}

static long resident() {
    rusage use{};
    getrusage(RUSAGE_SELF, &use);
    return use.ru_maxrss;
}

int main() {
    long begun = 0;
    std::vector<std::uint32_t> hours(24);
    std::vector<std::uint8_t> upload;
    std::uint64_t readings = 0;
    double indices = 0.0;
    for (std::uint32_t meter = 0; meter < METERS; ++meter) {
        make_upload(upload, meter);
        auto session = std::make_shared<Session>(meter);
        session->open();
        session->upload(upload);
        ++hours[session->peak_hour()];
        indices += session->duration_index();
        readings += session->count();
        if (meter == 0) begun = resident();
    }
    std::printf("%llu readings, index %.6f, busiest hour %ld\n",
                static_cast<unsigned long long>(readings), indices / METERS,
                static_cast<long>(std::max_element(hours.begin(), hours.end()) - hours.begin()));
    std::printf("truth %ld bytes\n", (resident() - begun) * 1024);
    return 0;
}
