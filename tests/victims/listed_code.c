// Makes two functions at run time and lists them in /tmp/perf-PID.map, as runtimes do that are asked to.
#include "victim.h"

static const unsigned char code[] = {
    0x48, 0xff, 0xcf,  // again: dec rdi
    0x75, 0xfb,        // jnz again
    0xc3,              // ret
};

static void burn(unsigned char* at, long ms) {
  void (*spin)(long) = (void (*)(long))at;
  const int64_t until = thread_cpu_ns() + ms * 1000000;
  while (thread_cpu_ns() < until) spin(1000000);
}

int main(void) {
  unsigned char* made = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT(made != MAP_FAILED);
  memcpy(made, code, sizeof code);
  memcpy(made + 256, code, sizeof code);
  char name[64];
  snprintf(name, sizeof name, "/tmp/perf-%d.map", (int)getpid());
  FILE* list = fopen(name, "w");
  EXPECT(list != NULL);
  fprintf(list, "%lx 40 JS:*slow_script /srv/app.js:7:3\n", (unsigned long)made);
  fprintf(list, "0x%016lx 0x%016x long Work.sum(int)\n", (unsigned long)(made + 256), 64);
  fclose(list);
  burn(made, 300);
  burn(made + 256, 600);
  fact("pid", getpid());
  return 0;
}
