/* What a thread costs to start and to end.
 *
 * thread_pair COUNT: lines "start+end MICROSECONDS" - the process's CPU time for each of COUNT threads that do nothing,
 * one after the other - and, for as many threads that live at once, "resident KIB" while they do and "left KIB" when
 * all have ended: the resident memory of each, and what then remains of it. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static double resident_kib(void) {
  long size = 0, resident = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%ld %ld", &size, &resident) != 2) exit(1);
  fclose(file);
  return (double)resident * 4;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int waiting, may_end;

static void* nothing(void* unused) { return unused; }

static void* waits(void* unused) {
  pthread_mutex_lock(&mutex);
  ++waiting;
  pthread_cond_broadcast(&changed);
  while (!may_end) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(int argc, char** argv) {
  const int count = argc > 1 ? atoi(argv[1]) : 2000;
  pthread_t* threads = malloc((size_t)count * sizeof(*threads));
  const double began = now_us();
  for (int i = 0; i < count; ++i) {
    pthread_t one;
    if (pthread_create(&one, NULL, nothing, NULL) != 0 || pthread_join(one, NULL) != 0) return 1;
  }
  printf("start+end %.2f\n", (now_us() - began) / count);

  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 65536);
  const double before = resident_kib();
  for (int i = 0; i < count; ++i) {
    if (pthread_create(&threads[i], &small, waits, NULL) != 0) return 1;
  }
  pthread_mutex_lock(&mutex);
  while (waiting < count) pthread_cond_wait(&changed, &mutex);
  printf("resident %.2f\n", (resident_kib() - before) / count);
  may_end = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
  for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
  printf("left %.2f\n", (resident_kib() - before) / count);
  return 0;
}
