// The memory of the process as a whole: over time and by kind.
#pragma once

#include "report/read/chunks.hpp"
#include "report/read/raw_log.hpp"
#include "report/read/schema.hpp"

namespace prof::read {

// Reads a Series chunk into log.series; what contradicts itself counts as a bad record and is left out. Of several
// chunks the first counts.
void read_series(const Chunk& chunk, const Schema& schema, Bytes later, RawLog& log);

// Reads a Memory chunk into log.memory_last and memory_high. A record that was being written when the later copy was
// made is taken from the earlier one, if it is whole there.
void read_memory(const Chunk& chunk, Bytes earlier, Bytes later, RawLog& log);

}  // namespace prof::read
