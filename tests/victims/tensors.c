// Tensors on devices, as PyTorch's caching allocator hands them out, on several threads.
#include <dlfcn.h>

#include "victim.h"

typedef void (*reporter)(char*, long long, long long, long long, int, int);
static reporter report[2];
static char room[1 << 20];
static long long allocated[2], peak[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void tell(char* block, long long bytes, int device) {
  pthread_mutex_lock(&lock);
  allocated[device] += bytes;
  if (allocated[device] > peak[device]) peak[device] = allocated[device];
  report[device](block, bytes, allocated[device], 1 << 30, 1, device);
  pthread_mutex_unlock(&lock);
}

static void forward(char* block, long long bytes, int device) { tell(block, bytes, device); }
static void backward(char* block, long long bytes, int device) { tell(block, bytes, device); }

static void* train(void* argument) {
  const int thread = (int)(intptr_t)argument, device = thread % 2;
  char* mine = room + thread * 100000;
  for (int step = 0; step < 1000; ++step) {
    for (int i = 0; i < 50; ++i) forward(mine + i * 512, 512 * (i + 1), device);
    for (int i = 0; i < 50; ++i) backward(mine + (100 + i) * 512, 1024, device);
    for (int i = 0; i < 50; ++i) tell(mine + i * 512, -512 * (i + 1), device);
    // One gradient of the last step is never given back.
    for (int i = 0; i < 50; ++i) {
      if (step + 1 < 1000 || i != 7) tell(mine + (100 + i) * 512, -1024, device);
    }
  }
  return NULL;
}

int main(int argc, char** argv) {
  EXPECT(argc == 2);
  void* c10 = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  EXPECT(c10 != NULL);
  report[0] = (reporter)dlsym(c10, "report_signed");
  report[1] = (reporter)dlsym(c10, "report_unsigned");
  EXPECT(report[0] != NULL && report[1] != NULL);
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) EXPECT(pthread_create(&threads[i], NULL, train, (void*)(intptr_t)i) == 0);
  for (int i = 0; i < 4; ++i) EXPECT(pthread_join(threads[i], NULL) == 0);
  tell(room + 900000, 4096, 0);
  tell(room + 901120, -4096, 1);                  // of a block that nobody saw allocated
  report[0](room + 902144, 1 << 20, 1, 1, 0, 0);  // the host's: not a device's
  ((void (*)(long long))dlsym(c10, "report_refusal"))(12345678);
  for (int d = 0; d < 2; ++d) {
    fact(d == 0 ? "live_0" : "live_1", allocated[d]);
    fact(d == 0 ? "peak_0" : "peak_1", peak[d]);
  }
  fact("reports", ((long long (*)(void))dlsym(c10, "reports"))());
  fact("report_bytes", ((long long (*)(void))dlsym(c10, "report_bytes"))());
  fact("refusals", ((long long (*)(void))dlsym(c10, "refusals"))());
  return 0;
}
