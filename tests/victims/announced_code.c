// Makes code at run time and announces it as oneDNN does: by the library that INTEL_JIT_PROFILER64 names.
//
// usage: announced_code reuse|many|full|unmapped|forked|dropped|events|constructor [PLUGIN]
//   reuse: two functions at the same address, one after the other
//   many: 100,000 functions in one page, run and dropped or written over; the first one stays
//   full: more functions than anybody can keep
//   unmapped: stacks hold addresses in announced code whose memory another thread takes away and gives back
//   forked: children that were made without libc's handlers announce, while another thread of the parent does
//   dropped: code without an announcement takes the place of dropped code
//   events: events of other numbers, with data that is none
//   constructor: PLUGIN's constructor waits for a thread that announces
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

static volatile int stop;
static void* take_away(void* page) {
  unsigned char* other = region(4096);
  while (!stop) {
    mmap(page, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    mmap(page, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    announce(9, "other_function", other, NULL);  // rows are made anew
  }
  return NULL;
}
static void unmapped(void) {
  static const unsigned char push_many[] = {
      0x90, 0xb9, 100,  0,    0,    0,                 // nop; mov ecx, 100
      0x56, 0x48, 0xff, 0xc6, 0xff, 0xc9, 0x75, 0xf8,  // again: push rsi; inc rsi; dec ecx; jnz again
      0x48, 0xff, 0xcf, 0x75, 0xfb,                    // wait: dec rdi; jnz wait
      0x48, 0x81, 0xc4, 0x20, 0x03, 0x00, 0x00, 0xc3,  // add rsp, 800; ret
  };
  unsigned char *page = region(4096), *at = region(4096);
  memcpy(at, push_many, sizeof push_many);
  struct load l = {2, "taken_function", page, 4096, 0, NULL, 0, NULL, NULL};
  if (notify != NULL) notify(13, &l);
  announce(1, "pushing_function", at, NULL);
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, take_away, page) == 0);
  const int64_t until = thread_cpu_ns() + 500000000;
  for (unsigned k = 1; thread_cpu_ns() < until; k = k * 1103515245 + 12345)
    ((void (*)(long, void*))at)(20000, page + 64 + (k >> 8) % 3800);
  stop = 1;
  EXPECT(pthread_join(thread, NULL) == 0);
}

static void* announce_on(void* at) {
  while (!stop) announce(7, "parents_function", at, NULL);
  return NULL;
}
static void forked(void) {
  unsigned char* at = region(8192);
  make(at);
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, announce_on, at) == 0);
  for (int i = 0; i < 100; ++i) {
    const pid_t child = (pid_t)syscall(SYS_fork);
    EXPECT(child >= 0);
    if (child == 0) {
      announce(8, "childs_function", at + 4096, NULL);
      syscall(SYS_exit_group, 0);
    }
    int status = 0;
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
  }
  stop = 1;
  EXPECT(pthread_join(thread, NULL) == 0);
}

static void dropped(void) {
  unsigned char* at = region(4096);
  make(at);
  announce(1000, "first_function", at, NULL);
  burn_first(at);
  drop(1000);
  burn_second(at);
}

static void events(void) {
  for (int event = -1000; event < 1000; ++event) {
    if (notify != NULL && event != 13 && event != 14 && event != 21 && event != 22) notify(event, (void*)1);
  }
  for (int event = 0; event < 30; ++event) {
    if (notify != NULL) notify(event, NULL);
  }
}

// Called by the plugin, in a thread that its constructor waits for.
__attribute__((visibility("default"))) void announce_for_plugin(void* at) { announce(5, "plugins_function", at, NULL); }

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "reuse";
  find_listener();
  static const struct {
    const char* name;
    void (*run)(void);
  } others[] = {{"unmapped", unmapped}, {"forked", forked}, {"dropped", dropped}, {"events", events}};
  for (unsigned i = 0; i < sizeof others / sizeof *others; ++i) {
    if (strcmp(mode, others[i].name) != 0) continue;
    others[i].run();
    return 0;
  }
  if (strcmp(mode, "constructor") == 0) {
    EXPECT(argc > 2 && dlopen(argv[2], RTLD_NOW) != NULL);
    return 0;
  }
  if (strcmp(mode, "many") == 0)
    many();
  else if (strcmp(mode, "full") == 0)
    full();
  else
    reuse();
  return 0;
}
