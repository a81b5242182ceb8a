// The memory of a process as a whole.
#pragma once

#include <vector>

#include "report/model/process.hpp"
#include "report/read/raw_log.hpp"

namespace prof::model {

std::vector<SeriesPoint> build_series(const read::RawSeries& raw);
ResidentMemory resident_memory(const log::MemoryRecord& raw);

}  // namespace prof::model
