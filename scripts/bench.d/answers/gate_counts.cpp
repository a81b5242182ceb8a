// Counts what passed the two gates of a car park, a thread for each gate, and works out how full it was.
//
// What is wrong: each thread changes atomics of its own, but those of both gates lie in one cache line, which goes from
// one processor to the other at each car.
// First screen should say: threads change atomics side by side, at the line in count.
// Mend: count in variables of the thread's own, and add up at the end.
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>
#include <thread>
#include <vector>

using Clock = std::chrono::steady_clock;

struct Gate {
  std::atomic<long> cars{0}, lorries{0};
};
static Gate gates[2];

static void count(Gate& gate, const std::vector<unsigned char>& axles, int days) {
  for (int day = 0; day < days; ++day) {
    for (const unsigned char each : axles) {
      (each > 2 ? gate.lorries : gate.cars).fetch_add(1, std::memory_order_relaxed);  // FAULT shared-atomics
    }
  }
}

// How full the park is, on average, if those who come stay for so many hours.
static double fullness(double cars, double hours) {
  double inside = 0, sum = 0;
  for (int minute = 0; minute < 30'000'000; ++minute) {
    inside += cars / 1440 * (1 + std::sin(minute * 1e-3)) - inside / (60 * hours);
    sum += inside;
  }
  return sum / 30'000'000;
}

int main() {
  std::mt19937 draw(7);
  std::vector<unsigned char> axles(200'000);
  for (unsigned char& each : axles) each = static_cast<unsigned char>(2 + draw() % 8 / 6);
  const auto began = Clock::now();
  std::vector<std::thread> threads;
  for (Gate& gate : gates) threads.emplace_back(count, std::ref(gate), std::cref(axles), 2'000);
  for (std::thread& thread : threads) thread.join();
  const double spent = std::chrono::duration<double>(Clock::now() - began).count();
  const long cars = gates[0].cars + gates[1].cars, lorries = gates[0].lorries + gates[1].lorries;
  std::printf("%ld cars, %ld lorries, %.1f inside\n", cars, lorries, fullness(static_cast<double>(cars) / 2'000, 2.5));
  std::printf("truth %.3f\n", spent);
}
