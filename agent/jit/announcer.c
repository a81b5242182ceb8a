/* libprof_jit.so: the library that makers of code load and call, by the names that Intel's JIT profiling interface has
   for its functions. It hands on what it is told; in a process without libprof.so it says that nobody listens. */
#include <dlfcn.h>
#include <stddef.h>

typedef void Listener(int event, const void* data);

static Listener* listener(void) {
  Listener* found;
  *(void**)&found = dlsym(RTLD_DEFAULT, "prof_jit_event");
  return found;
}

__attribute__((visibility("default"))) unsigned Initialize(void) { return listener() != NULL; }

__attribute__((visibility("default"))) int NotifyEvent(int event, void* data) {
  Listener* const tell = listener();
  if (tell != NULL) tell(event, data);
  return 1;
}
