// What CUPTI answers and records, by rules that were measured with CUDA 13.0 on a GPU: gpu_rules RULE. Not profiled: it
// holds the stand-in of CUPTI to them.
#include "cuda_api.h"

KERNEL(work_100us)
KERNEL(long_300000us)

int cuptiActivityRegisterCallbacks(void (*request)(uint8_t**, size_t*, size_t*),
                                   void (*complete)(void*, uint32_t, uint8_t*, size_t, size_t));
int cuptiActivityEnable(uint32_t kind);
int cuptiActivityDisable(uint32_t kind);
int cuptiActivityEnableRuntimeApi(uint32_t id, uint8_t on);
int cuptiActivityEnableDriverApi(uint32_t id, uint8_t on);
int cuptiActivityFlushAll(uint32_t flags);
int cuptiActivityGetNextRecord(uint8_t* buffer, size_t valid, uint8_t** record);
int cuptiActivityPushExternalCorrelationId(uint32_t kind, uint64_t id);
int cuptiActivityPopExternalCorrelationId(uint32_t kind, uint64_t* last);
int cuptiActivityRegisterTimestampCallback(uint64_t (*clock)(void));
int cuptiGetCallbackName(uint32_t domain, uint32_t id, const char** name);
int cuptiGetResultString(int result, const char** text);
int cuptiSubscribe(void** subscriber, void (*callback)(void*, int, uint32_t, const void*), void* user);
int cuptiUnsubscribe(void* subscriber);
int cuptiEnableCallback(uint32_t on, void* subscriber, int domain, uint32_t id);
int cuptiEnableDomain(uint32_t on, void* subscriber, int domain);
int cuInit(unsigned flags);
int cuDevicePrimaryCtxRetain(void** context, int device);
int cuCtxSetCurrent(void* context);
int cuMemAlloc_v2(void** to, size_t bytes);
int cuMemsetD8_v2(void* to, unsigned char value, size_t bytes);
int cuMemFree_v2(void* block);

enum {
  kMemcpy = 1,
  kKernel = 3,
  kDriver = 4,
  kRuntime = 5,
  kConcurrent = 10,
  kOverhead = 17,
  kExternal = 39,
  kGraph = 51
};
enum { kMalloc = 20, kFree = 22, kCopy = 31, kMemAlloc = 243, kMemFree = 245, kMemset = 249 };
enum { kBufferBytes = 64 << 10, kRuntimeDomain = 2 };

static int requested, completed, quiet;

static void request(uint8_t** buffer, size_t* size, size_t* most) {
  *buffer = calloc(1, kBufferBytes);
  *size = kBufferBytes;
  *most = 0;
  __atomic_fetch_add(&requested, 1, __ATOMIC_SEQ_CST);
}

static uint64_t at(const uint8_t* record, size_t offset, size_t bytes) {
  uint64_t value = 0;
  memcpy(&value, record + offset, bytes);
  return value;
}

static void show(const uint8_t* r) {
  const uint64_t kind = at(r, 0, 4);
  const char* name = "";
  if (kind == kRuntime || kind == kDriver) {
    cuptiGetCallbackName(kind == kRuntime ? 2 : 1, (uint32_t)at(r, 4, 4), &name);
    printf("  %s\n", name);
  } else if (kind == kExternal) {
    printf("  id %d of %d\n", (int)at(r, 8, 8), (int)at(r, 4, 4));
  } else if (kind == kConcurrent) {
    printf("  kernel%s\n", at(r, 24, 8) == 0 ? ", no end" : "");
  } else if (kind == kGraph) {
    printf("  graph\n");
  } else if (kind == kMemcpy) {
    printf("  copy of kind %d from %d to %d, %d bytes, device %d\n", (int)at(r, 4, 1), (int)at(r, 5, 1),
           (int)at(r, 6, 1), (int)at(r, 8, 8), (int)at(r, 32, 4));
  } else if (kind == kOverhead) {
    printf("  overhead %d\n", (int)(at(r, 4, 4) >> 16));
  }
}

static void complete(void* context, uint32_t stream, uint8_t* buffer, size_t size, size_t valid) {
  (void)context, (void)stream, (void)size;
  uint8_t* record = NULL;
  while (!quiet && cuptiActivityGetNextRecord(buffer, valid, &record) == 0) show(record);
  free(buffer);
  ++completed;
}

static void flush(const char* what) {
  printf("%s\n", what);
  cuptiActivityFlushAll(0);
}

static void calls(const char* what) {
  void* block = NULL;
  char host[8] = {0};
  CUDA(cudaMalloc(&block, 8));
  CUDA(cudaMemcpy(block, host, 8, cudaMemcpyHostToDevice));
  CUDA(cudaFree(block));
  flush(what);
}

static void driver_calls(const char* what) {
  void* block = NULL;
  EXPECT(cuMemAlloc_v2(&block, 8) == 0);
  EXPECT(cuMemsetD8_v2(block, 1, 8) == 0);
  EXPECT(cuMemFree_v2(block) == 0);
  flush(what);
}

static void chosen_calls(void) {
  printf("%d %d\n", cuptiActivityEnableRuntimeApi(0, 1), cuptiActivityEnableRuntimeApi(99999, 1));
  cuptiActivityEnableRuntimeApi(kMalloc, 1);
  calls("malloc chosen");
  cuptiActivityEnableRuntimeApi(kFree, 1);
  calls("free, too");
  cuptiActivityEnableRuntimeApi(kCopy, 2);
  calls("the copy, too, by 2");
  cuptiActivityEnable(kRuntime);
  cuptiActivityEnableRuntimeApi(kMalloc, 0);
  calls("all, malloc taken back");
  cuptiActivityEnable(kRuntime);
  calls("all again");
  cuptiActivityEnableRuntimeApi(kFree, 0);
  calls("free taken back");
  cuptiActivityDisable(kRuntime);
  calls("none");
  cuptiActivityEnableRuntimeApi(kCopy, 1);
  calls("none, the copy chosen");
  cuptiActivityEnable(kRuntime);
  calls("all once more");
}

static void late_calls(void) {
  quiet = 1;
  calls("a context");
  quiet = 0;
  cuptiActivityEnableRuntimeApi(kMalloc, 1);
  calls("malloc chosen");
  cuptiActivityEnable(kRuntime);
  cuptiActivityEnableRuntimeApi(kMalloc, 0);
  calls("all, malloc taken back");
}

static void chosen_driver_calls(int late) {
  EXPECT(cuInit(0) == 0);
  void* context = NULL;
  if (late) EXPECT(cuDevicePrimaryCtxRetain(&context, 0) == 0 && cuCtxSetCurrent(context) == 0);
  printf("%d %d\n", cuptiActivityEnableDriverApi(0, 1), cuptiActivityEnableDriverApi(99999, 1));
  cuptiActivityEnableDriverApi(kMemAlloc, 1);
  if (!late) EXPECT(cuDevicePrimaryCtxRetain(&context, 0) == 0 && cuCtxSetCurrent(context) == 0);
  driver_calls("alloc chosen");
  cuptiActivityEnableDriverApi(kMemFree, 1);
  driver_calls("free, too");
  cuptiActivityEnable(kDriver);
  cuptiActivityEnableDriverApi(kMemset, 0);
  driver_calls("all, the set taken back");
  cuptiActivityDisable(kDriver);
}

static void kinds(void) {
  for (uint32_t kind = 0; kind <= 56; ++kind) {
    if (kind == 25) continue;
    const int result = cuptiActivityEnable(kind);
    printf("%d%c", result, kind == 56 ? '\n' : ' ');
    if (result == 0) EXPECT(cuptiActivityDisable(kind) == 0);
  }
  printf("%d ", cuptiActivityEnable(kConcurrent));
  printf("%d ", cuptiActivityEnable(kKernel));
  printf("%d ", cuptiActivityDisable(kConcurrent));
  printf("%d ", cuptiActivityEnable(kKernel));
  printf("%d ", cuptiActivityEnable(kConcurrent));
  printf("%d ", cuptiActivityDisable(kKernel));
  printf("%d\n", cuptiActivityDisable(kKernel));
  const int results[] = {-1, 0, 12, 36, 37, 38, 39, 46, 47, 100, 999, 1000};
  for (size_t i = 0; i < sizeof results / sizeof *results; ++i) {
    const char* text = NULL;
    printf("%d ", cuptiGetResultString(results[i], &text));
  }
  printf("\n");
}

static int told;
static void on_callback(void* user, int domain, uint32_t id, const void* data) {
  (void)user, (void)domain;
  if (*(const uint32_t*)data == 1) told = told * 100 + (int)id;
}

static void callbacks(void) {
  void *subscriber = NULL, *second = NULL, *bad = &told;
  printf("%d ", cuptiSubscribe(&subscriber, on_callback, NULL));
  printf("%d ", cuptiSubscribe(&second, on_callback, NULL));
  printf("%d ", cuptiSubscribe(NULL, on_callback, NULL));
  printf("%d ", cuptiEnableCallback(1, bad, kRuntimeDomain, 1));
  const int places[][2] = {{0, 1},  {99, 1}, {kRuntimeDomain, 0}, {kRuntimeDomain, 99999}, {3, 0},
                           {3, 99}, {4, 3},  {5, 99999}};
  for (size_t i = 0; i < sizeof places / sizeof *places; ++i)
    printf("%d ", cuptiEnableCallback(1, subscriber, places[i][0], (uint32_t)places[i][1]));
  printf("%d ", cuptiEnableDomain(1, subscriber, 0));
  printf("%d ", cuptiEnableDomain(1, subscriber, 99));
  printf("%d\n", cuptiEnableDomain(1, bad, kRuntimeDomain));
  void* block = NULL;
  for (int i = 0; i < 3; ++i) {
    if (i != 1) cuptiEnableDomain(1, subscriber, kRuntimeDomain);
    if (i == 0) cuptiEnableCallback(0, subscriber, kRuntimeDomain, kMalloc);
    if (i == 1) cuptiEnableDomain(0, subscriber, kRuntimeDomain);
    if (i == 1) cuptiEnableCallback(1, subscriber, kRuntimeDomain, kFree);
    told = 0;
    CUDA(cudaMalloc(&block, 8));
    CUDA(cudaFree(block));
    printf("%d\n", told);
  }
  printf("%d ", cuptiUnsubscribe(subscriber));
  printf("%d ", cuptiUnsubscribe(subscriber));
  printf("%d\n", cuptiSubscribe(&second, on_callback, NULL));
}

static void ids(void) {
  cuptiActivityEnable(kRuntime);
  cuptiActivityEnable(kExternal);
  uint64_t last = 0;
  void* block = NULL;
  CUDA(cudaMalloc(&block, 8));
  EXPECT(cuptiActivityPushExternalCorrelationId(3, 100) == 0);
  const dim3 one = {1, 1, 1};
  CUDA(cudaLaunchKernel(&stub_work_100us, one, one, NULL, 0, NULL));
  EXPECT(cuptiActivityPushExternalCorrelationId(4, 200) == 0);
  CUDA(cudaMemset(block, 0, 8));
  printf("%d ", cuptiActivityPopExternalCorrelationId(4, &last));
  printf("%d\n", (int)last);
  EXPECT(cuptiActivityPushExternalCorrelationId(3, 101) == 0);
  CUDA(cudaMemset(block, 0, 8));
  EXPECT(cuptiActivityPopExternalCorrelationId(3, NULL) == 0);
  EXPECT(cuptiActivityPopExternalCorrelationId(3, NULL) == 0);
  printf("%d ", cuptiActivityPopExternalCorrelationId(3, NULL));
  printf("%d\n", cuptiActivityPushExternalCorrelationId(0, 1));
  CUDA(cudaFree(block));
  flush("records");
}

static void counted(const char* what) { printf("%s: %d %d\n", what, requested, completed); }
static void buffers(void) {
  void* block = NULL;
  CUDA(cudaMalloc(&block, 8));
  quiet = 1;
  counted("context");
  cuptiActivityEnable(kConcurrent);
  counted("enabled");
  CUDA(cudaFree(block));
  counted("nothing to record");
  CUDA(LAUNCH(long_300000us, NULL));
  counted("launched");
  cuptiActivityFlushAll(0);
  counted("flushed meanwhile");
  CUDA(cudaDeviceSynchronize());
  counted("synchronised");
  cuptiActivityFlushAll(0);
  counted("flushed");
  cuptiActivityFlushAll(0);
  counted("flushed again");
  CUDA(LAUNCH(work_100us, NULL));
  counted("launched");
  CUDA(cudaDeviceSynchronize());
  cuptiActivityDisable(kConcurrent);
  counted("disabled");
  cuptiActivityFlushAll(0);
  counted("flushed");
  CUDA(LAUNCH(work_100us, NULL));
  CUDA(cudaDeviceSynchronize());
  cuptiActivityFlushAll(0);
  counted("launched while disabled");
  cuptiActivityEnable(kRuntime);
  counted("calls enabled");
  CUDA(cudaMalloc(&block, 8));
  counted("a call");
  cuptiActivityFlushAll(0);
  counted("flushed");
}

static void overhead(void) {
  cuptiActivityEnable(kConcurrent);
  cuptiActivityEnable(kOverhead);
  for (int i = 0; i < 2; ++i) {
    CUDA(LAUNCH(work_100us, NULL));
    CUDA(cudaDeviceSynchronize());
    flush("launched");
  }
  flush("nothing since");
}

static void graphs(void) {
  cuptiActivityEnable(kConcurrent);
  for (int whole = 1; whole >= 0; --whole) {
    if (whole) EXPECT(cuptiActivityEnable(kGraph) == 0);
    if (!whole) EXPECT(cuptiActivityDisable(kGraph) == 0);
    void *stream = NULL, *graph = NULL, *executable = NULL;
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaStreamBeginCapture(stream, 0));
    for (int i = 0; i < 2; ++i) CUDA(LAUNCH(work_100us, stream));
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cudaGraphInstantiateWithFlags(&executable, graph, 0));
    flush("captured");
    for (int i = 0; i < 2; ++i) CUDA(cudaGraphLaunch(executable, stream));
    CUDA(cudaStreamSynchronize(stream));
    flush(whole ? "whole" : "one by one");
  }
}

static void peers(void) {
  void *here = NULL, *there = NULL;
  CUDA(cudaMalloc(&here, 4096));
  CUDA(cudaSetDevice(1));
  CUDA(cudaMalloc(&there, 4096));
  cuptiActivityEnable(kMemcpy);
  cuptiActivityEnable(22);
  CUDA(cudaMemcpyPeer(there, 1, here, 0, 4096));
  CUDA(cudaDeviceSynchronize());
  flush("copied");
}

int main(int argc, char** argv) {
  EXPECT(argc == 2);
  const char* const rule = argv[1];
  EXPECT(cuptiActivityRegisterCallbacks(request, complete) == 0);
  if (strcmp(rule, "calls") == 0) chosen_calls();
  if (strcmp(rule, "late-calls") == 0) late_calls();
  if (strcmp(rule, "driver-calls") == 0) chosen_driver_calls(0);
  if (strcmp(rule, "late-driver-calls") == 0) chosen_driver_calls(1);
  if (strcmp(rule, "kinds") == 0) kinds();
  if (strcmp(rule, "callbacks") == 0) callbacks();
  if (strcmp(rule, "ids") == 0) ids();
  if (strcmp(rule, "buffers") == 0) buffers();
  if (strcmp(rule, "overhead") == 0) overhead();
  if (strcmp(rule, "graphs") == 0) graphs();
  if (strcmp(rule, "peers") == 0) peers();
  if (strcmp(rule, "clock") == 0) printf("%d\n", cuptiActivityRegisterTimestampCallback(NULL));
  quiet = 1;
  return 0;
}
