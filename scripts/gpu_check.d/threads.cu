// Threads that launch at once, each on a stream of its own. Prints what was launched as JSON.
// usage: threads busy SECONDS       eight threads, each as fast as it can
//        threads many               200 threads, a kernel every tenth of a second each
//        threads queue SECONDS      one thread keeps the queue of the device full, the other launches now and then
//        threads launches N         one thread: nanoseconds of a launch, in bursts of 512
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <thread>
#include <vector>

__global__ void empty() {}
__global__ void spin(long long clocks) {
  const long long began = clock64();
  while (clock64() - began < clocks) {
  }
}

static double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

static cudaStream_t stream() {
  cudaStream_t made;
  if (cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking) != cudaSuccess) exit(1);
  return made;
}

static void run(int threads, void (*body)(int, double), double until) {
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i) all.emplace_back(body, i, until);
  for (auto& t : all) t.join();
  if (cudaDeviceSynchronize() != cudaSuccess) exit(1);
}

static long g_launched[8];
static void launch_fast(int i, double until) {
  cudaStream_t s = stream();
  while (now() < until) {
    for (int k = 0; k < 256; ++k) empty<<<1, 1, 0, s>>>();
    g_launched[i] += 256;
    cudaStreamSynchronize(s);
  }
}

static const int kEach = 60;
static void launch_seldom(int, double) {
  cudaStream_t s = stream();
  for (int k = 0; k < kEach; ++k) {
    empty<<<1, 1, 0, s>>>();
    usleep(100000);
  }
}

static double g_busy_s;
static void fill_or_tap(int i, double until) {
  cudaStream_t s = stream();
  if (i == 1) {
    for (; now() < until; usleep(10000)) empty<<<1, 1, 0, s>>>();
    return;
  }
  cudaEvent_t began, ended;
  cudaEventCreate(&began);
  cudaEventCreate(&ended);
  while (now() < until) {
    cudaEventRecord(began, s);
    for (int k = 0; k < 200; ++k) spin<<<1, 1, 0, s>>>(3000000);
    cudaEventRecord(ended, s);
    cudaEventSynchronize(ended);
    float ms = 0;
    cudaEventElapsedTime(&ms, began, ended);
    g_busy_s += ms / 1e3;
  }
}

static double launch_ns(long n) {
  cudaStream_t s = stream();
  double spent = 0;
  for (long i = -512; i < n;) {
    const double began = now();
    for (int k = 0; k < 512; ++k, ++i) empty<<<1, 1, 0, s>>>();
    if (i > 0) spent += now() - began;
    cudaStreamSynchronize(s);
  }
  return spent * 1e9 / n;
}

int main(int count, char** arguments) {
  const char* what = count > 1 ? arguments[1] : "";
  const double number = count > 2 ? atof(arguments[2]) : 5;
  if (cudaFree(0) != cudaSuccess) return 1;
  if (strcmp(what, "busy") == 0) {
    run(8, launch_fast, now() + number);
    long all = 0;
    for (const long one : g_launched) all += one;
    printf("{\"kernels\": %ld}\n", all);
  } else if (strcmp(what, "many") == 0) {
    run(200, launch_seldom, 0);
    printf("{\"kernels\": %d}\n", 200 * kEach);
  } else if (strcmp(what, "queue") == 0) {
    run(2, fill_or_tap, now() + number);
    printf("{\"busy_s\": %.4f}\n", g_busy_s);
  } else if (strcmp(what, "launches") == 0) {
    printf("launch_ns %.1f\n", launch_ns(static_cast<long>(number)));
  } else {
    return 2;
  }
  return 0;
}
