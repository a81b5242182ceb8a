// Loads and unloads two plugins in turn, as hosts of plugins and interpreters do: the loader puts each where the other
// one was.
#include <dlfcn.h>

#include "victim.h"

int main(int argc, char** argv) {
  EXPECT(argc > 3);
  const long rounds = argument(argc, argv, 3, 100);
  enum { kMost = 16 };
  void* places[2][kMost];
  int known[2] = {0, 0};
  for (long i = 0; i < rounds; ++i) {
    void* library = dlopen(argv[1 + i % 2], RTLD_NOW | RTLD_LOCAL);
    EXPECT(library != NULL);
    void (*turn)(int) = (void (*)(int))dlsym(library, "turn");
    EXPECT(turn != NULL);
    int at = 0;
    while (at < known[i % 2] && places[i % 2][at] != (void*)turn) ++at;
    EXPECT(at < kMost);
    if (at == known[i % 2]) places[i % 2][known[i % 2]++] = (void*)turn;
    turn(500000);
    EXPECT(dlclose(library) == 0);
  }
  // What the program maps beside them may send one elsewhere for a while.
  fact("places", known[0] + known[1]);
  fact("same_place", places[0][0] == places[1][0]);
  return 0;
}
