#include "agent/gpu/cudnn_graph.hpp"

#include <cstring>

#include "agent/gpu/cudnn_names.hpp"
#include "agent/gpu/handle_table.hpp"

namespace prof::gpu::cudnn {
namespace {

struct Tensor {
  Shape shape;
  bool held_nowhere;  // virtual, or a number that is passed by value: nobody reads or writes it in memory
};

struct Known {
  Made type;
  Tensor tensor;                        // of a tensor
  const void* operands[kMostOperands];  // of an operation
  Work work;                            // of all others; of an operation, once it is finalized
};

using Table = HandleTable<Known, 1U << 16>;
PROF_WIPED constinit pages::Wiped<Table> g_table{};

std::uint64_t key(const void* descriptor) { return reinterpret_cast<std::uint64_t>(descriptor); }

template <class T>
T element(const void* values, std::int64_t i) {
  T value;
  std::memcpy(&value, static_cast<const char*>(values) + static_cast<std::size_t>(i) * sizeof(T), sizeof(T));
  return value;
}

void set_tensor(Tensor& tensor, std::int32_t name, std::int32_t type, std::int64_t n, const void* values) {
  if (name == kTensorDimensions && type == kTypeInt64) {
    if (n > kMostDims) n = 0;
    tensor.shape.dims = static_cast<std::uint32_t>(n);
    for (std::int64_t i = 0; i < n; ++i) tensor.shape.size[i] = element<std::int64_t>(values, i);
  } else if (name == kTensorDataType && type == kTypeDataType) {
    tensor.shape.element = cudnn_element(element<std::int32_t>(values, 0));
  } else if ((name == kTensorIsVirtual || name == kTensorIsByValue) && type == kTypeBoolean) {
    if (element<bool>(values, 0)) tensor.held_nowhere = true;
  }
}

const Shape kNothing{};

// The operation's work, from the shapes of its operands.
std::uint64_t flops_of(Made operation, const Shape* const (&s)[kMostOperands]) {
  switch (operation) {
    case Made::ConvolutionForward:
    case Made::ConvolutionBackwardData:
    case Made::ConvolutionBackwardFilter:
      return convolution(*s[0], *s[1], *s[2]).flops;
    case Made::Matmul:
    case Made::GroupedMatmul:
      return matmul(*s[0], *s[1], *s[2]).flops;
    case Made::Pointwise:
      return elements(*s[2]);
    case Made::Reduction:
      return elements(*s[0]);
    case Made::AttentionForward:
    case Made::AttentionBackward: {
      // Batch, heads, length, size. Each query meets each key. Backward, the scores are worked out again, and each of
      // the two products has two gradients.
      if (s[1]->dims != 4) return 0;
      const std::uint64_t keys = count(s[1]->size[2]);
      const bool backward = operation == Made::AttentionBackward;
      return plus(times(backward ? 6 : 2, elements(*s[0]), keys), times(backward ? 4 : 2, elements(*s[3]), keys));
    }
    default:
      return 0;
  }
}

template <class Find>
void work_out(Known& operation, Find find) {
  const Shape* shapes[kMostOperands];
  std::uint64_t bytes = 0;
  for (std::uint32_t i = 0; i < kMostOperands; ++i) {
    const Known* operand = find(key(operation.operands[i]));
    const bool tensor = operand != nullptr && operand->type == Made::Tensor;
    shapes[i] = tensor ? &operand->tensor.shape : &kNothing;
    if (tensor && !operand->tensor.held_nowhere) bytes = plus(bytes, bytes_of(operand->tensor.shape));
  }
  // The gradients are as large as what they are the gradients of.
  if (operation.type == Made::AttentionBackward) bytes = times(bytes, 2);
  operation.work = {flops_of(operation.type, shapes), bytes};
}

// The attributes by which work goes from one descriptor to the next.
bool hands_on(Made type, std::int32_t name) {
  return (type == Made::OperationGraph && name == kGraphOperations) ||
         (type == Made::EngineHeuristic && name == kHeuristicGraph) || (type == Made::Engine && name == kEngineGraph) ||
         (type == Made::EngineConfig && name == kEngineConfigEngine) ||
         (type == Made::ExecutionPlan && name == kPlanEngineConfig);
}

template <class Find>
void set_other(Known& known, std::int32_t name, std::int64_t n, const void* values, Find find) {
  if (hands_on(known.type, name)) {
    Work sum;
    for (std::int64_t i = 0; i < n; ++i) {
      const Known* part = find(key(element<const void*>(values, i)));
      if (part != nullptr && part->type != Made::Tensor) sum = plus(sum, part->work);
    }
    known.work = sum;
    return;
  }
  for (const Operand& operand : kOperands) {
    if (operand.operation == known.type && operand.attribute == name && n == 1)
      known.operands[operand.place] = element<const void*>(values, 0);
  }
}

bool matters(Made type) {
  if (type == Made::Tensor || type == Made::OperationGraph) return true;
  if (type >= Made::Engine && type <= Made::ExecutionPlan) return true;
  for (const Operand& operand : kOperands) {
    if (operand.operation == type) return true;
  }
  return false;
}

}  // namespace

void created(const void* descriptor, std::int32_t type) {
  const Made made = static_cast<Made>(type);
  if (!matters(made)) {
    g_table.value.remove(key(descriptor));  // its predecessor at that address was given up unseen
    return;
  }
  Known known{};
  known.type = made;
  g_table.value.enter(key(descriptor), known);
}

void attribute_set(const void* descriptor, std::int32_t name, std::int32_t type, std::int64_t n, const void* values) {
  if (n <= 0 || values == nullptr) return;
  g_table.value.change(key(descriptor), [&](Known& known, auto find) {
    if (known.type == Made::Tensor)
      set_tensor(known.tensor, name, type, n, values);
    else if (type == kTypeDescriptor)
      set_other(known, name, n, values, find);
  });
}

void attribute_got(const void* descriptor, std::int32_t type, std::int64_t n, const void* values) {
  if (type != kTypeDescriptor || n <= 0 || values == nullptr) return;
  g_table.value.change(key(descriptor), [&](const Known& known, auto find) {
    if (known.type < Made::Engine || known.type > Made::ExecutionPlan) return;
    // What a heuristic suggests, and what an engine's configuration is for, was made for the same graph.
    for (std::int64_t i = 0; i < n; ++i) {
      Known* part = find(key(element<const void*>(values, i)));
      if (part != nullptr && part->type >= Made::Engine && part->type <= Made::ExecutionPlan) part->work = known.work;
    }
  });
}

void finalized(const void* descriptor) {
  g_table.value.change(key(descriptor), [](Known& known, auto find) {
    if (known.type >= Made::ConvolutionForward && known.type != Made::OperationGraph && known.type != Made::Tensor)
      work_out(known, find);
  });
}

void destroyed(const void* descriptor) { g_table.value.remove(key(descriptor)); }

Work work_of(const void* plan) {
  Known known;
  return g_table.value.read(key(plan), known) && known.type == Made::ExecutionPlan ? known.work : Work{};
}

std::uint32_t known_descriptors() { return g_table.value.count(); }

void prepare() { pages::wipe_in_child(g_table); }

}  // namespace prof::gpu::cudnn
