/* libprof_jit.so: the library that makers of code load and call, by the names that Intel's JIT profiling interface has
   for its functions. It hands on what it is told; in a process without libprof.so it says that nobody listens. */
#include <dlfcn.h>
#include <stddef.h>

typedef int Listener(int event, const void* data);

static Listener* listener;

/* Called by who has just loaded this library, and so waits for the loader's lock anyway. Events come while others hold
   that lock, and in forked children in which nobody gives it back: there nothing may be looked up. */
__attribute__((visibility("default"))) unsigned Initialize(void) {
  Listener* found;
  *(void**)&found = dlsym(RTLD_DEFAULT, "libprof_internal_jit_event");
  __atomic_store_n(&listener, found, __ATOMIC_RELEASE);
  return found != NULL;
}

/* The last call of all, so that no return address of this library stays on a stack whose owner is looked for. */
__attribute__((visibility("default"))) int NotifyEvent(int event, void* data) {
  Listener* const tell = __atomic_load_n(&listener, __ATOMIC_ACQUIRE);
  return tell != NULL ? tell(event, data) : 1;
}
