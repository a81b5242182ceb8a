/* Asks in every way that there is whether this process has CUDA, and prints what it was told.
 *
 * gpu_probe [LIBRARY...]: loads the libraries for everybody and asks once more; calls what it finds. */
#include <dlfcn.h>

#include "victim.h"

extern int cudaGetDeviceCount(int*) __attribute__((weak));
extern int cuInit(unsigned) __attribute__((weak));
extern int ncclGetVersion(int*) __attribute__((weak));
static int (*const table[])(int*) = {cudaGetDeviceCount, ncclGetVersion};

static const char* const names[] = {"cudaGetDeviceCount",
                                    "cudaMalloc",
                                    "__cudaLaunchKernel",
                                    "cuInit",
                                    "cublasSgemm_v2",
                                    "cudnnCreate",
                                    "ncclAllReduce",
                                    "cuserid",
                                    "curl_easy_init",
                                    "malloc",
                                    "n",
                                    ""};

static void* ask(const char* how, void* handle, const char* name) {
  dlerror();
  void* found = dlsym(handle, name);
  const char* message = dlerror();
  printf("%s %s: %s, %s\n", how, name, found ? "found" : "none", message ? message : "no message");
  message = dlerror();
  EXPECT(message == NULL);
  return found;
}

static void ask_all(void) {
  void* program = dlopen(NULL, RTLD_LAZY);
  EXPECT(program);
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    ask("default", RTLD_DEFAULT, names[i]);
    ask("next", RTLD_NEXT, names[i]);
    ask("program", program, names[i]);
    dlerror();
    printf("version %s: %s\n", names[i], dlvsym(RTLD_DEFAULT, names[i], "NO_SUCH_VERSION") ? "found" : "none");
  }
  dlclose(program);
}

int main(int argc, char** argv) {
  printf("weak %d %d %d, in data %d %d\n", cudaGetDeviceCount != NULL, cuInit != NULL, ncclGetVersion != NULL,
         table[0] != NULL, table[1] != NULL);
  ask_all();
  for (int i = 1; i < argc; ++i) EXPECT(dlopen(argv[i], RTLD_NOW | RTLD_GLOBAL));
  if (argc > 1) {
    ask_all();
    int count = -1;
    int (*get)(int*) = (int (*)(int*))ask("call", RTLD_DEFAULT, "cudaGetDeviceCount");
    EXPECT(get);
    for (int i = 0; i < 5; ++i) EXPECT(get(&count) == 0);
    fact("count", count);
  }
  fflush(stdout);
  return 0;
}
