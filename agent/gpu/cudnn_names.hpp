// Numbers of cuDNN's backend API, as far as they lead to what a plan asks for: of versions 8 and 9, which agree. A test
// compares them with the real headers.
#pragma once

#include <cstdint>

namespace prof::gpu::cudnn {

// cudnnBackendAttributeType_t
inline constexpr std::int32_t kTypeDataType = 1, kTypeBoolean = 2, kTypeInt64 = 3, kTypeDescriptor = 15;

// cudnnBackendDescriptorType_t
enum class Made : std::int32_t {
  Engine = 2,
  EngineConfig = 3,
  EngineHeuristic = 4,
  ExecutionPlan = 5,
  ConvolutionForward = 10,
  ConvolutionBackwardFilter = 11,
  ConvolutionBackwardData = 12,
  Pointwise = 13,
  OperationGraph = 15,
  Tensor = 17,
  Matmul = 19,
  Reduction = 22,
  ResampleForward = 25,
  ResampleBackward = 26,
  NormForward = 29,
  NormBackward = 30,
  AttentionForward = 41,
  GroupedMatmul = 42,
  AttentionBackward = 43,
};

// cudnnBackendAttributeName_t
inline constexpr std::int32_t kHeuristicGraph = 201, kEngineConfigEngine = 300, kPlanEngineConfig = 401,
                              kGraphOperations = 801, kEngineGraph = 1300;
inline constexpr std::int32_t kTensorDataType = 901, kTensorDimensions = 902, kTensorIsVirtual = 907,
                              kTensorIsByValue = 908;

// The operands of an operation, by the attributes that name them. Their order is that of the formula for it.
struct Operand {
  Made operation;
  std::int32_t attribute;
  std::uint32_t place;
};
inline constexpr std::uint32_t kMostOperands = 4;
inline constexpr Operand kOperands[] = {
    // input, filter, output; or their gradients
    {Made::ConvolutionForward, 704, 0},
    {Made::ConvolutionForward, 703, 1},
    {Made::ConvolutionForward, 705, 2},
    {Made::ConvolutionBackwardData, 710, 0},
    {Made::ConvolutionBackwardData, 709, 1},
    {Made::ConvolutionBackwardData, 711, 2},
    {Made::ConvolutionBackwardFilter, 716, 0},
    {Made::ConvolutionBackwardFilter, 715, 1},
    {Made::ConvolutionBackwardFilter, 717, 2},
    // inputs, then the output: forward or backward
    {Made::Pointwise, 751, 0},
    {Made::Pointwise, 752, 1},
    {Made::Pointwise, 753, 2},
    {Made::Pointwise, 757, 3},
    {Made::Pointwise, 756, 2},
    {Made::Matmul, 1520, 0},
    {Made::Matmul, 1521, 1},
    {Made::Matmul, 1522, 2},
    {Made::Reduction, 1610, 0},
    {Made::Reduction, 1611, 1},
    {Made::ResampleForward, 1710, 0},
    {Made::ResampleForward, 1711, 1},
    {Made::ResampleBackward, 1721, 0},
    {Made::ResampleBackward, 1720, 1},
    {Made::NormForward, 2002, 0},
    {Made::NormForward, 2013, 1},
    {Made::NormBackward, 2101, 0},
    {Made::NormBackward, 2104, 1},
    {Made::NormBackward, 2109, 2},
    // query, key, value, output
    {Made::AttentionForward, 2800, 0},
    {Made::AttentionForward, 2801, 1},
    {Made::AttentionForward, 2802, 2},
    {Made::AttentionForward, 2803, 3},
    {Made::AttentionBackward, 2851, 0},
    {Made::AttentionBackward, 2852, 1},
    {Made::AttentionBackward, 2853, 2},
    {Made::AttentionBackward, 2854, 3},
    // tokens, weights, output
    {Made::GroupedMatmul, 2902, 0},
    {Made::GroupedMatmul, 2903, 1},
    {Made::GroupedMatmul, 2905, 2},
};

}  // namespace prof::gpu::cudnn
