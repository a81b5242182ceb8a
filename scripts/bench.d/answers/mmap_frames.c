/* Composes video frames: each gets a buffer of its own. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { W = 1920, H = 1080, BYTES = W * H * 4 };

static double clock_of(clockid_t id) {
  struct timespec t;
  clock_gettime(id, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

static double now(void) { return clock_of(CLOCK_THREAD_CPUTIME_ID); }

static void clear(uint32_t* px, uint32_t colour) {
  for (int i = 0; i < W * H; ++i) px[i] = colour;
}

static void blend(uint32_t* px, int frame) {
  for (int y = 0; y < H; ++y)
    for (int x = 0; x < W; ++x) {
      uint32_t p = px[y * W + x], q = (x * frame) ^ y;
      px[y * W + x] = ((p >> 1) & 0x7f7f7f7f) + ((q >> 1) & 0x7f7f7f7f);
    }
}

static uint32_t digest(const uint32_t* px) {
  uint32_t h = 0;
  for (int i = 0; i < W * H; ++i) h = h * 31 + px[i];
  return h;
}

static uint32_t* frame_buffer(void) {
  void* p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); /* FAULT page-faults */
  if (p == MAP_FAILED) exit(1);
  return p;
}

int main(void) {
  int frames = 300;
  double started = clock_of(CLOCK_MONOTONIC);
  /* how long clearing takes in memory that is there already */
  uint32_t* warm = malloc(BYTES);
  clear(warm, 1);
  double t = now();
  for (int i = 0; i < 10; ++i) clear(warm, i);
  double base = (now() - t) / 10;
  uint32_t all = digest(warm);
  free(warm);
  double cost = 0;
  for (int f = 0; f < frames; ++f) {
    t = now();
    uint32_t* px = frame_buffer();
    clear(px, 0xff202020u + f);
    cost += now() - t - base;
    blend(px, f);
    all ^= digest(px);
    t = now();
    munmap(px, BYTES);
    cost += now() - t;
  }
  printf("digest %08x\n", all);
  /* the kernel's part of the CPU time, with its part of the waiting for a processor */
  printf("truth %.3f\n", cost * (clock_of(CLOCK_MONOTONIC) - started) / now());
  return 0;
}
