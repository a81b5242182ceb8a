// Short threads, four at a time, each of which allocates and burns a little. Prints how its memory grew meanwhile.
#include "resident.h"

static void* brief(void* unused) {
  void* p = malloc(3000);
  EXPECT(p != NULL);
  free(p);
  BURN_NS(20000);
  return unused;
}

int main(int argc, char** argv) {
  const long count = argument(argc, argv, 1, 20000);
  long early = 0;
  for (long i = 0; i < count; i += 4) {
    pthread_t threads[4];
    for (int k = 0; k < 4; ++k) EXPECT(pthread_create(&threads[k], NULL, brief, NULL) == 0);
    for (int k = 0; k < 4; ++k) EXPECT(pthread_join(threads[k], NULL) == 0);
    if (i == 2000) early = resident_kib();
  }
  fact("threads", count);
  fact("early_kib", early);
  fact("late_kib", resident_kib());
  return 0;
}
