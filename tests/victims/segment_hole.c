// Generated code that allocates while a number lies on its stack that looks like an address in a library, but is one in
// a hole between two of its segments.
#include <dlfcn.h>

#include "victim.h"

static uintptr_t hole_of(const char* library) {
  FILE* maps = fopen("/proc/self/maps", "r");
  EXPECT(maps != NULL);
  char line[4096], rights[8];
  uintptr_t from = 0, to = 0, hole = 0;
  while (fgets(line, sizeof line, maps) != NULL) {
    if (strstr(line, library) != NULL && sscanf(line, "%lx-%lx %7s", &from, &to, rights) == 3 &&
        strcmp(rights, "---p") == 0)
      hole = from + 0x1000;
  }
  fclose(maps);
  return hole;
}

int main(int argc, char** argv) {
  EXPECT(argc > 1);
  EXPECT(dlopen(argv[1], RTLD_NOW) != NULL);
  const uintptr_t hole = hole_of("plugin_hole.so");
  EXPECT(hole != 0);
  // sub $0x108,%rsp; mov %rsi,(%rsp); mov %rsi,8(%rsp); mov $64,%edi; call *%rdx; add $0x108,%rsp; ret
  static const unsigned char code[] = {0x48, 0x81, 0xec, 0x08, 0x01, 0,    0,    0x48, 0x89, 0x34, 0x24,
                                       0x48, 0x89, 0x74, 0x24, 8,    0xbf, 0x40, 0,    0,    0,    0xff,
                                       0xd2, 0x48, 0x81, 0xc4, 0x08, 0x01, 0,    0,    0xc3};
  void* page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT(page != MAP_FAILED);
  memcpy(page, code, sizeof code);
  void* (*generated)(long, uintptr_t, void* (*)(size_t)) = (void* (*)(long, uintptr_t, void* (*)(size_t)))page;
  for (int i = 0; i < 100; ++i) {
    void* block = generated(0, hole, malloc);
    EXPECT(block != NULL);
    free(block);
  }
  fact("blocks", 100);
  return 0;
}
