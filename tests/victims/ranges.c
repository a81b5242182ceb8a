// Ranges of NVTX, as programs and libraries of theirs make them. The argument says which.
#include <wchar.h>

#include "nvtx_host.h"

static nvtx_host program, library;
static volatile void* kept[1000];

static void allocate(int blocks, size_t bytes) {
  for (int i = 0; i < blocks; ++i) kept[i] = malloc(bytes);
}

static void nested(void) {
  EXPECT(nvtx_push(&program, "outer") == 0);
  int64_t cpu = thread_cpu_ns();
  burn_ms(150);
  EXPECT(nvtx_push_wide(&program, L"inn\u00e9r") == 1);
  const int64_t before = thread_cpu_ns();
  fact("outer_ns", before - cpu);
  burn_ms(300);
  cpu = thread_cpu_ns();
  fact("inner_ns", cpu - before);
  EXPECT(nvtx_pop(&program) == 1);
  EXPECT(nvtx_pop(&program) == 0);
  EXPECT(nvtx_pop(&program) == -1);
  burn_ms(150);
}

// The same line allocates in and out of ranges: the last stack is remembered, and must not be.
static void memory(void) {
  for (int round = 0; round < 50; ++round) {
    EXPECT(nvtx_push(&program, round % 2 == 0 ? "even" : "odd") == 0);
    allocate(10, 100);
    EXPECT(nvtx_push(&program, "inside") == 1);
    allocate(1, 1000);
    EXPECT(nvtx_pop(&program) == 1);
    allocate(1, 10);
    EXPECT(nvtx_pop(&program) == 0);
    allocate(1, 7777);
  }
}

// Two libraries with NVTX of their own, whose domains end their ranges in any order.
static void domains(void) {
  const void* a = nvtx_domain(&program, "A");
  const void* b = nvtx_domain(&library, "B");
  EXPECT(a != NULL && b != NULL && a != b && nvtx_domain(&library, "A") == a);
  const nvtx_attributes in_a = nvtx_message(3, nvtx_string(&program, a, "of a"), 42);
  const nvtx_attributes in_b = nvtx_message(1, "of b", 43);
  EXPECT(nvtx_domain_push(&program, a, &in_a) == 0);
  EXPECT(nvtx_domain_push(&library, b, &in_b) == 0);
  allocate(3, 100);
  EXPECT(nvtx_domain_pop(&program, a) == 0);
  allocate(5, 100);
  EXPECT(nvtx_domain_push(&program, a, &in_a) == 0);
  EXPECT(nvtx_domain_pop(&library, b) == 0);
  EXPECT(nvtx_domain_pop(&library, b) == -1);
  EXPECT(nvtx_domain_pop(&program, a) == 0);
  allocate(7, 100);
}

static uint64_t anywhere;
static void* other_thread(void* unused) {
  nvtx_end(&program, anywhere);
  EXPECT(nvtx_pop(&program) == -1);
  EXPECT(nvtx_push(&program, "of the thread") == 0);
  allocate(4, 100);
  return unused;  // with its range open
}
static void threads(void) {
  EXPECT(nvtx_push(&program, "of main") == 0);
  anywhere = nvtx_start(&program, "anywhere");
  const uint64_t forgotten = nvtx_start(&program, "never ended");
  EXPECT(anywhere != 0 && forgotten != 0 && anywhere != forgotten);
  for (int i = 0; i < 2; ++i) {
    pthread_t t;
    EXPECT(pthread_create(&t, NULL, other_thread, NULL) == 0);
    EXPECT(pthread_join(t, NULL) == 0);
    if (i == 0) anywhere = nvtx_start(&program, "anywhere");
  }
  nvtx_mark(&program, "moment");
  EXPECT(nvtx_pop(&program) == 0);
}

static void many(void) {
  char text[64];
  for (int i = 0; i < 3000; ++i) {
    snprintf(text, sizeof(text), "step %d", i);
    EXPECT(nvtx_push(&program, text) == 0);
    EXPECT(nvtx_pop(&program) == 0);
  }
  for (int i = 0; i < 9000; ++i) {
    snprintf(text, sizeof(text), "%c%c%c", 'a' + i % 26, 'a' + i / 26 % 26, 'a' + i / 676);
    EXPECT(nvtx_push(&program, text) == 0);
    EXPECT(nvtx_pop(&program) == 0);
  }
}

static void deep(void) {
  for (int i = 0; i < 100; ++i) EXPECT(nvtx_push(&program, "deep") == i);
  for (int i = 100; i-- > 0;) EXPECT(nvtx_pop(&program) == i);
  EXPECT(nvtx_pop(&program) == -1);
}

static void forks(void) {
  EXPECT(nvtx_push(&program, "before the fork") == 0);
  const void* domain = nvtx_domain(&program, "D");
  const pid_t child = fork();
  EXPECT(child >= 0);
  if (child == 0) {
    const nvtx_attributes a = nvtx_message(1, "in the child", 0);
    EXPECT(nvtx_domain_push(&program, domain, &a) == 0);
    allocate(9, 100);
    EXPECT(nvtx_domain_pop(&program, domain) == 0);
    _exit(0);
  }
  int status = 1;
  EXPECT(waitpid(child, &status, 0) == child && status == 0);
  allocate(2, 100);
  EXPECT(nvtx_pop(&program) == 0);
}

// For windows: what lies in "wanted" and what does not.
static void window(void) {
  for (int i = 0; i < 4; ++i) {
    EXPECT(nvtx_push(&program, "unwanted") == 0);
    burn_ms(60);
    EXPECT(nvtx_pop(&program) == 0);
    EXPECT(nvtx_push(&program, "wanted") == 0);
    burn_ms(60);
    EXPECT(nvtx_push(&program, "part") == 1);
    EXPECT(nvtx_pop(&program) == 1);
    EXPECT(nvtx_pop(&program) == 0);
  }
}

static void absent(void) {
  fact("level", nvtx_push(&program, "nobody listens"));
  const char* path = getenv("NVTX_INJECTION64_PATH");
  fact("path_is_foreign", path != NULL && strcmp(path, "/nowhere/tool.so") == 0);
}

int main(int argc, char** argv) {
  EXPECT(argc == 2);
  static const struct {
    const char* name;
    void (*run)(void);
  } modes[] = {{"nested", nested}, {"memory", memory}, {"domains", domains}, {"threads", threads}, {"many", many},
               {"deep", deep},     {"forks", forks},   {"window", window},   {"absent", absent}};
  for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); ++i) {
    if (strcmp(argv[1], modes[i].name) == 0) {
      modes[i].run();
      return 0;
    }
  }
  return VICTIM_FAILED;
}
