// Loads, runs and unloads a library in a loop, while another thread burns, allocates and walks the loader's list
// itself.
#include <dlfcn.h>
#include <link.h>

#include "victim.h"

static volatile int stop;

static int64_t called_back_ns, plugin_ns;

static void call_back(void) {
  const int64_t start = thread_cpu_ns();
  static uint32_t random = 1;
  BURN_NS(50000 + (int64_t)next_random(&random) % 100000);  // rounds of one length may keep step with the ticks
  called_back_ns += thread_cpu_ns() - start;
}

static int count_module(struct dl_phdr_info* info, size_t size, void* count) {
  (void)info;
  EXPECT(size >= sizeof(struct dl_phdr_info));
  ++*(int*)count;
  return 0;
}

static void* other(void* unused) {
  (void)unused;
  while (!stop) {
    free(malloc(300000));
    int count = 0;
    dl_iterate_phdr(count_module, &count);
    EXPECT(count >= 4);
    BURN_NS(100000);
  }
  return NULL;
}

int main(int argc, char** argv) {
  EXPECT(argc > 2);
  const long rounds = argument(argc, argv, 2, 1000);
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, other, NULL) == 0);
  for (long i = 0; i < rounds; ++i) {
    void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    EXPECT(library != NULL);
    void (*work)(void (*)(void)) = (void (*)(void (*)(void)))dlsym(library, "plugin_work");
    EXPECT(work != NULL);
    const int64_t start = thread_cpu_ns();
    work(call_back);
    plugin_ns += thread_cpu_ns() - start;
    EXPECT(dlclose(library) == 0);
    EXPECT(dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) == NULL);  // it is really gone: nobody else holds it
  }
  stop = 1;
  pthread_join(thread, NULL);
  fact("rounds", rounds);
  fact("plugin_ns", plugin_ns - called_back_ns);
  return 0;
}
