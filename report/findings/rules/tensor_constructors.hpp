// What PyTorch makes a tensor of Python objects with: torch.tensor() and its kind.
#pragma once

#include <string_view>

namespace prof::findings {

// How the names of these functions begin.
inline constexpr std::string_view kTensorConstructors[] = {"torch::utils::tensor_ctor", "torch::utils::legacy_tensor",
                                                           "torch::utils::as_tensor", "torch::utils::new_tensor",
                                                           "torch::utils::base_tensor_ctor"};

}  // namespace prof::findings
