// The counter records of a log.
#pragma once

#include "report/read/chunks.hpp"
#include "report/read/raw_log.hpp"
#include "report/read/schema.hpp"

namespace prof::read {

// Appends the records of a Records chunk to `log`; unknown classes are skipped. Both copies of the log are needed: what
// counts frees is taken from `earlier`, all else from `later`.
void read_records(const Chunk& chunk, const Schema& schema, Bytes earlier, Bytes later, RawLog& log);

}  // namespace prof::read
