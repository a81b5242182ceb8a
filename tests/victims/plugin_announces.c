// Its constructor waits for a thread that calls the program: the loader's lock is held meanwhile.
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

static void (*call)(void*);
static char code[4096];

static void* run(void* nothing) {
  call(code);
  return nothing;
}

__attribute__((constructor)) static void begin(void) {
  *(void**)&call = dlsym(RTLD_DEFAULT, "announce_for_plugin");
  pthread_t thread;
  if (call != NULL && pthread_create(&thread, NULL, run, NULL) == 0) pthread_join(thread, NULL);
}
