// A program that profiles itself with CUPTI, as torch.profiler does:
//   gpu_kineto once|window|twice|finalize|clock|graph|past
// It counts its own records and says what it got; alone and under another profiler that must be the same, but for
// "past".
#include <dlfcn.h>

#include "cuda_api.h"

KERNEL(outside_40us)
KERNEL(inside_60us)

int cuptiActivityRegisterCallbacks(void (*request)(uint8_t**, size_t*, size_t*),
                                   void (*complete)(void*, uint32_t, uint8_t*, size_t, size_t));
int cuptiActivityRegisterTimestampCallback(uint64_t (*clock)(void));
int cuptiActivityEnable(uint32_t kind);
int cuptiActivityDisable(uint32_t kind);
int cuptiActivityFlushAll(uint32_t flags);
int cuptiActivitySetAttribute(uint32_t attribute, size_t* bytes, void* value);
int cuptiActivityGetNextRecord(uint8_t* buffer, size_t valid, uint8_t** record);
int cuptiActivityPushExternalCorrelationId(uint32_t kind, uint64_t id);
int cuptiActivityPopExternalCorrelationId(uint32_t kind, uint64_t* last);
int cuptiFinalize(void);

enum { kMemcpy = 1, kMemset = 2, kDriver = 4, kRuntime = 5, kKernel = 10, kExternal = 39, kCustom1 = 4 };
static const uint32_t kinds[] = {kKernel, kMemcpy, kMemset, kRuntime, kExternal};
enum { kBufferBytes = 16 << 10 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long buffers_out, buffers_back, kernels, kernel_ns, copies, sets, runtime_calls, driver_calls, own_ids,
    foreign_ids, unknown_buffers, badly_timed;
static uint64_t window_from, window_to;
static uint8_t* given[4096];

static void request(uint8_t** buffer, size_t* size, size_t* max_records) {
  *buffer = aligned_alloc(8, kBufferBytes);
  *size = kBufferBytes;
  *max_records = 0;
  pthread_mutex_lock(&mutex);
  given[buffers_out++ % 4096] = *buffer;
  pthread_mutex_unlock(&mutex);
}

static uint64_t at(const uint8_t* record, size_t offset, size_t bytes) {
  uint64_t value = 0;
  memcpy(&value, record + offset, bytes);
  return value;
}

static void complete(void* context, uint32_t stream, uint8_t* buffer, size_t size, size_t valid) {
  (void)context, (void)stream, (void)size;
  pthread_mutex_lock(&mutex);
  int known = 0;
  for (int i = 0; i < 4096; ++i) {
    if (given[i] == buffer) {
      given[i] = NULL;
      ++buffers_back;
      known = 1;
      break;
    }
  }
  if (!known) {
    ++unknown_buffers;
    pthread_mutex_unlock(&mutex);
    return;
  }
  uint8_t* record = NULL;
  while (cuptiActivityGetNextRecord(buffer, valid, &record) == 0) {
    const uint64_t start = at(record, 16, 8), end = at(record, 24, 8);
    switch (at(record, 0, 4)) {
      case kKernel:
        ++kernels;
        kernel_ns += (long)(end - start);
        if (start < window_from || (window_to != 0 && end > window_to)) ++badly_timed;
        break;
      case kMemcpy:
        ++copies;
        break;
      case kMemset:
        ++sets;
        break;
      case kRuntime:
        ++runtime_calls;
        break;
      case kDriver:  // which it did not ask for
        ++driver_calls;
        break;
      case kExternal:
        if (at(record, 4, 4) == kCustom1 && at(record, 8, 8) == 4711) {
          ++own_ids;
        } else {
          ++foreign_ids;
        }
        break;
    }
  }
  pthread_mutex_unlock(&mutex);
  free(buffer);
}

// A clock of its own, far from all others.
static uint64_t own_clock(void) { return (uint64_t)now_ns() * 2 + 1000000000000ull; }
static uint64_t real_clock(void) { return (uint64_t)clock_ns(CLOCK_REALTIME); }
static uint64_t (*the_clock)(void) = real_clock;

static void outside(int count) {
  for (int i = 0; i < count; ++i) CUDA(LAUNCH(outside_40us, NULL));
  CUDA(cudaDeviceSynchronize());
}

static void inside(int count, void* device) {
  char host[1000] = {0};
  for (int i = 0; i < count; ++i) {
    cuptiActivityPushExternalCorrelationId(kCustom1, 4711);
    CUDA(LAUNCH(inside_60us, NULL));
    cuptiActivityPopExternalCorrelationId(kCustom1, NULL);
    CUDA(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
    CUDA(cudaMemsetAsync(device, 1, 500, NULL));
  }
  CUDA(cudaDeviceSynchronize());
}

static int graphs;

static void launch_graphs(int count) {
  void *stream = NULL, *graph = NULL, *executable = NULL;
  CUDA(cudaStreamCreate(&stream));
  CUDA(cudaStreamBeginCapture(stream, 0));
  for (int i = 0; i < 3; ++i) CUDA(LAUNCH(inside_60us, stream));
  CUDA(cudaStreamEndCapture(stream, &graph));
  CUDA(cudaGraphInstantiateWithFlags(&executable, graph, 0));
  for (int i = 0; i < count; ++i) CUDA(cudaGraphLaunch(executable, stream));
  CUDA(cudaStreamSynchronize(stream));
  CUDA(cudaGraphExecDestroy(executable));
  CUDA(cudaGraphDestroy(graph));
  CUDA(cudaStreamDestroy(stream));
}

// As PyTorch does: only while a buffer is under way.
static void ask_for_records(uint32_t flags) {
  pthread_mutex_lock(&mutex);
  const int under_way = buffers_out > buffers_back;
  pthread_mutex_unlock(&mutex);
  if (under_way) EXPECT(cuptiActivityFlushAll(flags) == 0);
}

static void set_buffers_per_thread(uint8_t on) {
  size_t bytes = sizeof on;
  EXPECT(cuptiActivitySetAttribute(9, &bytes, &on) == 0);
}

static void session(int count, void* device) {
  set_buffers_per_thread(1);
  EXPECT(cuptiActivityRegisterCallbacks(request, complete) == 0);
  window_from = the_clock();
  window_to = 0;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) EXPECT(cuptiActivityEnable(kinds[i]) == 0);
  ask_for_records(0);  // what was before
  inside(count / 2, device);
  ask_for_records(0);
  inside(count - count / 2, device);
  if (graphs) launch_graphs(10);
  window_to = the_clock();
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) EXPECT(cuptiActivityDisable(kinds[i]) == 0);
  ask_for_records(1);
  set_buffers_per_thread(0);
}

// Past all functions that stand before it.
static void no_callback(void* user, int domain, uint32_t id, const void* data) {
  (void)user, (void)domain, (void)id, (void)data;
}

static int subscribe_past(void) {
  static const char kName[] = "libcupti.so.12";  // and of its symbols' version
  void* const cupti = dlopen(kName, RTLD_NOW | RTLD_NOLOAD);
  EXPECT(cupti != NULL);
  void* subscriber = NULL;
  int (*subscribe)(void**, void (*)(void*, int, uint32_t, const void*), void*);
  *(void**)&subscribe = dlvsym(cupti, "cuptiSubscribe", kName);
  EXPECT(subscribe != NULL);
  return subscribe(&subscriber, no_callback, NULL);
}

int main(int argc, char** argv) {
  const char* const how = argc > 1 ? argv[1] : "once";
  void* device = NULL;
  CUDA(cudaMalloc(&device, 1000));
  if (strcmp(how, "clock") == 0) {
    the_clock = own_clock;
    EXPECT(cuptiActivityRegisterTimestampCallback(own_clock) == 0);
  }
  if (strcmp(how, "past") == 0) {
    outside(50);
    fact("subscribed_past", subscribe_past());
    return 0;
  }
  graphs = strcmp(how, "graph") == 0;
  if (strcmp(how, "once") != 0) outside(50);
  session(200, device);
  if (strcmp(how, "finalize") == 0) EXPECT(cuptiFinalize() == 0);
  if (strcmp(how, "once") != 0) outside(50);
  if (strcmp(how, "twice") == 0) {
    session(100, device);
    outside(50);
  }
  fact("kernels", kernels);
  // The rate of a clock of its own is known from two readings, each some tens of nanoseconds wrong: a millionth or
  // less.
  fact("kernel_ns", the_clock == own_clock ? (kernel_ns / 2 + 500) / 1000 * 1000 : kernel_ns);
  fact("copies", copies);
  fact("sets", sets);
  fact("runtime_calls", runtime_calls);
  fact("driver_calls", driver_calls);
  fact("own_ids", own_ids);
  fact("foreign_ids", foreign_ids);
  fact("unknown_buffers", unknown_buffers);
  fact("badly_timed", badly_timed);
  return 0;
}
