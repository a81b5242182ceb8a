// Maps its own code a second time, from its own file, and runs it there; then other code takes its place.
#include <fcntl.h>

#include "victim.h"

// Leads nowhere else, so that it may stand anywhere.
void spin_anywhere(long rounds) {
  for (; rounds > 0; --rounds) __asm__ volatile("");
}

static void burn(void (*spin)(long), long ms) {
  const int64_t until = thread_cpu_ns() + ms * 1000000;
  while (thread_cpu_ns() < until) spin(1000000);
}
static void burn_first(void (*spin)(long)) { burn(spin, 600); }
static void burn_second(void (*spin)(long)) { burn(spin, 300); }

int main(void) {
  const uintptr_t at = (uintptr_t)spin_anywhere;
  FILE* maps = fopen("/proc/self/maps", "r");
  EXPECT(maps != NULL);
  char line[4200];
  unsigned long start = 0, end = 0, offset = 0;
  while (fgets(line, sizeof line, maps) != NULL) {
    EXPECT(sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3);
    if (at >= start && at < end) break;
  }
  EXPECT(at >= start && at < end && fclose(maps) == 0);
  const int fd = open("/proc/self/exe", O_RDONLY);
  EXPECT(fd >= 0);
  char* twice = mmap(NULL, end - start, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, (off_t)offset);
  EXPECT(twice != MAP_FAILED && close(fd) == 0);
  burn_first((void (*)(long))(twice + (at - start)));
  const size_t page = 4096;
  char* other = (char*)(((uintptr_t)twice + (at - start)) / page * page);
  EXPECT(mprotect(other, page, PROT_READ | PROT_WRITE) == 0);
  static const unsigned char code[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3};  // again: dec rdi; jnz again; ret
  memcpy(twice + (at - start), code, sizeof code);
  EXPECT(mprotect(other, page, PROT_READ | PROT_EXEC) == 0);
  burn_second((void (*)(long))(twice + (at - start)));
  return 0;
}
