// A program with the CUDA runtime linked in, as nvcc does unless told otherwise: nobody can put himself between it and
// the runtime, which itself reaches the driver by dlopen, dlsym("cuGetProcAddress_v2") and pointers from there on.
#include <dlfcn.h>

#include "victim.h"

typedef int find_function(const char* name, void** to, int version, uint64_t flags, int* status);

static void* driver;
static find_function* find_in_driver;

// A call of the runtime, of which it tells CUPTI by the driver's private tables; it initialises the driver in the
// first.
static void* begin(const char* name) {
  if (driver == NULL) {
    driver = dlopen("libcuda.so.1", RTLD_NOW);
    EXPECT(driver != NULL);
    find_in_driver = (find_function*)dlsym(driver, "cuGetProcAddress_v2");
    EXPECT(find_in_driver != NULL);
  }
  void* const call = ((void* (*)(const char*))dlsym(driver, "cuFakeRuntimeBegins"))(name);
  static int initialised;
  if (!initialised) {
    int (*init)(unsigned) = NULL;
    EXPECT(find_in_driver("cuInit", (void**)&init, 12000, 0, NULL) == 0);
    EXPECT(init(0) == 0);
    initialised = 1;
  }
  return call;
}

static int end(void* call, int result) {
  ((void (*)(void*))dlsym(driver, "cuFakeRuntimeEnds"))(call);
  return result;
}

static void* driver_function(const char* name) {
  void* found = NULL;
  int status = -1;
  EXPECT(find_in_driver(name, &found, 12000, 0, &status) == 0 && status == 0);
  return found;
}

__attribute__((visibility("hidden"))) int cudaMalloc(void** to, size_t bytes) {
  void* const call = begin("cudaMalloc");
  static int (*function)(void**, size_t);
  if (function == NULL) function = (int (*)(void**, size_t))driver_function("cuMemAlloc");
  return end(call, function(to, bytes));
}

__attribute__((visibility("hidden"))) int cudaMemcpy(void* to, const void* from, size_t bytes) {
  void* const call = begin("cudaMemcpy");
  static int (*function)(void*, const void*, size_t);
  if (function == NULL) function = (int (*)(void*, const void*, size_t))driver_function("cuMemcpy");
  return end(call, function(to, from, bytes));
}

__attribute__((visibility("hidden"))) int cudaLaunchKernel(const char* kernel, void* stream) {
  typedef int launch_function(const char*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*,
                              void**, void**);
  void* const call = begin("cudaLaunchKernel");
  static launch_function* function;
  static int (*find)(const char**, void*, const char*);
  if (function == NULL) {
    find = (int (*)(const char**, void*, const char*))driver_function("cuModuleGetFunction");
    function = (launch_function*)driver_function("cuLaunchKernel");
  }
  const char* handle = NULL;
  EXPECT(find(&handle, NULL, kernel) == 0);
  return end(call, function(handle, 1, 1, 1, 32, 1, 1, 0, stream, NULL, NULL));
}

__attribute__((visibility("hidden"))) int cudaDeviceSynchronize(void) {
  void* const call = begin("cudaDeviceSynchronize");
  return end(call, ((int (*)(void))driver_function("cuCtxSynchronize"))());
}

static void first_caller(void) { EXPECT(cudaLaunchKernel("linked_in_90us", NULL) == 0); }
static void second_caller(void) { EXPECT(cudaLaunchKernel("linked_in_90us", NULL) == 0); }

int main(int argc, char** argv) {
  const long count = argument(argc, argv, 1, 20);
  void* device = NULL;
  char host[2000] = {3}, back[2000];
  EXPECT(cudaMalloc(&device, sizeof host) == 0);
  for (long i = 0; i < count; ++i) {
    first_caller();
    second_caller();
    second_caller();
  }
  EXPECT(cudaMemcpy(device, host, sizeof host) == 0);
  EXPECT(cudaMemcpy(back, device, sizeof back) == 0);
  EXPECT(memcmp(host, back, sizeof host) == 0);
  EXPECT(cudaDeviceSynchronize() == 0);
  fact("done", count);
  return 0;
}
