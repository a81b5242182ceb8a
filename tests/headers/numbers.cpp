// The numbers by which the libraries name types, attributes and descriptors are those of the real headers.
#include <cublasLt.h>
#include <cufft.h>
#include <library_types.h>

#include "agent/gpu/cudnn_names.hpp"
#include "agent/gpu/elements.hpp"
#include "interpose/cuda/blas.hpp"
#include "interpose/cuda/cublaslt.hpp"

using namespace prof::gpu;

constexpr bool is(Element e, std::uint32_t bits, bool complex = false) {
  return e.bits == bits && e.complex == complex;
}

static_assert(is(cuda_element(CUDA_R_32F), 32) && is(cuda_element(CUDA_R_64F), 64) && is(cuda_element(CUDA_R_16F), 16));
static_assert(is(cuda_element(CUDA_R_16BF), 16) && is(cuda_element(CUDA_C_16BF), 32, true));
static_assert(is(cuda_element(CUDA_C_32F), 64, true) && is(cuda_element(CUDA_C_64F), 128, true));
static_assert(is(cuda_element(CUDA_C_16F), 32, true) && is(cuda_element(CUDA_C_8I), 16, true));
static_assert(is(cuda_element(CUDA_R_8I), 8) && is(cuda_element(CUDA_R_8U), 8) &&
              is(cuda_element(CUDA_C_8U), 16, true));
static_assert(is(cuda_element(CUDA_R_4I), 4) && is(cuda_element(CUDA_R_4U), 4) && is(cuda_element(CUDA_C_4I), 8, true));
static_assert(is(cuda_element(CUDA_R_16I), 16) && is(cuda_element(CUDA_C_16U), 32, true));
static_assert(is(cuda_element(CUDA_R_32I), 32) && is(cuda_element(CUDA_R_32U), 32));
static_assert(is(cuda_element(CUDA_C_32I), 64, true) && is(cuda_element(CUDA_C_32U), 64, true));
static_assert(is(cuda_element(CUDA_R_64I), 64) && is(cuda_element(CUDA_R_64U), 64));
static_assert(is(cuda_element(CUDA_C_64I), 128, true) && is(cuda_element(CUDA_C_64U), 128, true));
static_assert(is(cuda_element(CUDA_R_8F_E4M3), 8) && is(cuda_element(CUDA_R_8F_E5M2), 8));
static_assert(is(cuda_element(CUDA_R_8F_UE8M0), 8) && is(cuda_element(CUDA_R_6F_E2M3), 6));
static_assert(is(cuda_element(CUDA_R_6F_E3M2), 6) && is(cuda_element(CUDA_R_4F_E2M1), 4));

static_assert(!fft_elements(CUFFT_R2C).in.complex && fft_elements(CUFFT_R2C).out.complex);
static_assert(fft_elements(CUFFT_C2R).in.complex && !fft_elements(CUFFT_C2R).out.complex);
static_assert(fft_elements(CUFFT_C2C).in.bits == 64 && fft_elements(CUFFT_Z2Z).out.bits == 128);
static_assert(fft_elements(CUFFT_D2Z).in.bits == 64 && fft_elements(CUFFT_Z2D).out.bits == 64);

static_assert(kBlasMissing == CUBLAS_STATUS_NOT_INITIALIZED && kLeftSide == CUBLAS_SIDE_LEFT);
static_assert(kLayoutType == CUBLASLT_MATRIX_LAYOUT_TYPE && kLayoutRows == CUBLASLT_MATRIX_LAYOUT_ROWS);
static_assert(kLayoutColumns == CUBLASLT_MATRIX_LAYOUT_COLS && kLayoutBatch == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
static_assert(kTransposedA == CUBLASLT_MATMUL_DESC_TRANSA && CUBLAS_OP_N == 0);

#if __has_include(<nccl.h>)
#include <nccl.h>
static_assert(is(nccl_element(ncclInt8), 8) && is(nccl_element(ncclUint8), 8) && is(nccl_element(ncclInt32), 32));
static_assert(is(nccl_element(ncclUint32), 32) && is(nccl_element(ncclInt64), 64) && is(nccl_element(ncclUint64), 64));
static_assert(is(nccl_element(ncclFloat16), 16) && is(nccl_element(ncclFloat32), 32));
static_assert(is(nccl_element(ncclFloat64), 64) && is(nccl_element(ncclBfloat16), 16));
static_assert(is(nccl_element(ncclFloat8e4m3), 8) && is(nccl_element(ncclFloat8e5m2), 8));
#endif

#if __has_include(<cudnn.h>)
#include <cudnn.h>
namespace dnn = prof::gpu::cudnn;
static_assert(is(cudnn_element(CUDNN_DATA_FLOAT), 32) && is(cudnn_element(CUDNN_DATA_DOUBLE), 64));
static_assert(is(cudnn_element(CUDNN_DATA_HALF), 16) && is(cudnn_element(CUDNN_DATA_BFLOAT16), 16));
static_assert(is(cudnn_element(CUDNN_DATA_INT8), 8) && is(cudnn_element(CUDNN_DATA_UINT8), 8));
static_assert(is(cudnn_element(CUDNN_DATA_INT32), 32) && is(cudnn_element(CUDNN_DATA_INT64), 64));
static_assert(is(cudnn_element(CUDNN_DATA_BOOLEAN), 8) && is(cudnn_element(CUDNN_DATA_FP8_E4M3), 8));
static_assert(is(cudnn_element(CUDNN_DATA_FP8_E5M2), 8) && is(cudnn_element(CUDNN_DATA_INT4), 4));
static_assert(is(cudnn_element(CUDNN_DATA_FP4_E2M1), 4) && is(cudnn_element(CUDNN_DATA_UINT32), 32));

#define SAME(ours, theirs) static_assert(static_cast<int>(dnn::ours) == theirs)
SAME(kTypeDataType, CUDNN_TYPE_DATA_TYPE);
SAME(kTypeBoolean, CUDNN_TYPE_BOOLEAN);
SAME(kTypeInt64, CUDNN_TYPE_INT64);
SAME(kTypeDescriptor, CUDNN_TYPE_BACKEND_DESCRIPTOR);
SAME(kHeuristicGraph, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
SAME(kEngineConfigEngine, CUDNN_ATTR_ENGINECFG_ENGINE);
SAME(kPlanEngineConfig, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
SAME(kGraphOperations, CUDNN_ATTR_OPERATIONGRAPH_OPS);
SAME(kEngineGraph, CUDNN_ATTR_ENGINE_OPERATION_GRAPH);
SAME(kTensorDataType, CUDNN_ATTR_TENSOR_DATA_TYPE);
SAME(kTensorDimensions, CUDNN_ATTR_TENSOR_DIMENSIONS);
SAME(kTensorIsVirtual, CUDNN_ATTR_TENSOR_IS_VIRTUAL);
SAME(kTensorIsByValue, CUDNN_ATTR_TENSOR_IS_BY_VALUE);
SAME(Made::Engine, CUDNN_BACKEND_ENGINE_DESCRIPTOR);
SAME(Made::EngineConfig, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
SAME(Made::EngineHeuristic, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
SAME(Made::ExecutionPlan, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
SAME(Made::OperationGraph, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
SAME(Made::Tensor, CUDNN_BACKEND_TENSOR_DESCRIPTOR);

constexpr bool operand(dnn::Made operation, int descriptor, int attribute, std::uint32_t place) {
  if (static_cast<int>(operation) != descriptor) return false;
  for (const dnn::Operand& o : dnn::kOperands) {
    if (o.operation == operation && o.attribute == attribute) return o.place == place;
  }
  return false;
}
#define OPERAND(made, type, attribute, place) \
  static_assert(                              \
      operand(dnn::Made::made, CUDNN_BACKEND_OPERATION_##type##_DESCRIPTOR, CUDNN_ATTR_OPERATION_##attribute, place))
OPERAND(ConvolutionForward, CONVOLUTION_FORWARD, CONVOLUTION_FORWARD_X, 0);
OPERAND(ConvolutionForward, CONVOLUTION_FORWARD, CONVOLUTION_FORWARD_W, 1);
OPERAND(ConvolutionForward, CONVOLUTION_FORWARD, CONVOLUTION_FORWARD_Y, 2);
OPERAND(ConvolutionBackwardData, CONVOLUTION_BACKWARD_DATA, CONVOLUTION_BWD_DATA_DX, 0);
OPERAND(ConvolutionBackwardData, CONVOLUTION_BACKWARD_DATA, CONVOLUTION_BWD_DATA_W, 1);
OPERAND(ConvolutionBackwardData, CONVOLUTION_BACKWARD_DATA, CONVOLUTION_BWD_DATA_DY, 2);
OPERAND(ConvolutionBackwardFilter, CONVOLUTION_BACKWARD_FILTER, CONVOLUTION_BWD_FILTER_X, 0);
OPERAND(ConvolutionBackwardFilter, CONVOLUTION_BACKWARD_FILTER, CONVOLUTION_BWD_FILTER_DW, 1);
OPERAND(ConvolutionBackwardFilter, CONVOLUTION_BACKWARD_FILTER, CONVOLUTION_BWD_FILTER_DY, 2);
OPERAND(Pointwise, POINTWISE, POINTWISE_XDESC, 0);
OPERAND(Pointwise, POINTWISE, POINTWISE_BDESC, 1);
OPERAND(Pointwise, POINTWISE, POINTWISE_YDESC, 2);
OPERAND(Pointwise, POINTWISE, POINTWISE_DYDESC, 3);
OPERAND(Pointwise, POINTWISE, POINTWISE_DXDESC, 2);
OPERAND(Matmul, MATMUL, MATMUL_ADESC, 0);
OPERAND(Matmul, MATMUL, MATMUL_BDESC, 1);
OPERAND(Matmul, MATMUL, MATMUL_CDESC, 2);
OPERAND(Reduction, REDUCTION, REDUCTION_XDESC, 0);
OPERAND(Reduction, REDUCTION, REDUCTION_YDESC, 1);
OPERAND(ResampleForward, RESAMPLE_FWD, RESAMPLE_FWD_XDESC, 0);
OPERAND(ResampleForward, RESAMPLE_FWD, RESAMPLE_FWD_YDESC, 1);
OPERAND(ResampleBackward, RESAMPLE_BWD, RESAMPLE_BWD_DYDESC, 0);
OPERAND(ResampleBackward, RESAMPLE_BWD, RESAMPLE_BWD_DXDESC, 1);
OPERAND(NormForward, NORM_FORWARD, NORM_FWD_XDESC, 0);
OPERAND(NormForward, NORM_FORWARD, NORM_FWD_YDESC, 1);
OPERAND(NormBackward, NORM_BACKWARD, NORM_BWD_XDESC, 0);
OPERAND(NormBackward, NORM_BACKWARD, NORM_BWD_DYDESC, 1);
OPERAND(NormBackward, NORM_BACKWARD, NORM_BWD_DXDESC, 2);
#if CUDNN_VERSION >= 91300
OPERAND(AttentionForward, SDPA_FWD, SDPA_FWD_QDESC, 0);
OPERAND(AttentionForward, SDPA_FWD, SDPA_FWD_KDESC, 1);
OPERAND(AttentionForward, SDPA_FWD, SDPA_FWD_VDESC, 2);
OPERAND(AttentionForward, SDPA_FWD, SDPA_FWD_ODESC, 3);
#endif
#if CUDNN_VERSION >= 91400
OPERAND(AttentionBackward, SDPA_BWD, SDPA_BWD_QDESC, 0);
OPERAND(AttentionBackward, SDPA_BWD, SDPA_BWD_KDESC, 1);
OPERAND(AttentionBackward, SDPA_BWD, SDPA_BWD_VDESC, 2);
OPERAND(AttentionBackward, SDPA_BWD, SDPA_BWD_ODESC, 3);
OPERAND(GroupedMatmul, MOE_GROUPED_MATMUL, MOE_GROUPED_MATMUL_TOKEN_DESC, 0);
OPERAND(GroupedMatmul, MOE_GROUPED_MATMUL, MOE_GROUPED_MATMUL_WEIGHT_DESC, 1);
OPERAND(GroupedMatmul, MOE_GROUPED_MATMUL, MOE_GROUPED_MATMUL_OUTPUT_DESC, 2);
#endif
#endif
