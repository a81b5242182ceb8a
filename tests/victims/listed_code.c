// Makes functions at run time and lists them in /tmp/perf-PID.map, as runtimes do that are asked to.
#include "victim.h"

static const unsigned char leaf[] = {
    0x48, 0xff, 0xcf,  // again: dec rdi
    0x75, 0xfb,        // jnz again
    0xc3,              // ret
};
// Two that keep frame pointers, and push what is none.
static const unsigned char outer[] = {
    0x55,                          // push rbp
    0x48, 0x89, 0xe5,              // mov rbp, rsp
    0x6a, 0x07,                    // push 7
    0x6a, 0x08,                    // push 8
    0xe8, 0x73, 0x00, 0x00, 0x00,  // call +0x73: 128 bytes from the function's start
    0xc9,                          // leave
    0xc3,                          // ret
};
static const unsigned char inner[] = {
    0x55,              // push rbp
    0x48, 0x89, 0xe5,  // mov rbp, rsp
    0x57,              // push rdi
    0x48, 0xff, 0xcf,  // again: dec rdi
    0x75, 0xfb,        // jnz again
    0xc9,              // leave
    0xc3,              // ret
};

static void burn(unsigned char* at, long ms) {
  void (*spin)(long) = (void (*)(long))at;
  const int64_t until = thread_cpu_ns() + ms * 1000000;
  while (thread_cpu_ns() < until) spin(1000000);
}
static void burn_nested(unsigned char* at) { burn(at, 300); }

int main(void) {
  unsigned char* made = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT(made != MAP_FAILED);
  memcpy(made, leaf, sizeof leaf);
  memcpy(made + 256, leaf, sizeof leaf);
  memcpy(made + 512, outer, sizeof outer);
  memcpy(made + 640, inner, sizeof inner);
  memcpy(made + 768, leaf, sizeof leaf);
  memcpy(made + 832, leaf, sizeof leaf);
  char name[64];
  snprintf(name, sizeof name, "/tmp/perf-%d.map", (int)getpid());
  FILE* list = fopen(name, "w");
  EXPECT(list != NULL);
  fprintf(list, "%lx 40 JS:*slow_script /srv/app.js:7:3\n", (unsigned long)made);
  fprintf(list, "0x%016lx 0x%016x long Work.sum(int)\n", (unsigned long)(made + 256), 64);
  fprintf(list, "%lx 80 JS:*outer_script /srv/app.js:9:3\n", (unsigned long)(made + 512));
  fprintf(list, "%lx 40 JS:*inner_script /srv/app.js:7:40\n", (unsigned long)(made + 640));
  fprintf(list, "%lx 40 void [listed_code] Acme.Orders+<Load>d__3::MoveNext()[OptimizedTier1]\n",
          (unsigned long)(made + 768));
  fprintf(list, "%lx 40 instance int32 [System.Private.CoreLib] System.String::GetHashCode()[PreJIT]\n",
          (unsigned long)(made + 832));
  fclose(list);
  burn(made, 300);
  burn(made + 256, 600);
  burn_nested(made + 512);
  burn(made + 768, 300);
  burn(made + 832, 300);
  fact("pid", getpid());
  return 0;
}
