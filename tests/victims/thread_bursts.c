// Threads that live shorter than a sampling period: their CPU time is real, though hardly one of them is ever sampled.
#include "victim.h"

static void* burst(void* unused) {
  (void)unused;
  BURN_NS(3000000);
  return NULL;
}

int main(int argc, char** argv) {
  const long count = argument(argc, argv, 1, 300);
  for (long i = 0; i < count; i += 2) {
    pthread_t a, b;
    EXPECT(pthread_create(&a, NULL, burst, NULL) == 0);
    EXPECT(pthread_create(&b, NULL, burst, NULL) == 0);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
  }
  fact("cpu_ns", rusage_cpu_ns());
  return 0;
}
