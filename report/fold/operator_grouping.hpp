// What operators of PyTorch are put together by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace prof::fold {

enum class OperatorGroup {
  Name,
  Shape,   // and by the shapes of its inputs
  Thread,  // and by thread
  Stack,   // and by the Python lines that called it
  Module,  // and by the modules (nn.Module) among them
  Step,    // and by the step of the loop: from the trace, see operators_by_step.hpp
};
struct OperatorGrouping {
  static constexpr std::size_t kUsualLines = 5;
  OperatorGroup by = OperatorGroup::Name;
  std::size_t lines = kUsualLines;   // by stack: the innermost ones
  std::optional<std::int64_t> step;  // by step: this one alone

  OperatorGrouping() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): most groups need nothing else
  OperatorGrouping(OperatorGroup group, std::size_t stack = kUsualLines) : by(group), lines(stack) {}
};

}  // namespace prof::fold
