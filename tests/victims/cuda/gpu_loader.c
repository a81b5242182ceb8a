// The ways in which a program comes to CUDA without being linked with it: gpu_loader HOW.
#include <dlfcn.h>

#include "cuda_api.h"

typedef void work_function(int count);

static char directory[4096];

static void* open_plugin(int major, int flags) {
  char path[4200];
  snprintf(path, sizeof path, "%s/gpu_plugin%d.so", directory, major);
  void* const plugin = flags < 0 ? dlmopen(LM_ID_NEWLM, path, RTLD_NOW) : dlopen(path, RTLD_NOW | flags);
  if (plugin == NULL) dprintf(2, "%s\n", dlerror());
  EXPECT(plugin != NULL);
  return plugin;
}

static void use(void* plugin, int count) {
  work_function* const work = (work_function*)dlsym(plugin, "plugin_work");
  EXPECT(work != NULL);
  work(count);
}

// As ctypes, Triton and XLA do: every function by dlsym from the library's own handle.
static void by_handle(int count) {
  void* const runtime = dlopen("libcudart.so.12", RTLD_NOW | RTLD_LOCAL);
  EXPECT(runtime != NULL);
  cudaError_t (*get)(void**, size_t) = (cudaError_t(*)(void**, size_t))dlsym(runtime, "cudaMalloc");
  cudaError_t (*give)(void*) = (cudaError_t(*)(void*))dlsym(runtime, "cudaFree");
  void* block = NULL;
  for (int i = 0; i < count; ++i) {
    EXPECT(get(&block, 4096) == 0);
    EXPECT(give(block) == 0);
  }
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  EXPECT(driver != NULL);
  int (*find)(const char**, void*, const char*) =
      (int (*)(const char**, void*, const char*))dlsym(driver, "cuModuleGetFunction");
  int (*launch)(const char*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**,
                void**) = (int (*)(const char*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                   void*, void**, void**))dlsym(driver, "cuLaunchKernel");
  int (*wait)(void) = (int (*)(void))dlsym(driver, "cuCtxSynchronize");
  const char* kernel = NULL;
  EXPECT(find(&kernel, NULL, "triton_80us") == 0);
  for (int i = 0; i < count; ++i) EXPECT(launch(kernel, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL) == 0);
  EXPECT(wait() == 0);
}

int main(int argc, char** argv) {
  const char* const how = argc > 1 ? argv[1] : "local";
  const ssize_t length = readlink("/proc/self/exe", directory, sizeof directory - 1);
  EXPECT(length > 0);
  *strrchr(directory, '/') = 0;
  if (strcmp(how, "local") == 0) {
    use(open_plugin(12, RTLD_LOCAL), 30);
  } else if (strcmp(how, "global") == 0) {
    use(open_plugin(12, RTLD_GLOBAL), 30);
  } else if (strcmp(how, "two") == 0) {
    void* const twelve = open_plugin(12, RTLD_LOCAL);
    void* const thirteen = open_plugin(13, RTLD_LOCAL);
    for (int i = 0; i < 5; ++i) {
      use(thirteen, 10);
      use(twelve, 10);
    }
  } else if (strcmp(how, "two-global") == 0) {
    void* const twelve = open_plugin(12, RTLD_GLOBAL);
    void* const thirteen = open_plugin(13, RTLD_GLOBAL);
    for (int i = 0; i < 5; ++i) {
      use(thirteen, 10);
      use(twelve, 10);
    }
  } else if (strcmp(how, "deepbind") == 0) {
    use(open_plugin(12, RTLD_LOCAL | RTLD_DEEPBIND), 30);
  } else if (strcmp(how, "dlmopen") == 0) {
    use(open_plugin(12, -1), 30);
  } else if (strcmp(how, "handle") == 0) {
    by_handle(30);
  } else if (strcmp(how, "reload") == 0) {
    for (int i = 0; i < 20; ++i) {
      void* const plugin = open_plugin(i % 2 == 0 ? 12 : 13, RTLD_LOCAL);
      use(plugin, 5);
      EXPECT(dlclose(plugin) == 0);
    }
  } else {
    return VICTIM_FAILED;
  }
  fact("done", 1);
  return 0;
}
