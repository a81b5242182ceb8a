// Makes code at run time and announces it as oneDNN does: by the library that INTEL_JIT_PROFILER64 names.
//
// usage: announced_code reuse|many|full
//   reuse: two functions at the same address, one after the other
//   many: 100,000 functions in one page, run and dropped or written over; the first one stays
//   full: more functions than anybody can keep
#include <dlfcn.h>

#include "victim.h"

static const unsigned char code[] = {
    0x55,                                // push rbp
    0x53,                                // push rbx
    0x41, 0x54,                          // push r12
    0x48, 0x83, 0xec, 0x20,              // sub rsp, 0x20
    0x48, 0xc7, 0xc5, 0x00, 0x04, 0, 0,  // mov rbp, 0x400
    0x48, 0xff, 0xcf,                    // again: dec rdi
    0x75, 0xfb,                          // jnz again
    0x48, 0x83, 0xc4, 0x20,              // add rsp, 0x20
    0x41, 0x5c,                          // pop r12
    0x5b,                                // pop rbx
    0x5d,                                // pop rbp
    0xc3,                                // ret
};
enum { kRoom = 64 };

struct load {
  unsigned id;
  const char* name;
  void* address;
  unsigned bytes, line_bytes;
  void* lines;
  unsigned class_id;
  const char *class_file, *source_file;
};

static int (*notify)(int, void*);

static void find_listener(void) {
  const char* path = getenv("INTEL_JIT_PROFILER64");
  void* library = path != NULL ? dlopen(path, RTLD_LAZY) : NULL;
  unsigned (*initialize)(void) = NULL;
  if (library != NULL) {
    *(void**)&initialize = dlsym(library, "Initialize");
    *(void**)&notify = dlsym(library, "NotifyEvent");
  }
  if (initialize == NULL || initialize() == 0) notify = NULL;
  fact("listener", notify != NULL);
}

static void announce(unsigned id, const char* name, void* address, const char* source) {
  struct load l = {id, name, address, sizeof code, 0, NULL, 0, NULL, source};
  if (notify != NULL) notify(13, &l);
}

static void drop(unsigned id) {
  if (notify != NULL) notify(14, &id);
}

static void make(unsigned char* at) { memcpy(at, code, sizeof code); }

static void burn(unsigned char* at, long ms) {
  void (*spin)(long) = (void (*)(long))at;
  const int64_t until = thread_cpu_ns() + ms * 1000000;
  while (thread_cpu_ns() < until) spin(1000000);
}
static void burn_first(unsigned char* at) { burn(at, 300); }
static void burn_second(unsigned char* at) { burn(at, 600); }

static void* region(size_t bytes) {
  void* made = mmap(NULL, bytes, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT(made != MAP_FAILED);
  return made;
}

static void reuse(void) {
  unsigned char* at = region(4096);
  make(at + 100);
  announce(1000, "first_function", at + 100, "/src/first.cpp");
  burn_first(at + 100);
  make(at + 80);  // begins elsewhere, over what was there
  announce(1001, "second_function", at + 80, "/src/second.cpp");
  burn_second(at + 80);
  drop(1001);
}

static void many(void) {
  unsigned char* at = region(8192);
  make(at);
  announce(1000, "first_function", at, NULL);
  char name[32];
  for (unsigned i = 0; i < 100000; ++i) {
    unsigned char* there = at + kRoom * (1 + i % 63) + (i / 63 % 2 != 0 ? 8 : 0);
    snprintf(name, sizeof name, "dropped_%u", i % 1000);
    make(there);
    announce(2000 + i, name, there, NULL);
    ((void (*)(long))there)(1);
    if (i % 2 == 0) drop(2000 + i);
  }
  burn_first(at);
  fact("peak_kib", (long long)({
         struct rusage u;
         getrusage(RUSAGE_SELF, &u);
         u.ru_maxrss;
       }));
}

static void full(void) {
  enum { kMany = 200000 };
  unsigned char* at = region((size_t)kMany * kRoom);
  char name[32];
  for (unsigned i = 0; i < kMany; ++i) {
    make(at + (size_t)i * kRoom);
    snprintf(name, sizeof name, "kept_%u", i % 20000);
    announce(2000 + i, name, at + (size_t)i * kRoom, NULL);
  }
  burn_second(at + (size_t)(kMany - 1) * kRoom);
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "reuse";
  find_listener();
  if (strcmp(mode, "many") == 0)
    many();
  else if (strcmp(mode, "full") == 0)
    full();
  else
    reuse();
  return 0;
}
