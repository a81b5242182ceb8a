// Draws shipping labels: the front part prepares an address block, hands it
// to the render thread and goes on with the picture (checksum, packing).
//
// What is wrong: the front part waits for the renderer by sleeping 1 ms and
// looking again; a label is ready after a fraction of that.
// First screen should say: the main thread is off the CPU for some half of
// the run, asleep in sleep_for (nanosleep) in RenderDesk::wait while the
// renderer has been ready for long; own line the sleep_for.
// Mend: a condition variable (ready_.wait) instead of sleep and look again.
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

using Clock = std::chrono::steady_clock;
using Picture = std::vector<uint8_t>;

struct Label {
    std::string lines[4];
    uint32_t parcel;
};

static Picture render(const Label& label) {
    const int width = 192, height = 96;
    Picture p(width * height);
    for (int row = 0; row < 4; ++row) {
        const std::string& text = label.lines[row];
        for (size_t c = 0; c < text.size() && c < 24; ++c)
            for (int y = 0; y < 12; ++y)
                for (int x = 0; x < 8; ++x) {
                    double ink = std::sin(text[c] * 0.7 + x) * std::cos(y * 0.5 + text[c]);
                    p[(row * 24 + y) * width + c * 8 + x] = ink > 0 ? 255 : static_cast<uint8_t>(-ink * 90);
                }
    }
    return p;
}

class RenderDesk {
public:
    RenderDesk() : worker_([this] { serve(); }) {}
    ~RenderDesk() {
        {
            std::lock_guard<std::mutex> hold(lock_);
            closing_ = true;
        }
        work_.notify_one();
        worker_.join();
    }
    void submit(const Label& label) {
        {
            std::lock_guard<std::mutex> hold(lock_);
            job_ = &label;
            done_ = false;
            asked_ = Clock::now();
        }
        work_.notify_one();
    }
    Picture wait() {
        std::unique_lock<std::mutex> hold(lock_);
        while (!done_) {
            hold.unlock();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));  // FAULT sleeping
            hold.lock();
        }
        idle_ += Clock::now() - asked_ - rendering_;
        return std::move(result_);
    }
    double idle() const { return std::chrono::duration<double>(idle_).count(); }

private:
    void serve() {
        std::unique_lock<std::mutex> hold(lock_);
        for (;;) {
            work_.wait(hold, [this] { return closing_ || job_; });
            if (closing_) return;
            const Label* label = job_;
            job_ = nullptr;
            hold.unlock();
            auto start = Clock::now();
            Picture p = render(*label);
            hold.lock();
            result_ = std::move(p);
            done_ = true;
            rendering_ = Clock::now() - start;
            ready_.notify_one();
        }
    }
    std::mutex lock_;
    std::condition_variable work_, ready_;
    const Label* job_ = nullptr;
    bool done_ = false, closing_ = false;
    Picture result_;
    Clock::time_point asked_;
    Clock::duration rendering_{}, idle_{};
    std::thread worker_;
};

static Label make_label(std::mt19937& rng, uint32_t parcel) {
    static const char* streets[] = {"Mill Lane", "Harbour Street", "Station Road", "Old Market"};
    Label l;
    l.parcel = parcel;
    l.lines[0] = "Parcel " + std::to_string(parcel);
    l.lines[1] = std::string(streets[rng() % 4]) + " " + std::to_string(rng() % 200);
    l.lines[2] = std::to_string(10000 + rng() % 89999) + " Northtown";
    l.lines[3] = "Gate " + std::to_string(rng() % 12);
    return l;
}

// Run-length packing and a checksum over several passes, as the printer wants it.
static uint32_t pack(const Picture& p) {
    uint32_t sum = 1, runs = 0;
    for (int pass = 0; pass < 14; ++pass)
        for (size_t i = 1; i < p.size(); ++i) {
            runs += p[i] != p[i - 1];
            sum = (sum * 31 + p[i] + pass) % 65521;
        }
    return sum ^ runs << 16;
}

int main() {
    std::mt19937 rng(9);
    RenderDesk desk;
    uint32_t all = 0;
    for (uint32_t parcel = 0; parcel < 2400; ++parcel) {
        Label label = make_label(rng, parcel);
        desk.submit(label);
        Picture picture = desk.wait();
        all ^= pack(picture) + parcel;
    }
    printf("2400 labels, seal %08x\n", all);
    printf("truth %.3f\n", desk.idle());
}
