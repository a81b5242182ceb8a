// Transcodes a clip: a reader thread unpacks frames into a bounded queue, an encoder thread compresses them.
//
// What is wrong: FrameQueue::pop never notifies not_full_, so a reader that found the queue full is
//   not woken when a slot becomes free. Somebody "repaired" the hang with a timed wait: the reader
//   now sleeps the whole 50 ms every time, the encoder drains the queue meanwhile and then idles.
// First screen should say: neither thread computes for most of the run: the reader sleeps in the
//   timed wait (wait_for in FrameQueue::push) until its timeout although there is room, and the
//   encoder waits for frames in FrameQueue::pop; line: the wait_for (its notify is missing in pop);
//   amount: the encoder's idle seconds printed as "truth".
// Mend: not_full_.notify_one() in pop after taking the frame (and a plain wait in push).
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

using Clock = std::chrono::steady_clock;
static double since(Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); }

constexpr int W = 320, H = 192;
struct Frame {
    int number = 0;
    std::vector<std::uint8_t> luma;
};

class FrameQueue {
public:
    explicit FrameQueue(std::size_t cap) : cap_(cap) {}
    void push(Frame f) {
        std::unique_lock<std::mutex> lk(m_);
        while (q_.size() >= cap_)
            not_full_.wait_for(lk, std::chrono::milliseconds(50));  // FAULT timed-out-waits
        q_.push_back(std::move(f));
        lk.unlock();
        not_empty_.notify_one();
    }
    bool pop(Frame& out) {
        std::unique_lock<std::mutex> lk(m_);
        auto t = Clock::now();
        not_empty_.wait(lk, [&] { return !q_.empty() || closed_; });
        idle_s += since(t);
        if (q_.empty()) return false;
        out = std::move(q_.front());
        q_.pop_front();
        return true;
    }
    void close() {
        { std::lock_guard<std::mutex> lk(m_); closed_ = true; }
        not_empty_.notify_all();
    }
    double idle_s = 0;
private:
    std::mutex m_;
    std::condition_variable not_full_, not_empty_;
    std::deque<Frame> q_;
    std::size_t cap_;
    bool closed_ = false;
};

// Unpacks one frame: a drifting gradient with noise, as a camera would deliver it.
class Reader {
public:
    Frame next(int n) {
        Frame f;
        f.number = n;
        f.luma.resize(W * H);
        for (int y = 0; y < H; ++y)
            for (int x = 0; x < W; ++x) f.luma[y * W + x] = std::uint8_t((x + 2 * y + 3 * n + (rng_() & 15)) & 255);
        return f;
    }
private:
    std::minstd_rand rng_{42};
};

// 8x8 DCT, quantisation and a size estimate for every block.
class Encoder {
public:
    Encoder() {
        for (int u = 0; u < 8; ++u)
            for (int x = 0; x < 8; ++x) c_[u][x] = std::cos((2 * x + 1) * u * M_PI / 16) * (u ? 0.5 : std::sqrt(0.125));
    }
    std::size_t encode(const Frame& f) {
        std::size_t bits = 0;
        for (int by = 0; by < H; by += 8)
            for (int bx = 0; bx < W; bx += 8) bits += block(&f.luma[by * W + bx]);
        return bits;
    }
private:
    std::size_t block(const std::uint8_t* p) {
        float t[8][8], out;
        std::size_t bits = 0;
        for (int y = 0; y < 8; ++y)
            for (int u = 0; u < 8; ++u) {
                t[y][u] = 0;
                for (int x = 0; x < 8; ++x) t[y][u] += c_[u][x] * (p[y * W + x] - 128);
            }
        for (int v = 0; v < 8; ++v)
            for (int u = 0; u < 8; ++u) {
                out = 0;
                for (int y = 0; y < 8; ++y) out += c_[v][y] * t[y][u];
                int q = int(std::lround(out / (8 + 2 * (u + v))));
                bits += q ? 2 + 2 * std::ilogb(std::abs(q) + 1) : 0;
            }
        return bits;
    }
    float c_[8][8];
};

int main() {
    auto start = Clock::now();
    const int frames = 1500;
    FrameQueue queue(16);
    std::size_t bits = 0;
    std::thread enc([&] {
        Encoder e;
        Frame f;
        while (queue.pop(f)) bits += e.encode(f);
    });
    Reader reader;
    for (int n = 0; n < frames; ++n) queue.push(reader.next(n));
    queue.close();
    enc.join();
    std::printf("%d frames, %.1f KiB\n", frames, bits / 8.0 / 1024);
    std::printf("total %.2f\ntruth %.2f\n", since(start), queue.idle_s);
}
