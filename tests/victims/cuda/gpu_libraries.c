// Calls of the libraries above CUDA: gpu_libraries KIND [COUNT]. What each is asked for, the fakes write down.
#include "library_api.h"
#include "victim.h"

#define CALL(call) EXPECT((call) == 0)

static void* blas;
static const float one = 1;

static void small_products(void) {
  CALL(cublasSgemm_v2(blas, 0, 0, 12, 34, 56, &one, NULL, 12, NULL, 56, &one, NULL, 12));
  CALL(cublasSgemm_v2(blas, 0, 1, 1, 1, 0, &one, NULL, 1, NULL, 1, &one, NULL, 1));
  CALL(cublasZgemm_v2(blas, 1, 0, 7, 8, 9, &one, NULL, 9, NULL, 9, &one, NULL, 7));
}

static void products_of_many(void) {
  CALL(cublasSgemmBatched(blas, 0, 0, 5, 6, 7, &one, NULL, 5, NULL, 7, &one, NULL, 5, 11));
  CALL(cublasHgemmStridedBatched(blas, 0, 0, 5, 6, 7, &one, NULL, 5, 35, NULL, 7, 42, &one, NULL, 5, 30, 13));
#if CUDART_MAJOR >= 12
  const int trans[] = {0, 0}, m[] = {2, 3}, n[] = {4, 5}, k[] = {6, 7}, leading[] = {8, 8}, sizes[] = {9, 10};
  CALL(cublasGemmGroupedBatchedEx(blas, trans, trans, m, n, k, &one, NULL, CUDA_R_16F, leading, NULL, CUDA_R_16F,
                                  leading, &one, NULL, CUDA_R_32F, leading, 2, sizes, 68));
  const double one_double = 1;
  CALL(cublasDgemm_v2_64(blas, 0, 0, 12, 34, 56, &one_double, NULL, 12, NULL, 56, &one_double, NULL, 12));
#endif
}

static void typed_products(long count) {
  for (long i = 0; i < count; ++i) {
    CALL(cublasGemmEx(blas, 1, 0, 20, 30, 40, &one, NULL, CUDA_R_16F, 40, NULL, CUDA_R_16F, 40, &one, NULL, CUDA_R_32F,
                      20, 68, -1));
  }
}

static void other_blas(void) {
  const double one_double = 1;
  CALL(cublasSsyrk_v2(blas, 0, 0, 9, 10, &one, NULL, 9, &one, NULL, 9));
  CALL(cublasDtrsm_v2(blas, 0, 0, 0, 0, 9, 10, &one_double, NULL, 9, NULL, 9));
  CALL(cublasDtrsm_v2(blas, 1, 0, 0, 0, 9, 10, &one_double, NULL, 9, NULL, 9));
  CALL(cublasSgemv_v2(blas, 0, 9, 10, &one, NULL, 9, NULL, 1, &one, NULL, 1));
  CALL(cublasSaxpy_v2(blas, 1000, &one, NULL, 1, NULL, 1));
  CALL(cublasCdotc_v2(blas, 1000, NULL, 1, NULL, 1, NULL));
}

static void in_blas(long count) {
  CALL(cublasCreate_v2(&blas));
  for (long i = 0; i < count; ++i) {
    CALL(cublasSetStream_v2(blas, NULL));
    small_products();
  }
  products_of_many();
  typed_products(count);
  other_blas();
  CALL(cublasDestroy_v2(blas));
}

// m, n and k of the product, and whether each operand is given transposed.
static void product(void* lt, uint64_t m, uint64_t n, uint64_t k, int transa, int transb, int32_t batch) {
  void *description, *a, *b, *c;
  CALL(cublasLtMatmulDescCreate(&description, 68, CUDA_R_32F));
  CALL(cublasLtMatmulDescSetAttribute(description, 3, &transa, sizeof transa));
  CALL(cublasLtMatmulDescSetAttribute(description, 4, &transb, sizeof transb));
  CALL(cublasLtMatrixLayoutCreate(&a, CUDA_R_16F, transa ? k : m, transa ? m : k, 64));
  CALL(cublasLtMatrixLayoutCreate(&b, CUDA_R_16F, transb ? n : k, transb ? k : n, 64));
  CALL(cublasLtMatrixLayoutCreate(&c, CUDA_R_32F, m, n, 64));
  void* layouts[] = {a, b, c};
  for (int i = 0; i < 3; ++i) CALL(cublasLtMatrixLayoutSetAttribute(layouts[i], 5, &batch, sizeof batch));
  CALL(cublasLtMatmul(lt, description, &one, NULL, a, NULL, b, &one, NULL, c, NULL, c, NULL, NULL, 0, NULL));
  for (int i = 0; i < 3; ++i) CALL(cublasLtMatrixLayoutDestroy(layouts[i]));
  CALL(cublasLtMatmulDescDestroy(description));
}

static void in_lt(void) {
  void* lt;
  CALL(cublasLtCreate(&lt));
  product(lt, 10, 20, 30, 0, 0, 1);
  product(lt, 11, 21, 31, 1, 0, 1);
  product(lt, 12, 22, 32, 0, 1, 1);
  product(lt, 13, 23, 33, 1, 1, 5);
  CALL(cublasLtDestroy(lt));
}

static void in_dnn(long count) {
  void *dnn, *x, *w, *y;
  const int xs[] = {2, 6, 14, 14}, ws[] = {8, 3, 3, 3}, ys[] = {2, 8, 12, 12}, strides[] = {1, 1, 1, 1};
  CALL(cudnnCreate(&dnn));
  CALL(cudnnCreateTensorDescriptor(&x));
  CALL(cudnnCreateTensorDescriptor(&y));
  CALL(cudnnCreateFilterDescriptor(&w));
  CALL(cudnnSetTensorNdDescriptor(x, 2, 4, xs, strides));
  CALL(cudnnSetTensorNdDescriptor(y, 2, 4, ys, strides));
  CALL(cudnnSetFilterNdDescriptor(w, 2, 0, 4, ws));
  for (long i = 0; i < count; ++i) {
    CALL(cudnnConvolutionForward(dnn, &one, x, NULL, w, NULL, NULL, 0, NULL, 0, &one, y, NULL));
    CALL(cudnnConvolutionBackwardData(dnn, &one, w, NULL, y, NULL, NULL, 0, NULL, 0, &one, x, NULL));
    CALL(cudnnConvolutionBackwardFilter(dnn, &one, x, NULL, y, NULL, NULL, 0, NULL, 0, &one, w, NULL));
  }
  CALL(cudnnDestroyTensorDescriptor(x));
  CALL(cudnnDestroyTensorDescriptor(y));
  CALL(cudnnDestroyFilterDescriptor(w));
  CALL(cudnnDestroy(dnn));
}

static void* made(int type) {
  void* descriptor;
  CALL(cudnnBackendCreateDescriptor(type, &descriptor));
  return descriptor;
}
static void set_one(void* descriptor, int name, void* to) {
  CALL(cudnnBackendSetAttribute(descriptor, name, 15, 1, &to));
}
static void* tensor(const int64_t* sizes, int64_t dims, _Bool is_virtual) {
  const int half = 2;
  void* t = made(17);
  CALL(cudnnBackendSetAttribute(t, 901, 1, 1, &half));
  CALL(cudnnBackendSetAttribute(t, 902, 3, dims, sizes));
  CALL(cudnnBackendSetAttribute(t, 907, 2, 1, &is_virtual));
  CALL(cudnnBackendFinalize(t));
  return t;
}
static void* operation(int type, int name1, void* to1, int name2, void* to2, int name3, void* to3) {
  void* o = made(type);
  set_one(o, name1, to1);
  set_one(o, name2, to2);
  set_one(o, name3, to3);
  CALL(cudnnBackendFinalize(o));
  return o;
}

// A plan of a convolution with a bias, whose configuration a heuristic suggests, and nothing else of it left.
static void* plan(int64_t images) {
  const int64_t xs[] = {images, 6, 14, 14}, ws[] = {8, 3, 3, 3}, ys[] = {images, 8, 12, 12}, bs[] = {1, 8, 1, 1};
  void *x = tensor(xs, 4, 0), *w = tensor(ws, 4, 0), *between = tensor(ys, 4, 1), *b = tensor(bs, 4, 0),
       *y = tensor(ys, 4, 0);
  void* operations[] = {operation(10, 704, x, 703, w, 705, between), operation(13, 751, between, 752, b, 753, y)};
  void* graph = made(15);
  CALL(cudnnBackendSetAttribute(graph, 801, 15, 2, operations));
  CALL(cudnnBackendFinalize(graph));
  void* heuristic = made(4);
  set_one(heuristic, 201, graph);
  CALL(cudnnBackendFinalize(heuristic));
  void* configurations[] = {made(3), made(3)};
  int64_t count = 0;
  CALL(cudnnBackendGetAttribute(heuristic, 202, 15, 2, &count, configurations));
  EXPECT(count == 2);
  void* p = made(5);
  set_one(p, 401, configurations[1]);
  CALL(cudnnBackendFinalize(p));
  void* rest[] = {
      x, w, between, b, y, operations[0], operations[1], graph, heuristic, configurations[0], configurations[1]};
  for (size_t i = 0; i < sizeof rest / sizeof *rest; ++i) CALL(cudnnBackendDestroyDescriptor(rest[i]));
  return p;
}

// Of a product of matrices and a sum of it, with an engine that the program chooses.
static void* product_plan(void) {
  const int64_t as[] = {3, 16, 8}, bs[] = {3, 8, 32}, cs[] = {3, 16, 32}, ss[] = {3, 16, 1};
  void *a = tensor(as, 3, 0), *b = tensor(bs, 3, 0), *c = tensor(cs, 3, 0), *s = tensor(ss, 3, 0);
  void* sum = made(22);
  set_one(sum, 1610, c);
  set_one(sum, 1611, s);
  CALL(cudnnBackendFinalize(sum));
  void* operations[] = {operation(19, 1520, a, 1521, b, 1522, c), sum};
  void* graph = made(15);
  CALL(cudnnBackendSetAttribute(graph, 801, 15, 2, operations));
  CALL(cudnnBackendFinalize(graph));
  void *engine = made(2), *configuration = made(3), *p = made(5);
  set_one(engine, 1300, graph);
  CALL(cudnnBackendFinalize(engine));
  set_one(configuration, 300, engine);
  CALL(cudnnBackendFinalize(configuration));
  set_one(p, 401, configuration);
  CALL(cudnnBackendFinalize(p));
  return p;
}

static void execute(void* dnn, void* p) { CALL(cudnnBackendExecute(dnn, p, NULL)); }

static void in_graphs(long count) {
  void* dnn;
  CALL(cudnnCreate(&dnn));
  void *few = plan(2), *many = plan(5), *products = product_plan();
  for (long i = 0; i < count; ++i) {
    execute(dnn, few);
    execute(dnn, many);
    execute(dnn, products);
  }
  CALL(cudnnDestroy(dnn));
}

static void in_fft(long count) {
  int both, real, many, sizes[] = {16, 8, 32};
  CALL(cufftPlan1d(&both, 1024, CUFFT_C2C, 3));
  CALL(cufftPlan1d(&real, 256, CUFFT_R2C, 2));
  CALL(cufftPlanMany(&many, 3, sizes, NULL, 1, 0, NULL, 1, 0, CUFFT_C2C, 4));
  for (long i = 0; i < count; ++i) {
    CALL(cufftExecC2C(both, NULL, NULL, -1));
    CALL(cufftExecR2C(real, NULL, NULL));
    CALL(cufftExecC2C(many, NULL, NULL, 1));
  }
  CALL(cufftDestroy(both));
  // The number comes back with another plan.
  int again;
  CALL(cufftPlan1d(&again, 64, CUFFT_C2C, 1));
  EXPECT(again == both);
  CALL(cufftExecC2C(again, NULL, NULL, -1));
}

static void in_nccl(long count) {
  ncclUniqueId id;
  void* communicator;
  CALL(ncclGetUniqueId(&id));
  CALL(ncclCommInitRank(&communicator, 4, id, 3));
  for (long i = 0; i < count; ++i) CALL(ncclAllReduce(NULL, NULL, 1000, ncclFloat16, 0, communicator, NULL));
  CALL(ncclAllGather(NULL, NULL, 333, ncclFloat32, communicator, NULL));
  CALL(ncclGroupStart());
  CALL(ncclSend(NULL, 500, ncclInt8, 1, communicator, NULL));
  CALL(ncclRecv(NULL, 700, ncclFloat32, 1, communicator, NULL));
  CALL(ncclGroupEnd());
  CALL(ncclCommDestroy(communicator));
}

#define P(place) ((void*)(uintptr_t)(place))
static void with_arguments(void) {
  CALL(curandGenerateNormal(P(1), P(2), 3, 1.5F, 2.5F));
  CALL(cusparseSpMM(P(1), 2, 3, P(4), P(5), P(6), P(7), P(8), 9, 10, P(11)));
  CALL(cusolverDnSsyevdx(P(1), 2, 3, 4, 5, P(6), 7, 1.5F, 2.5F, 8, 9, P(10), P(11), P(12), 13, P(14)));
  CALL(cudnnBatchNormalizationForwardTrainingEx(P(1), 2, 3, P(4), P(5), P(6), P(7), P(8), P(9), P(10), P(11), P(12),
                                                P(13), P(14), 0.25, P(15), P(16), 0.125, P(17), P(18), P(19), P(20), 21,
                                                P(22), 23));
}

static void failing(void) {
  CALL(cublasCreate_v2(&blas));
  EXPECT(cublasSgemm_v2(NULL, 0, 0, 2, 2, 2, &one, NULL, 2, NULL, 2, &one, NULL, 2) == 1);
  EXPECT(cublasSgemm_v2(blas, 0, 0, -1, 2, 2, &one, NULL, 2, NULL, 2, &one, NULL, 2) == 7);
  CALL(cublasSgemm_v2(blas, 0, 0, 3, 4, 5, &one, NULL, 3, NULL, 5, &one, NULL, 3));
  EXPECT(cufftExecC2C(99, NULL, NULL, -1) == 1);
  EXPECT(ncclAllReduce(NULL, NULL, 1000, ncclFloat16, 0, NULL, NULL) == 4);
  EXPECT(cudnnBackendExecute(NULL, NULL, NULL) != 0);
}

static void* in_thread(void* argument) {
  const long count = (long)(intptr_t)argument;
  void *handle, *dnn, *p = NULL;
  CALL(cublasCreate_v2(&handle));
  CALL(cudnnCreate(&dnn));
  for (long i = 0; i < count; ++i) {
    CALL(cublasSgemm_v2(handle, 0, 0, 4, 5, 6, &one, NULL, 4, NULL, 6, &one, NULL, 4));
    CALL(cublasGemmEx(handle, 0, 0, 4, 5, 6, &one, NULL, CUDA_R_16F, 4, NULL, CUDA_R_16F, 6, &one, NULL, CUDA_R_16F, 4,
                      68, -1));
    if (i % 10 == 0) p = plan(1 + i % 7);
    execute(dnn, p);
    if (i % 10 == 9) CALL(cudnnBackendDestroyDescriptor(p));
  }
  return NULL;
}

static void in_threads(long count) {
  pthread_t threads[8];
  for (int i = 0; i < 8; ++i) EXPECT(pthread_create(&threads[i], NULL, in_thread, (void*)(intptr_t)count) == 0);
  for (int i = 0; i < 8; ++i) EXPECT(pthread_join(threads[i], NULL) == 0);
}

int main(int argc, char** argv) {
  const char* kind = argc > 1 ? argv[1] : "blas";
  const long count = argument(argc, argv, 2, 10);
  if (strcmp(kind, "blas") == 0) in_blas(count);
  if (strcmp(kind, "lt") == 0) in_lt();
  if (strcmp(kind, "dnn") == 0) in_dnn(count);
  if (strcmp(kind, "graphs") == 0) in_graphs(count);
  if (strcmp(kind, "fft") == 0) in_fft(count);
  if (strcmp(kind, "nccl") == 0) in_nccl(count);
  if (strcmp(kind, "arguments") == 0) with_arguments();
  if (strcmp(kind, "failures") == 0) failing();
  if (strcmp(kind, "threads") == 0) in_threads(count);
  return 0;
}
