// SOUND: a thread pool with a queue of coarse tasks; workers sum locally.
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <thread>
#include <vector>
class Pool {
 public:
  explicit Pool(int n) {
    for (int i = 0; i < n; ++i) threads_.emplace_back([this] { work(); });
  }
  ~Pool() {
    {
      std::lock_guard<std::mutex> l(m_);
      stop_ = true;
    }
    cv_.notify_all();
    for (auto& t : threads_) t.join();
  }
  std::future<double> submit(std::function<double()> f) {
    auto task = std::make_shared<std::packaged_task<double()>>(std::move(f));
    {
      std::lock_guard<std::mutex> l(m_);
      q_.push_back([task] { (*task)(); });
    }
    cv_.notify_one();
    return task->get_future();
  }

 private:
  void work() {
    for (;;) {
      std::function<void()> f;
      {
        std::unique_lock<std::mutex> l(m_);
        cv_.wait(l, [this] { return stop_ || !q_.empty(); });
        if (q_.empty()) return;
        f = std::move(q_.front());
        q_.pop_front();
      }
      f();
    }
  }
  std::mutex m_;
  std::condition_variable cv_;
  std::deque<std::function<void()>> q_;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};
double integrate(double a, double b) {
  double s = 0, h = (b - a) / 400000;
  for (int i = 0; i < 400000; ++i) s += std::sin(a + i * h) * std::exp(-(a + i * h)) * h;
  return s;
}
int main() {
  Pool pool(2);
  std::vector<std::future<double>> r;
  for (int i = 0; i < 800; ++i) r.push_back(pool.submit([i] { return integrate(i * 0.01, i * 0.01 + 1); }));
  double s = 0;
  for (auto& f : r) s += f.get();
  printf("%.6f\n", s);
}
