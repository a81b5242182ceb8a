/* throw_host LIBRARY COUNT: loads the library as an interpreter loads an extension, prints nanoseconds per throw. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  double (*run)(int) = library ? (double (*)(int))dlsym(library, "thrower_run") : NULL;
  if (!run) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  run(100);
  printf("%.1f\n", run(atoi(argv[2])));
  return 0;
}
