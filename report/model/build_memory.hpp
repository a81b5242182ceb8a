// The records of one kind of memory as figures of contexts.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "report/model/process.hpp"
#include "report/read/raw_log.hpp"

namespace prof::model {

struct Memory {
  MemoryRows rows;
  std::vector<SizeRow> sizes;  // see Tree::heap_sizes
  Growth growth;
};

// `node_of` leads from the writer's node ids to those of the tree. Records that belong to a HeapWords record which is
// not there are counted in `damage`.
Memory build_memory(const read::RawMemory& raw, const log::PeakClock& clock, log::HeapMode mode,
                    const std::function<std::uint32_t(std::uint32_t)>& node_of, Damage& damage);

}  // namespace prof::model
