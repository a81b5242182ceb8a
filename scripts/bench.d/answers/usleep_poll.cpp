// A controller that drives a device thread: posts a command, polls until it is done.
#include <unistd.h>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

using Clock = std::chrono::steady_clock;
static double since(Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); }

struct Device {
  std::mutex m;
  std::condition_variable cv;
  int command = 0;
  bool stop = false;
  std::atomic<int> done{0};
  double result = 0, busy = 0;

  void run() {
    std::unique_lock<std::mutex> l(m);
    for (;;) {
      cv.wait(l, [&] { return stop || command != done.load(); });
      if (stop) return;
      auto t = Clock::now();
      double x = command;
      for (int i = 0; i < 90000; ++i) x = std::sqrt(x + i);
      result += x;
      busy += since(t);
      done = command;
    }
  }
};

void post(Device& d, int n) {
  std::lock_guard<std::mutex> l(d.m);
  d.command = n;
  d.cv.notify_one();
}

void wait_until_done(Device& d, int n) {
  while (d.done.load() != n) usleep(1000);  // FAULT sleeping
}

double plan(int n) {
  double x = n;
  for (int i = 0; i < 60000; ++i) x += std::sin(x) * 1e-3;
  return x;
}

int main() {
  Device d;
  std::thread t(&Device::run, &d);
  double waited = 0, sum = 0;
  for (int n = 1; n <= 1300; ++n) {
    post(d, n);
    auto a = Clock::now();
    wait_until_done(d, n);
    waited += since(a);
    sum += plan(n);
  }
  {
    std::lock_guard<std::mutex> l(d.m);
    d.stop = true;
    d.cv.notify_one();
  }
  t.join();
  printf("sum %.3f device %.3f waited %.3f\n", sum, d.result, waited);
  printf("truth %.3f\n", waited - d.busy);
}
