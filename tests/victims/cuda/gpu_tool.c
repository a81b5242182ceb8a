// A program with a profiler of its own that loads CUPTI itself, as JAX's and Triton's do:
//   gpu_tool process|subscriber|serial|context|finalize first|later
// It has its records for the process, or by a subscriber of its own, or of kernels that run one after the other, or for
// a context; and is there before all use of CUDA, or after some. It says what it got: alone and under another profiler
// the same. TOOL_CUPTI: the library that it loads, in the place of the system's; TOOL_LOADS: one that it loads before
// it uses CUDA.
#include <dlfcn.h>

#include "cuda_api.h"

KERNEL(outside_40us)
KERNEL(inside_60us)

enum { kMemcpy = 1, kSerialKernel = 3, kRuntime = 5, kKernel = 10, kRuntimeDomain = 2, kBufferBytes = 16 << 10 };

static void* cupti;

static void* look_up(const char* name) {
  void* const found = dlsym(cupti, name);
  if (found == NULL) printf("no %s\n", name);
  return found;
}
#define CUPTI(name, parameters) ((int(*) parameters)look_up(#name))

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long clock_stepped;
static long kernels, kernel_ns, copies, runtime_calls, callbacks, failures, badly_timed;
static uint64_t window_from, window_to;
static size_t dropped;
static void* subscriber;
static int scoped, by_context, finalizes;

static void expect(const char* what, int result) {
  if (result == 0) return;
  ++failures;
  printf("%s %d\n", what, result);
}

static void request(uint8_t** buffer, size_t* size, size_t* most) {
  *buffer = aligned_alloc(8, kBufferBytes);
  *size = kBufferBytes;
  *most = 0;
}
static void request_scoped(uint8_t** buffer, size_t* size, size_t* most, void* info) {
  (void)info;
  request(buffer, size, most);
}

static uint64_t at(const uint8_t* record, size_t offset, size_t bytes) {
  uint64_t value = 0;
  memcpy(&value, record + offset, bytes);
  return value;
}

static int next_record(uint8_t* buffer, size_t valid, uint8_t** record) {
  return scoped ? CUPTI(cuptiActivityGetNextRecord_v2, (void*, uint8_t*, size_t, uint8_t**))(subscriber, buffer, valid,
                                                                                             record)
                : CUPTI(cuptiActivityGetNextRecord, (uint8_t*, size_t, uint8_t**))(buffer, valid, record);
}

static void complete_scoped(uint8_t* buffer, size_t size, size_t valid, void* info) {
  (void)size, (void)info;
  pthread_mutex_lock(&mutex);
  uint8_t* record = NULL;
  while (next_record(buffer, valid, &record) == 0) {
    const uint64_t kind = at(record, 0, 4), start = at(record, 16, 8), end = at(record, 24, 8);
    if (kind == kMemcpy) ++copies;
    if (kind == kRuntime) ++runtime_calls;
    if (kind != kKernel && kind != kSerialKernel) continue;
    ++kernels;
    kernel_ns += (long)(end - start);
    if (start < window_from || (window_to != 0 && end > window_to)) ++badly_timed;
  }
  pthread_mutex_unlock(&mutex);
  free(buffer);
}
static void complete(void* context, uint32_t stream, uint8_t* buffer, size_t size, size_t valid) {
  (void)context, (void)stream;
  complete_scoped(buffer, size, valid, NULL);
}

static void on_callback(void* user, int domain, uint32_t id, const void* data) {
  (void)user, (void)id, (void)data;
  if (domain == kRuntimeDomain) __atomic_fetch_add(&callbacks, 1, __ATOMIC_RELAXED);
}

static uint64_t timestamp(void) {
  uint64_t now = 0;
  expect("cuptiGetTimestamp", CUPTI(cuptiGetTimestamp, (uint64_t*))(&now));
  return now;
}

struct parameters {
  size_t size;
  const char* name;
  char* others_name;
  size_t others_size;
  uint8_t several, padding[7];
};

static void enable(uint32_t kind, int on) {
  if (by_context && kind == kKernel)
    expect(on ? "cuptiActivityEnableContext" : "cuptiActivityDisableContext",
           on ? CUPTI(cuptiActivityEnableContext, (void*, uint32_t))(NULL, kind)
              : CUPTI(cuptiActivityDisableContext, (void*, uint32_t))(NULL, kind));
  else if (!scoped)
    expect(on ? "cuptiActivityEnable" : "cuptiActivityDisable",
           on ? CUPTI(cuptiActivityEnable, (uint32_t))(kind) : CUPTI(cuptiActivityDisable, (uint32_t))(kind));
  else
    expect(on ? "cuptiActivityEnable_v2" : "cuptiActivityDisable_v2",
           on ? CUPTI(cuptiActivityEnable_v2, (void*, uint32_t, void*))(subscriber, kind, NULL)
              : CUPTI(cuptiActivityDisable_v2, (void*, uint32_t, void*))(subscriber, kind, NULL));
}

static void work(int count, void* device) {
  char host[1000] = {0};
  for (int i = 0; i < count; ++i) {
    CUDA(LAUNCH(inside_60us, NULL));
    CUDA(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
  }
  CUDA(cudaDeviceSynchronize());
}

static void outside(int count) {
  for (int i = 0; i < count; ++i) CUDA(LAUNCH(outside_40us, NULL));
  CUDA(cudaDeviceSynchronize());
}

static void session(int serial, int count, void* device) {
  const uint32_t kinds[] = {serial ? kSerialKernel : kKernel, kMemcpy, kRuntime};
  if (scoped) {
    struct parameters parameters = {sizeof parameters, "tool", NULL, 0, 1, {0}};
    expect("cuptiSubscribe_v2", CUPTI(cuptiSubscribe_v2, (void**, void (*)(void*, int, uint32_t, const void*), void*,
                                                          void*))(&subscriber, on_callback, NULL, &parameters));
    expect("cuptiActivityRegisterCallbacks_v2",
           CUPTI(cuptiActivityRegisterCallbacks_v2,
                 (void*, void (*)(uint8_t**, size_t*, size_t*, void*), void (*)(uint8_t*, size_t, size_t, void*)))(
               subscriber, request_scoped, complete_scoped));
  } else {
    expect("cuptiSubscribe", CUPTI(cuptiSubscribe, (void**, void (*)(void*, int, uint32_t, const void*), void*))(
                                 &subscriber, on_callback, NULL));
    expect("cuptiActivityRegisterCallbacks",
           CUPTI(cuptiActivityRegisterCallbacks,
                 (void (*)(uint8_t**, size_t*, size_t*), void (*)(void*, uint32_t, uint8_t*, size_t, size_t)))(
               request, complete));
  }
  expect("cuptiEnableDomain", CUPTI(cuptiEnableDomain, (uint32_t, void*, uint32_t))(1, subscriber, kRuntimeDomain));
  window_to = 0;
  window_from = timestamp();
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) enable(kinds[i], 1);
  work(count, device);
  window_to = timestamp();
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) enable(kinds[i], 0);
  expect("cuptiActivityFlushAll", CUPTI(cuptiActivityFlushAll, (uint32_t))(1));
  if (!scoped)
    expect("cuptiActivityGetNumDroppedRecords",
           CUPTI(cuptiActivityGetNumDroppedRecords, (void*, uint32_t, size_t*))(NULL, 0, &dropped));
  expect("cuptiUnsubscribe", CUPTI(cuptiUnsubscribe, (void*))(subscriber));
  if (!finalizes) return;
  expect("cuptiFinalize", CUPTI(cuptiFinalize, (void))());
  const uint64_t after = timestamp();
  if (after < window_to || after - window_to > 60000000000ULL) ++clock_stepped;
}

static void load(const char* own) {
  if (own != NULL) cupti = dlopen(own, RTLD_NOW | RTLD_LOCAL);
  static const char* const names[] = {"libcupti.so.13", "libcupti.so.12"};
  for (size_t i = CUDART_MAJOR == 13 ? 0 : 1; i < sizeof names / sizeof *names && cupti == NULL; ++i)
    cupti = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
  EXPECT(cupti != NULL);
}

int main(int argc, char** argv) {
  EXPECT(argc == 3);
  scoped = strcmp(argv[1], "subscriber") == 0;
  by_context = strcmp(argv[1], "context") == 0;
  finalizes = strcmp(argv[1], "finalize") == 0;
  const char* const loads = getenv("TOOL_LOADS");
  if (loads != NULL) EXPECT(dlopen(loads, RTLD_NOW | RTLD_LOCAL) != NULL);
  void* device = NULL;
  const char* const own = getenv("TOOL_CUPTI");
  if (own == NULL) load(NULL);
  if (strcmp(argv[2], "later") == 0) {
    CUDA(cudaMalloc(&device, 1000));
    outside(50);
    if (own != NULL) load(own);
    session(strcmp(argv[1], "serial") == 0, 100, device);
  } else {
    if (own != NULL) load(own);
    session(strcmp(argv[1], "serial") == 0, 0, NULL);
    CUDA(cudaMalloc(&device, 1000));
    session(strcmp(argv[1], "serial") == 0, 100, device);
  }
  outside(50);
  fact("kernels", kernels);
  fact("kernel_ns", kernel_ns);
  fact("copies", copies);
  fact("runtime_calls", runtime_calls);
  fact("callbacks", callbacks);
  fact("badly_timed", badly_timed);
  fact("clock_stepped", clock_stepped);
  fact("dropped", (long)dropped);
  fact("failures", failures);
  return 0;
}
