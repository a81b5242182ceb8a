// Leaves out of a tree what nobody would see.
#pragma once

#include <cstddef>

#include "report/page/stacks.hpp"

namespace prof::page {

// Keeps the `most` nodes whose share of any measure, with all below them, is largest. Each node below which some are
// left out gets a child for those, with their figures.
void prune(StackTree& tree, std::size_t most);

}  // namespace prof::page
