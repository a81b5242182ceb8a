// Operators of PyTorch by the functions of its library that run them.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "report/model/profile.hpp"

namespace prof::symbols {

class OperatorNames {
 public:
  // Knows the operators that the run counted.
  explicit OperatorNames(const model::Run& run);

  // What PyTorch calls the operator that a function runs, by its name without parameters: "aten::add_" for
  // "at::_ops::add__Tensor::call", "AddmmBackward0" for "torch::autograd::generated::AddmmBackward0::apply". Empty: it
  // runs none. There the name of the overload follows that of the operator: which is which, the counted names tell; of
  // one that was not counted both are kept, "aten::add__Tensor".
  std::string of(std::string_view function) const;

 private:
  std::string forward(std::string_view name) const;

  std::set<std::string, std::less<>> counted_;
};

}  // namespace prof::symbols
