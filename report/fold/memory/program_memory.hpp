// What a line's memory is to its author: blocks, wherever the allocator got them from.
#pragma once

#include <cstdint>

#include "report/fold/call_tree.hpp"
#include "report/model/metrics.hpp"

namespace prof::fold {

// Of a node of the tree: what it got of malloc and its family, and the mappings in which the interpreter of Python
// keeps small objects (arenas of 256 KiB, from 3.10 on of 1 MiB), which malloc does not know of. An arena counts at the
// line that needed it.
model::MemoryMetric program_memory(const CallTree& tree, std::uint32_t node);

// Of that, the mappings of small objects. Each part is at its own peak, and they may not have been at one time.
model::MemoryMetric objects_memory(const CallTree& tree, std::uint32_t node);

}  // namespace prof::fold
