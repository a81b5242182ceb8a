/* thread_storm COUNT: starts so many threads, of which four are alive at once; each allocates, takes a lock and ends.
 * Prints "ok" if the memory of the process is no larger at the end than it was after a tenth of them. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { starters = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long done;
static long first_kb;

static long resident_kb(void) {
  FILE* file = fopen("/proc/self/statm", "r");
  long all = 0, resident = 0;
  if (!file || fscanf(file, "%ld %ld", &all, &resident) != 2) abort();
  fclose(file);
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static void* live(void* unused) {
  free(malloc(3000));
  pthread_mutex_lock(&lock);
  ++done;
  pthread_mutex_unlock(&lock);
  return unused;
}

static void* start(void* count) {
  const unsigned long own = *(unsigned long*)count / starters;
  for (unsigned long i = 0; i < own; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, live, NULL) || pthread_join(thread, NULL)) abort();
    if (i == own / 10 && !__atomic_load_n(&first_kb, __ATOMIC_RELAXED))
      __atomic_store_n(&first_kb, resident_kb(), __ATOMIC_RELAXED);
  }
  return NULL;
}

int main(int argc, char** argv) {
  unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000;
  pthread_t threads[starters];
  for (int i = 0; i < starters; ++i) {
    if (pthread_create(&threads[i], NULL, start, &count)) return 1;
  }
  for (int i = 0; i < starters; ++i) pthread_join(threads[i], NULL);
  const long grown = resident_kb() - first_kb;
  fprintf(stderr, "%lu threads, grown by %ld KiB\n", done, grown);
  const int ok = done == count / starters * starters && grown < 1024;
  puts(ok ? "ok" : "NOT ok");
  return !ok;
}
