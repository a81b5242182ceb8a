// The steps of a training loop, as a log has them.
#pragma once

#include "report/read/chunks.hpp"
#include "report/read/raw_log.hpp"
#include "report/read/schema.hpp"

namespace prof::read {

// Reads a Steps chunk into log.steps; a header that contradicts itself counts as a bad record. Of several chunks, as
// there are while the writer moves to a larger one, that with the most records counts. While it makes one record of two
// both may be there: steps that were read already are left out.
void read_steps(const Chunk& chunk, const Schema& schema, Bytes later, RawLog& log);

}  // namespace prof::read
