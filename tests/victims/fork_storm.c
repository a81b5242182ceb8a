// Forks again and again while other threads allocate, burn and load libraries; each child must be able to allocate.
#include <dlfcn.h>

#include "victim.h"

static volatile int stop;

static void* churn(void* unused) {
  (void)unused;
  uint32_t seed = (uint32_t)syscall(SYS_gettid);
  void* kept[256] = {0};
  while (!stop) {
    const unsigned slot = next_random(&seed) % 256;
    free(kept[slot]);
    kept[slot] = malloc(1 + next_random(&seed) % 50000);
  }
  for (int i = 0; i < 256; ++i) free(kept[i]);
  return NULL;
}

static void* load(void* unused) {
  (void)unused;
  while (!stop) {
    void* library = dlopen("libm.so.6", RTLD_NOW);
    if (library != NULL) dlclose(library);
  }
  return NULL;
}

int main(int argc, char** argv) {
  const long forks = argument(argc, argv, 1, 500);
  pthread_t threads[4];
  for (int i = 0; i < 3; ++i) EXPECT(pthread_create(&threads[i], NULL, churn, NULL) == 0);
  EXPECT(pthread_create(&threads[3], NULL, load, NULL) == 0);
  for (long i = 0; i < forks; ++i) {
    const pid_t pid = fork();
    EXPECT(pid >= 0);
    if (pid == 0) {
      alarm(20);  // a child that hangs is a failure, not a wait
      for (int k = 0; k < 200; ++k) free(malloc(100 + (size_t)k * 100));
      burn_ms(i % 50 == 0 ? 20 : 0);
      _exit(3);
    }
    int status;
    EXPECT(waitpid(pid, &status, 0) == pid);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 3);
  }
  stop = 1;
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  fact("forks", forks);
  return 0;
}
