// Waits for a worker by looking at a flag without a pause.
#include <unistd.h>
#include <atomic>
#include <cstdio>
#include <ctime>
#include <thread>

static double now() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

int main() {
  std::atomic<bool> ready{false};
  std::thread device([&] {
    usleep(1800000);  // a device that takes its time
    ready = true;
  });
  double began = now();
  while (!ready) {  // FAULT busy-waiting
  }
  printf("truth %.3f\n", now() - began);
  device.join();
}
