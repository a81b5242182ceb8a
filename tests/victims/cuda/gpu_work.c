// Work on a GPU whose truth is known: gpu_work KIND [COUNT]. Each piece is launched from a function of its own.
#include "cuda_api.h"

KERNEL(short_20us)
KERNEL(long_300us)
KERNEL(graph_a_30us)
KERNEL(graph_b_70us)

static char a_symbol[256];
__attribute__((constructor)) static void register_symbol(void) {
  __cudaRegisterVar(__cudaRegisterFatBinary(a_symbol), a_symbol, a_symbol, "a_symbol", 0, sizeof a_symbol, 0, 0);
}

static void launch_short(void* stream) { CUDA(LAUNCH(short_20us, stream)); }
static void launch_long(void* stream) { CUDA(LAUNCH(long_300us, stream)); }

static void in_streams(long count) {
  void* streams[4];
  for (int i = 0; i < 4; ++i) CUDA(cudaStreamCreate(&streams[i]));
  for (long n = 0; n < count; ++n) {
    launch_short(streams[n % 4]);
    if (n % 4 == 0) launch_long(streams[n / 4 % 4]);
  }
  for (int i = 0; i < 4; ++i) CUDA(cudaStreamSynchronize(streams[i]));
  for (int i = 0; i < 4; ++i) CUDA(cudaStreamDestroy(streams[i]));
}

static void* one_thread(void* argument) {
  const long count = (long)(intptr_t)argument;
  void* stream = NULL;
  CUDA(cudaStreamCreate(&stream));
  for (long n = 0; n < count; ++n) {
    launch_short(stream);
    if (n % 16 == 0) CUDA(cudaStreamSynchronize(stream));
  }
  CUDA(cudaStreamSynchronize(stream));
  return NULL;
}

static void in_threads(long count) {
  pthread_t threads[8];
  for (int i = 0; i < 8; ++i) EXPECT(pthread_create(&threads[i], NULL, one_thread, (void*)(intptr_t)count) == 0);
  for (int i = 0; i < 8; ++i) EXPECT(pthread_join(threads[i], NULL) == 0);
}

static void launch_graph(void* executable, void* stream) { CUDA(cudaGraphLaunch(executable, stream)); }

static void in_graphs(long count) {
  void *stream = NULL, *graph = NULL, *executable = NULL;
  CUDA(cudaStreamCreate(&stream));
  CUDA(cudaStreamBeginCapture(stream, 0));
  CUDA(LAUNCH(graph_a_30us, stream));
  CUDA(LAUNCH(graph_b_70us, stream));
  CUDA(LAUNCH(graph_a_30us, stream));
  CUDA(cudaStreamEndCapture(stream, &graph));
  CUDA(cudaGraphInstantiateWithFlags(&executable, graph, 0));
  for (long n = 0; n < count; ++n) launch_graph(executable, stream);
  CUDA(cudaStreamSynchronize(stream));
  CUDA(cudaGraphExecDestroy(executable));
  CUDA(cudaGraphDestroy(graph));
}

static void in_copies(long count) {
  enum { kBytes = 100000 };
  char *host = malloc(kBytes), *back = malloc(kBytes);
  void *pinned = NULL, *device = NULL, *second = NULL, *managed = NULL, *pitched = NULL, *stream = NULL;
  size_t pitch = 0;
  for (int i = 0; i < kBytes; ++i) host[i] = (char)(i * 7);
  CUDA(cudaStreamCreate(&stream));
  CUDA(cudaMalloc(&device, kBytes));
  CUDA(cudaMalloc(&second, kBytes));
  CUDA(cudaMallocHost(&pinned, kBytes));
  CUDA(cudaMallocManaged(&managed, kBytes, 1));
  CUDA(cudaMallocPitch(&pitched, &pitch, 1000, 50));
  for (long n = 0; n < count; ++n) {
    CUDA(cudaMemcpy(device, host, kBytes, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpyAsync(second, device, kBytes, cudaMemcpyDeviceToDevice, stream));
    CUDA(cudaMemcpyAsync(pinned, second, kBytes / 2, cudaMemcpyDeviceToHost, stream));
    CUDA(cudaMemcpyAsync(managed, pinned, kBytes / 4, cudaMemcpyDefault, stream));
    CUDA(cudaStreamSynchronize(stream));
    CUDA(cudaMemcpy2D(pitched, pitch, host, 1000, 1000, 50, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpyToSymbol(a_symbol, host, 100, 8, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(back, device, kBytes, cudaMemcpyDeviceToHost));
    EXPECT(memcmp(host, back, kBytes) == 0);
    EXPECT(memcmp(host, pinned, kBytes / 2) == 0);
    CUDA(cudaMemset(device, 7, kBytes / 10));
    CUDA(cudaMemsetAsync(second, 9, kBytes / 5, stream));
    CUDA(cudaMemcpy(back, device, kBytes, cudaMemcpyDeviceToHost));
    EXPECT(back[0] == 7 && back[kBytes / 10 - 1] == 7 && back[kBytes / 10] == host[kBytes / 10]);
  }
  CUDA(cudaSetDevice(1));
  void* other = NULL;
  CUDA(cudaMalloc(&other, kBytes));
  CUDA(cudaMemcpyPeer(other, 1, second, 0, kBytes));
  CUDA(cudaFree(other));
  CUDA(cudaSetDevice(0));
  CUDA(cudaDeviceSynchronize());
}

static void* keep(size_t bytes) {
  void* block = NULL;
  CUDA(cudaMalloc(&block, bytes));
  return block;
}
static void* keep_other(size_t bytes) {
  void* block = NULL;
  CUDA(cudaMallocAsync(&block, bytes, NULL));
  return block;
}

static void in_memory(long count) {
  void* kept[64];
  for (long n = 0; n < count && n < 64; ++n) kept[n] = keep(1 << 20);
  for (long n = 0; n < count / 2 && n < 64; ++n) CUDA(cudaFree(kept[n]));
  for (long n = 0; n < count; ++n) {
    void* const block = keep_other(3 << 20);
    CUDA(cudaFreeAsync(block, NULL));
    CUDA(cudaDeviceSynchronize());
  }
}

static void wait_for_word(void* word) {
  while (__atomic_load_n((int*)word, __ATOMIC_ACQUIRE) == 0) usleep(100);
}

static void with_failures(long count) {
  static const char unknown_stub;
  const dim3 one = {1, 1, 1};
  void *block = NULL, *stream = NULL;
  CUDA(cudaStreamCreate(&stream));
  for (long n = 0; n < count; ++n) {
    EXPECT(cudaMalloc(&block, (size_t)1 << 50) == 2);
    EXPECT(cudaLaunchKernel(&unknown_stub, one, one, NULL, 0, stream) == 98);
    EXPECT(cudaFree((void*)0x1000) == 1);
    int go_on = 0;
    CUDA(LAUNCH(long_300us, stream));
    CUDA(cudaLaunchHostFunc(stream, wait_for_word, &go_on));
    EXPECT(cudaStreamQuery(stream) == cudaErrorNotReady);  // which is no failure
    __atomic_store_n(&go_on, 1, __ATOMIC_RELEASE);
    CUDA(cudaStreamSynchronize(stream));
  }
  EXPECT(cudaGetLastError() != 0);
}

// The host is busy between the pieces, waits for them, sleeps: the device is idle meanwhile.
static void compute(void) { burn_ms(3); }
static void with_gaps(long count) {
  void* stream = NULL;
  CUDA(cudaStreamCreate(&stream));
  for (long n = 0; n < count; ++n) {
    launch_long(stream);
    CUDA(cudaStreamSynchronize(stream));
    compute();
    launch_short(stream);
    CUDA(cudaStreamSynchronize(stream));
    usleep(2000);
  }
}

int main(int argc, char** argv) {
  const char* const kind = argc > 1 ? argv[1] : "streams";
  const long count = argument(argc, argv, 2, 100);
  const struct {
    const char* name;
    void (*run)(long);
  } kinds[] = {{"streams", in_streams}, {"threads", in_threads},     {"graphs", in_graphs}, {"copies", in_copies},
               {"memory", in_memory},   {"failures", with_failures}, {"gaps", with_gaps}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
    if (strcmp(kind, kinds[i].name) == 0) {
      kinds[i].run(count);
      fact("done", count);
      return 0;
    }
  }
  return VICTIM_FAILED;
}
