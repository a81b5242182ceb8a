// Stacks of single nodes of a process, where no whole tree is wanted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "report/fold/own_code.hpp"
#include "report/model/profile.hpp"
#include "report/symbols/symbols.hpp"

namespace prof::fold {

// The stack of a node of a process's tree, leaf first, as location ids; without the frames of calls, kernels and
// ranges.
std::vector<std::uint32_t> raw_stack(const model::Run& run, const symbols::Symbols& symbols, std::size_t process,
                                     std::uint32_t node);

// The location that answers for a call with that stack: the innermost one of the user's own code (of Python, if
// any), else of Python, else the innermost function that is not of the C++ library. kNobody (fold/gpu.hpp) without any.
std::uint32_t caller_of(const OwnCode& own, const std::vector<std::uint32_t>& stack);

}  // namespace prof::fold
