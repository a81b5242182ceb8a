// Threads that add each result to a shared histogram under one lock, and compute while they hold it.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

using Clock = std::chrono::steady_clock;

static std::mutex lock;
static double histogram[64];
static double waited[4];

static void work(int id) {
  for (int i = 0; i < 1500; ++i) {
    auto began = Clock::now();
    lock.lock();  // FAULT lock-contention
    waited[id] += std::chrono::duration<double>(Clock::now() - began).count();
    double x = id + i;
    for (int k = 0; k < 20000; ++k) x = std::sqrt(x + k);
    histogram[i % 64] += x;
    lock.unlock();
  }
}

int main() {
  std::vector<std::thread> threads;
  for (int id = 0; id < 4; ++id) threads.emplace_back(work, id);
  for (auto& thread : threads) thread.join();
  double most = 0;
  for (double w : waited) most = w > most ? w : most;
  printf("%.1f\ntruth %.3f\n", histogram[3], most);
}
