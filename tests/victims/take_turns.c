// Loads and unloads two plugins in turn, as hosts of plugins and interpreters do: the loader puts each where the other
// one was.
#include <dlfcn.h>

#include "victim.h"

int main(int argc, char** argv) {
  EXPECT(argc > 3);
  const long rounds = argument(argc, argv, 3, 100);
  void* places[2] = {NULL, NULL};
  for (long i = 0; i < rounds; ++i) {
    void* library = dlopen(argv[1 + i % 2], RTLD_NOW | RTLD_LOCAL);
    EXPECT(library != NULL);
    void (*turn)(int) = (void (*)(int))dlsym(library, "turn");
    EXPECT(turn != NULL);
    places[i % 2] = (void*)turn;
    turn(500000);
    EXPECT(dlclose(library) == 0);
  }
  fact("same_place", places[0] == places[1]);
  return 0;
}
