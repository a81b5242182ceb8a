// What PyTorch makes a tensor of Python objects with: torch.tensor() and its kind.
#pragma once

#include <string_view>

namespace prof::findings {

// How the names of these functions begin.
inline constexpr std::string_view kTensorConstructors[] = {"torch::utils::tensor_ctor", "torch::utils::legacy_tensor",
                                                           "torch::utils::as_tensor", "torch::utils::new_tensor",
                                                           "torch::utils::base_tensor_ctor"};

// What they ask a sequence of Python for, and hardly anything else.
inline constexpr std::string_view kElementsAsked[] = {"PySequence_GetItem", "PySequence_Fast", "PySequence_Length",
                                                      "PySequence_Size", "torch::utils::(anonymous namespace)::"};

}  // namespace prof::findings
