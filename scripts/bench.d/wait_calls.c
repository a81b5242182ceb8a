/* What a blocking call costs the calling thread that does not block, and one that does.
 *
 * wait_calls MILLISECONDS: makes calls for at least so much CPU time of each kind and prints its name and nanoseconds
 * of CPU time per call: sleeps that are refused, reads of one byte from a device that has it at once, reads of a block
 * of a file in memory, and sleeps of 150 microseconds below 10 frames. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double cpu_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int zeros, file;
static char room[4096];
static long sum;

static void refused(void) {
  const struct timespec never = {0, -1};
  for (int i = 0; i < 1024; ++i) sum += clock_nanosleep(CLOCK_MONOTONIC, 0, &never, NULL);
}
static void byte(void) {
  for (int i = 0; i < 1024; ++i) sum += read(zeros, room, 1);
}
static void block(void) {
  for (int i = 0; i < 1024; ++i) sum += pread(file, room, sizeof room, (i % 16) * (long)sizeof room);
}
static void nap(void) {
  const struct timespec shortly = {0, 150000};
  for (int i = 0; i < 16; ++i) sum += nanosleep(&shortly, NULL);
}

__attribute__((noinline)) static void below(int frames, void (*work)(void)) {
  if (frames > 0) {
    below(frames - 1, work);
    __asm__ volatile("");
    return;
  }
  work();
}

static void measure(const char* name, void (*work)(void), int calls, int frames, double least_ns) {
  below(frames, work);
  const double began = cpu_ns();
  double ended = began;
  long batches = 0;
  for (; ended - began < least_ns; ended = cpu_ns(), ++batches) below(frames, work);
  printf("%s %.2f\n", name, (ended - began) / ((double)batches * calls));
}

int main(int argc, char** argv) {
  const double least_ns = (argc > 1 ? atof(argv[1]) : 200) * 1e6;
  zeros = open("/dev/zero", O_RDONLY);
  file = open(argv[0], O_RDONLY);
  if (zeros < 0 || file < 0) return 1;
  measure("refused-sleep", refused, 1024, 10, least_ns);
  measure("read-1B", byte, 1024, 10, least_ns);
  measure("pread-4K,file", block, 1024, 10, least_ns);
  measure("sleep-150us,10-frames", nap, 16, 10, least_ns / 20);
  return sum == 42;
}
