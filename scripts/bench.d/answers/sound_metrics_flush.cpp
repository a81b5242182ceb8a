// SOUND: one thread parses lines of a slow device; another one flushes metrics every 50 ms, or sooner when many came.
#include <unistd.h>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

struct Metrics {
  std::mutex lock;
  std::condition_variable filled;
  std::vector<double> pending;
  bool ended = false;
  double flushed = 0;
  int flushes = 0;
};

double percentiles(int seed) {
  static std::vector<double> held(20000, 1.0);
  double sum = 0;
  for (int round = 0; round < 60; ++round)
    for (double& h : held) sum += h = h * 0.999 + (seed ^ round) % 7;
  return sum;
}

void flush_loop(Metrics& m) {
  std::unique_lock guard(m.lock);
  while (!m.ended) {
    m.filled.wait_for(guard, std::chrono::milliseconds(50), [&] { return m.ended || m.pending.size() >= 1000; });
    for (double v : m.pending) m.flushed += v;
    m.pending.clear();
    guard.unlock();
    m.flushed += percentiles(m.flushes);
    guard.lock();
    ++m.flushes;
  }
}

struct Mail {
  std::mutex lock;
  std::condition_variable came;
  std::vector<std::string> lines;
  bool ended = false;
};

// Asks the sensor five times a second: more often it gives the same.
void device_loop(int readings, Mail& mail) {
  for (int i = 0; i < readings; ++i) {
    usleep(200000);
    std::lock_guard guard(mail.lock);
    mail.lines.push_back("reading " + std::to_string(i));
    mail.came.notify_one();
  }
  std::lock_guard guard(mail.lock);
  mail.ended = true;
  mail.came.notify_one();
}

double parse(const std::string& line) {
  double sum = 0;
  for (int round = 0; round < 3000000; ++round)
    for (char c : line) sum += (c ^ round) % 7;
  return sum;
}

int main() {
  Metrics metrics;
  Mail mail;
  std::thread flusher(flush_loop, std::ref(metrics)), reader(device_loop, 12, std::ref(mail));
  double total = 0;
  int count = 0;
  while (true) {
    std::unique_lock guard(mail.lock);
    mail.came.wait(guard, [&] { return mail.ended || !mail.lines.empty(); });
    std::vector<std::string> lines;
    lines.swap(mail.lines);
    const bool ended = mail.ended;
    guard.unlock();
    for (const std::string& line : lines) {
      const double value = parse(line);
      total += value;
      ++count;
      std::lock_guard put(metrics.lock);
      metrics.pending.push_back(value);
      if (metrics.pending.size() >= 1000) metrics.filled.notify_one();
    }
    if (ended) break;
  }
  {
    std::lock_guard guard(metrics.lock);
    metrics.ended = true;
    metrics.filled.notify_one();
  }
  flusher.join();
  reader.join();
  std::printf("%d lines, %d flushes, %.0f\n", count, metrics.flushes, total);
}
