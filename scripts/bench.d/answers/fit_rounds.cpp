// Distributed-style gradient descent on one machine: each round the coordinator mails the
// current weights to the workers and combines the partial gradients that they send back.
//
// What is wrong: Mailbox post never notifies; take polls with wait_for 8 ms, so each handoff waits for the next
// timeout.
// Mend: Notify_one after the push, wait with predicate.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

using Clock = std::chrono::steady_clock;
static double now() { return std::chrono::duration<double>(Clock::now().time_since_epoch()).count(); }

constexpr int kFeatures = 24;
constexpr int kWorkers = 2;
constexpr double kUsualHandoff = 90e-6;

template <class T>
class Mailbox {
public:
    void post(T item) {
        std::lock_guard lock(m_);
        items_.push_back(std::move(item));  // FAULT timed-out-waits
    }
    T take() {
        std::unique_lock lock(m_);
        while (items_.empty()) ready_.wait_for(lock, std::chrono::milliseconds(8));  // FAULT timed-out-waits
        T item = std::move(items_.front());
        items_.pop_front();
        return item;
    }

private:
    std::mutex m_;
    std::condition_variable ready_;
    std::deque<T> items_;
};

struct Order {
    bool stop = false;
    std::vector<double> weights;
};
struct Partial {
    int worker = 0;
    std::vector<double> gradient;
    double loss = 0;
    double busy = 0;
};

struct Shard {
    std::vector<double> x;
    std::vector<double> y;
    size_t rows() const { return y.size(); }
};

Shard makeShard(unsigned seed, size_t rows) {
    std::mt19937 rng(seed);
    std::normal_distribution<double> n(0, 1);
    Shard s;
    s.x.resize(rows * kFeatures);
    s.y.resize(rows);
    for (size_t r = 0; r < rows; ++r) {
        double t = 0.2 * n(rng);
        for (int f = 0; f < kFeatures; ++f) {
            double v = n(rng);
            s.x[r * kFeatures + f] = v;
            t += v * std::sin(f + 1.0);
        }
        s.y[r] = t > 0;
    }
    return s;
}

Partial evaluate(const Shard& s, const std::vector<double>& w) {
    Partial p;
    p.gradient.assign(kFeatures, 0);
    for (size_t r = 0; r < s.rows(); ++r) {
        const double* x = &s.x[r * kFeatures];
        double z = 0;
        for (int f = 0; f < kFeatures; ++f) z += w[f] * x[f];
        double q = 1 / (1 + std::exp(-z));
        double d = q - s.y[r];
        p.loss -= std::log(std::max(1e-12, s.y[r] > 0.5 ? q : 1 - q));
        for (int f = 0; f < kFeatures; ++f) p.gradient[f] += d * x[f];
    }
    return p;
}

void workerLoop(int id, size_t rows, Mailbox<Order>& inbox, Mailbox<Partial>& results) {
    Shard shard = makeShard(77 + id, rows);
    for (;;) {
        Order order = inbox.take();
        if (order.stop) return;
        double t0 = now();
        Partial p = evaluate(shard, order.weights);
        p.worker = id;
        p.busy = now() - t0;
        results.post(std::move(p));
    }
}

int main(int argc, char** argv) {
    int rounds = argc > 1 ? std::atoi(argv[1]) : 300;
    size_t rows = 120000;
    Mailbox<Order> inbox[kWorkers];
    Mailbox<Partial> results;
    std::vector<std::thread> team;
    for (int i = 0; i < kWorkers; ++i)
        team.emplace_back(workerLoop, i, rows, std::ref(inbox[i]), std::ref(results));

    std::vector<double> w(kFeatures, 0.0);
    double lost = 0, loss = 0;
    for (int round = 0; round <= rounds; ++round) {
        double t0 = now(), slowest = 0;
        for (auto& box : inbox) box.post({false, w});
        std::vector<Partial> parts(kWorkers);
        for (int i = 0; i < kWorkers; ++i) {
            Partial p = results.take();
            slowest = std::max(slowest, p.busy);
            parts[p.worker] = std::move(p);
        }
        if (round > 0) lost += now() - t0 - slowest - kUsualHandoff;
        loss = 0;
        double step = 2.0 / (rows * kWorkers);
        for (auto& p : parts) {
            loss += p.loss;
            for (int f = 0; f < kFeatures; ++f) w[f] -= step * p.gradient[f];
        }
        if (round % 50 == 0) std::printf("round %3d  loss %.6f\n", round, loss / (rows * kWorkers));
    }
    for (auto& box : inbox) box.post({true, {}});
    for (auto& t : team) t.join();
    std::printf("w[0]=%.5f w[1]=%.5f\n", w[0], w[1]);
    std::printf("truth %.3f\n", lost);
}
