// Whose line it was: the tree that native and Python frames share, line by line, and stacks of it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "report/fold/call_tree.hpp"

namespace prof::fold {

// The location of somebody who is not known.
inline constexpr std::uint32_t kNobody = UINT32_MAX;

// The tree of the run and selection with Frames::Mixed and Granularity::Line.
CallTree line_tree(const model::Run& run, const symbols::Symbols& symbols, Selection selection);

// The stack of a node of the tree, leaf first: location ids.
std::vector<std::uint32_t> stack_of(const CallTree& tree, std::uint32_t node);

}  // namespace prof::fold
