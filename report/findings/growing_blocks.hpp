// Blocks of memory that grow from one to the next.
#pragma once

#include "report/model/metrics_base.hpp"

namespace prof::findings {

// Whether the blocks of a place grew evenly: none was smaller than one before it, and the average is about half of the
// largest, as far as they were seen. Blocks that are alike, of any size, or that double are none.
bool grow_evenly(const model::MemoryMetric& blocks);
// Whether they grew evenly up to five times, each time from the beginning: blocks of random sizes that are on average
// half of the largest are told from these by how few of them are no smaller than all before.
bool grow_in_rounds(const model::MemoryMetric& blocks);

}  // namespace prof::findings
