// A program that opens an interpreter's library when it runs already, and runs Python that burns CPU time.
//
// usage: embed_python LIBRARY local|global MS
#include <dlfcn.h>

#include "victim.h"

static const char kScript[] =
    "import time\n"
    "def embedded_burn(seconds):\n"
    "    end = time.process_time() + seconds\n"
    "    while time.process_time() < end:\n"
    "        sum(range(4000))\n";

static void* symbol(void* library, const char* name) {
  void* found = dlsym(library, name);
  EXPECT(found != NULL);
  return found;
}

int main(int argc, char** argv) {
  EXPECT(argc == 4);
  burn_ms(30);
  void* library = dlopen(argv[1], RTLD_NOW | (strcmp(argv[2], "global") == 0 ? RTLD_GLOBAL : RTLD_LOCAL));
  if (library == NULL) {
    dprintf(2, "%s\n", dlerror());
    return VICTIM_FAILED;
  }
  void (*initialize)(int);
  int (*run)(const char*, void*);
  int (*finalize)(void);
  *(void**)&initialize = symbol(library, "Py_InitializeEx");
  *(void**)&run = symbol(library, "PyRun_SimpleStringFlags");
  *(void**)&finalize = symbol(library, "Py_FinalizeEx");
  char call[64];
  snprintf(call, sizeof call, "embedded_burn(%ld / 1000)\n", argument(argc, argv, 3, 100));
  // Twice: an interpreter that was ended can be made anew.
  for (int round = 0; round < 2; ++round) {
    initialize(0);
    EXPECT(run(kScript, NULL) == 0);
    EXPECT(run(call, NULL) == 0);
    EXPECT(finalize() == 0);
  }
  fact("rounds", 2);
  return 0;
}
