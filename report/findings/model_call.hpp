// Who calls a model: its own code is written once and called from many places.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "report/findings/evidence.hpp"

namespace prof::findings {

// Whether the node of Evidence::lines() is PyTorch at work, in its Python or in its own code.
bool in_pytorch(const Evidence& evidence, std::uint32_t node);

// Whether the operator multiplies matrices, as nearly every model does.
bool is_product(std::string_view name);

// The innermost line of own Python code on the path to the node that is in no forward().
std::optional<Place> model_call(const Evidence& evidence, std::uint32_t node);

// Whether it is the code of PyTorch through which modules are called.
bool calls_module(const symbols::Function& function);

}  // namespace prof::findings
