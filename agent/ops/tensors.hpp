// Sizes of tensors, read where they are: PyTorch's function for the sizes of all inputs copies each of them, which
// takes longer than all else that is done for an operator.
//
// Tensors of the plain class alone are looked at, by the function that this class has for it: what others say their
// sizes are, PyTorch is asked. Where the inputs of a call stand (layout.hpp) shows itself: what is read there is
// compared with what PyTorch says, at first for some operators, and later whenever an operator is met with sizes that
// are new.
#pragma once

#include <atomic>
#include <cstdint>

#include "agent/ops/record_function.hpp"

namespace prof::ops {

class Tensors {
 public:
  // Whether they can be read.
  static bool readable() { return distance_.load(std::memory_order_relaxed) != 0; }

  // Calls `take(begin, end)` for each input of the operator in turn, with the sizes of a tensor, and with none for
  // anything else. False: they cannot be read, and what was taken means nothing. As Inputs, which see: PyTorch may
  // throw.
  template <class Take>
  static bool read(const Torch& torch, const RecordFunction* function, const Take& take) {
    std::size_t count = 0;
    const Value* values = torch.layout.inputs_at(function, distance_.load(std::memory_order_relaxed), count);
    return read(torch, values, count, take);
  }

  // PyTorch has said what they are.
  static void compare(const Torch& torch, const RecordFunction* function, const Sizes& told);

 private:
  static constexpr std::uint32_t kTensor = 1;  // c10::IValue's tag of one

  template <class Take>
  static bool read(const Torch& torch, const Value* values, std::size_t count, const Take& take) {
    for (const Value* value = values; value != values + count; ++value) {
      const auto* tensor = reinterpret_cast<const void* const*>(value->payload);
      if (value->tag != kTensor || tensor == torch.no_tensor) {
        take(nullptr, nullptr);
        continue;
      }
      if (*tensor != torch.tensor_class) return false;
      const SizesView sizes = torch.tensor_sizes(tensor);
      take(sizes.begin, sizes.begin + sizes.count);
    }
    return true;
  }
  static bool same(const Torch& torch, const Value* values, const Sizes& told, bool& plain);

  static std::atomic<std::uint32_t> distance_;  // 0: not known
};

}  // namespace prof::ops
