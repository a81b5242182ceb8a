// A host in C, linked to no C++ runtime, that loads an extension which throws. Prints the price of one throw in ns.
#include <dlfcn.h>

#include "victim.h"

int main(int argc, char** argv) {
  EXPECT(argc > 1);
  void* extension = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  EXPECT(extension != NULL);
  long (*throw_and_catch)(long) = (long (*)(long))dlsym(extension, "throw_and_catch");
  EXPECT(throw_and_catch != NULL && throw_and_catch(1000) == 1000);
  int64_t best = INT64_MAX;
  for (int i = 0; i < 5; ++i) {
    const int64_t start = thread_cpu_ns();
    EXPECT(throw_and_catch(2000) == 2000);
    const int64_t spent = thread_cpu_ns() - start;
    if (spent < best) best = spent;
  }
  fact("throw_ns", best / 2000);
  return 0;
}
