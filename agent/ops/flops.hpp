// Floating point operations by PyTorch's own formulas: those of its profiler (`with_flops`), for the operators that it
// has one for.
#pragma once

#include <cstdint>
#include <string_view>

#include "agent/ops/inputs.hpp"

namespace prof::ops {

enum class Formula : std::uint8_t {
  None,
  Convolution,     // aten::conv2d: 2 for each weight that an element of the output is made of
  Product,         // aten::mm: 2 for each element of the one matrix and each column of the other
  AddedProduct,    // aten::addmm, the matrices behind what they are added to
  BatchedProduct,  // aten::bmm, aten::baddbmm likewise
  AddedBatched,    //
  Elements,        // aten::mul, aten::add: 1 for each element of the first input
};

Formula formula_of(std::string_view name);

// Of the operator that `inputs` are of; 0: they are not what the formula is for. `layout`: for convolutions, whose
// strides and paddings are no shapes; without it they have none. What does not fit is the largest number.
std::uint64_t flops_of(Formula formula, Inputs& inputs, const Layout& layout);

}  // namespace prof::ops
