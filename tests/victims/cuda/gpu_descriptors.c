// Descriptors of the real cuBLASLt and cuDNN, which need no GPU, given to calls that do (gpu_nothing.c). What these are
// asked for is printed.
#include <cublasLt.h>
#include <cudnn.h>
#include <string.h>

#include "victim.h"

#define CALL(call) EXPECT((call) == 0)

static const float one = 1;

static cublasLtMatrixLayout_t layout(cudaDataType_t type, uint64_t rows, uint64_t columns, int32_t batch) {
  cublasLtMatrixLayout_t made;
  CALL(cublasLtMatrixLayoutCreate(&made, type, rows, columns, (int64_t)rows));
  CALL(cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof batch));
  return made;
}

static void products(void) {
  cublasLtMatmulDesc_t product;
  const cublasOperation_t transposed = CUBLAS_OP_T;
  CALL(cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F));
  CALL(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof transposed));
  cublasLtMatrixLayout_t a = layout(CUDA_R_16BF, 40, 100, 3), b = layout(CUDA_R_16BF, 40, 200, 3),
                         d = layout(CUDA_R_32F, 100, 200, 3);
  CALL(cublasLtMatmul(NULL, product, &one, NULL, a, NULL, b, &one, NULL, d, NULL, d, NULL, NULL, 0, NULL));
  fact("cublasLtMatmul_flops", 2LL * 100 * 200 * 40 * 3);
  fact("cublasLtMatmul_bytes", 3LL * (2 * 40 * 100 + 2 * 40 * 200 + 4 * 100 * 200));
  CALL(cublasLtMatrixTransform(NULL, NULL, &one, NULL, a, NULL, NULL, NULL, NULL, d, NULL));
  fact("cublasLtMatrixTransform_flops", 0);
  fact("cublasLtMatrixTransform_bytes", 3LL * (2 * 40 * 100 + 4 * 100 * 200));
}

static const long long conv_flops = 2LL * 8 * 128 * 28 * 28 * 64 * 3 * 3;
static const long long conv_bytes = 2LL * (8 * 64 * 56 * 56 + 128 * 64 * 3 * 3 + 8 * 128 * 28 * 28);

static void convolutions(void) {
  cudnnTensorDescriptor_t x, y;
  cudnnFilterDescriptor_t w;
  cudnnConvolutionDescriptor_t convolution;
  CALL(cudnnCreateTensorDescriptor(&x));
  CALL(cudnnCreateTensorDescriptor(&y));
  CALL(cudnnCreateFilterDescriptor(&w));
  CALL(cudnnCreateConvolutionDescriptor(&convolution));
  CALL(cudnnSetTensor4dDescriptor(x, CUDNN_TENSOR_NHWC, CUDNN_DATA_HALF, 8, 64, 56, 56));
  CALL(cudnnSetTensor4dDescriptor(y, CUDNN_TENSOR_NHWC, CUDNN_DATA_HALF, 8, 128, 28, 28));
  CALL(cudnnSetFilter4dDescriptor(w, CUDNN_DATA_HALF, CUDNN_TENSOR_NHWC, 128, 64, 3, 3));
  CALL(cudnnConvolutionForward(NULL, &one, x, NULL, w, NULL, convolution, 0, NULL, 0, &one, y, NULL));
  CALL(cudnnConvolutionBackwardData(NULL, &one, w, NULL, y, NULL, convolution, 0, NULL, 0, &one, x, NULL));
  CALL(cudnnConvolutionBackwardFilter(NULL, &one, x, NULL, y, NULL, convolution, 0, NULL, 0, &one, w, NULL));
  fact("cudnnConvolutionForward_flops", conv_flops);
  fact("cudnnConvolutionForward_bytes", conv_bytes);
  fact("cudnnConvolutionBackwardData_flops", conv_flops);
  fact("cudnnConvolutionBackwardFilter_flops", conv_flops);
}

// Two layers, both ways, from 32 to 64, of four sequences with 100 steps in all.
static void recurrent(void) {
  cudnnDropoutDescriptor_t dropout;
  cudnnRNNDescriptor_t net;
  cudnnRNNDataDescriptor_t data;
  const int lengths[] = {10, 20, 30, 40};
  float padding = 0;
  CALL(cudnnCreateDropoutDescriptor(&dropout));
  CALL(cudnnCreateRNNDescriptor(&net));
  CALL(cudnnCreateRNNDataDescriptor(&data));
  CALL(cudnnSetRNNDescriptor_v8(net, CUDNN_RNN_ALGO_STANDARD, CUDNN_LSTM, CUDNN_RNN_DOUBLE_BIAS, CUDNN_BIDIRECTIONAL,
                                CUDNN_LINEAR_INPUT, CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT, CUDNN_DEFAULT_MATH, 32, 64, 64,
                                2, dropout, CUDNN_RNN_PADDED_IO_ENABLED));
  CALL(cudnnSetRNNDataDescriptor(data, CUDNN_DATA_FLOAT, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED, 40, 4, 32, lengths,
                                 &padding));
  CALL(cudnnRNNForward(NULL, net, CUDNN_FWD_MODE_TRAINING, NULL, data, NULL, data, NULL, NULL, NULL, NULL, NULL, NULL,
                       NULL, 0, NULL, 0, NULL, 0, NULL));
  fact("cudnnRNNForward_flops", 100LL * 2 * (2 * 4 * 64 * (32 + 64) + 2 * 4 * 64 * (128 + 64)));
}

// Two heads; 4 sequences of 5 queries and 10 keys of 8 numbers, which are projected to 4.
static void attention(void) {
  cudnnAttnDescriptor_t net;
  cudnnSeqDataDescriptor_t queries, keys;
  const cudnnSeqDataAxis_t axes[] = {CUDNN_SEQDATA_TIME_DIM, CUDNN_SEQDATA_BATCH_DIM, CUDNN_SEQDATA_BEAM_DIM,
                                     CUDNN_SEQDATA_VECT_DIM};
  const int query_sizes[] = {40, 4, 1, 8}, key_sizes[] = {50, 4, 1, 8};
  const int query_lengths[] = {5, 5, 5, 5}, key_lengths[] = {10, 10, 10, 10};
  CALL(cudnnCreateAttnDescriptor(&net));
  CALL(cudnnCreateSeqDataDescriptor(&queries));
  CALL(cudnnCreateSeqDataDescriptor(&keys));
  CALL(cudnnSetAttnDescriptor(net, 0, 2, 1.0, CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT, CUDNN_DEFAULT_MATH, NULL, NULL, 8, 8,
                              8, 4, 4, 4, 8, 40, 50, 4, 1));
  CALL(cudnnSetSeqDataDescriptor(queries, CUDNN_DATA_FLOAT, 4, query_sizes, axes, 4, query_lengths, NULL));
  CALL(cudnnSetSeqDataDescriptor(keys, CUDNN_DATA_FLOAT, 4, key_sizes, axes, 4, key_lengths, NULL));
  CALL(cudnnMultiHeadAttnForward(NULL, net, -1, NULL, NULL, NULL, NULL, queries, NULL, NULL, keys, NULL, keys, NULL,
                                 queries, NULL, 0, NULL, 0, NULL, 0, NULL));
  fact("cudnnMultiHeadAttnForward_flops", 2LL * 2 * (4 * 200 + 4 * 200 + 8 * 4 * 20 + 2 * 8 * 4 * 40 + 4 * 8 * 20));
}

static void set(cudnnBackendDescriptor_t to, cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                int64_t count, const void* values) {
  CALL(cudnnBackendSetAttribute(to, name, type, count, values));
}
static cudnnBackendDescriptor_t made(cudnnBackendDescriptorType_t type) {
  cudnnBackendDescriptor_t descriptor;
  CALL(cudnnBackendCreateDescriptor(type, &descriptor));
  return descriptor;
}

static cudnnBackendDescriptor_t tensor(int64_t id, const int64_t* sizes) {
  cudnnBackendDescriptor_t t = made(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  const cudnnDataType_t type = CUDNN_DATA_HALF;
  int64_t strides[4], stride = 1;
  const int64_t alignment = 16;
  for (int i = 3; i >= 0; stride *= sizes[i--]) strides[i] = stride;
  set(t, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type);
  set(t, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 4, sizes);
  set(t, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, 4, strides);
  set(t, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &id);
  set(t, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1, &alignment);
  CALL(cudnnBackendFinalize(t));
  return t;
}

// A graph that the real library accepts, and an engine for it. What follows cannot be finished without a GPU, but its
// parts can be set.
static void graph(void) {
  const int64_t xs[] = {8, 64, 56, 56}, ws[] = {128, 64, 3, 3}, ys[] = {8, 128, 28, 28};
  const int64_t dims = 2, paddings[] = {1, 1}, strides[] = {2, 2}, dilations[] = {1, 1}, first = 0;
  const cudnnDataType_t computing = CUDNN_DATA_FLOAT;
  const cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
  const float alpha = 1, beta = 0;
  cudnnBackendDescriptor_t x = tensor(1, xs), w = tensor(2, ws), y = tensor(3, ys);
  cudnnBackendDescriptor_t convolution = made(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  set(convolution, CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &computing);
  set(convolution, CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, 1, &mode);
  set(convolution, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, 1, &dims);
  set(convolution, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, 2, paddings);
  set(convolution, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, 2, paddings);
  set(convolution, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, 2, strides);
  set(convolution, CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, 2, dilations);
  CALL(cudnnBackendFinalize(convolution));
  cudnnBackendDescriptor_t operation = made(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
  set(operation, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &x);
  set(operation, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &w);
  set(operation, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &y);
  set(operation, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &convolution);
  set(operation, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, CUDNN_TYPE_FLOAT, 1, &alpha);
  set(operation, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, CUDNN_TYPE_FLOAT, 1, &beta);
  CALL(cudnnBackendFinalize(operation));
  cudnnBackendDescriptor_t operations = made(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  set(operations, CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &operation);
  CALL(cudnnBackendFinalize(operations));
  cudnnBackendDescriptor_t engine = made(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  set(engine, CUDNN_ATTR_ENGINE_OPERATION_GRAPH, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &operations);
  set(engine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, 1, &first);
  CALL(cudnnBackendFinalize(engine));
  cudnnBackendDescriptor_t configuration = made(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  set(configuration, CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &engine);
  cudnnBackendDescriptor_t plan = made(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  set(plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &configuration);
  CALL(cudnnBackendExecute(NULL, plan, NULL));
  fact("cudnnBackendExecute_flops", conv_flops);
  fact("cudnnBackendExecute_bytes", conv_bytes);
}

int main(void) {
  products();
  convolutions();
  recurrent();
  attention();
  graph();
  return 0;
}
