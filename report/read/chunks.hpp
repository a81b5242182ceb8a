// The chunks of a log.
#pragma once

#include <vector>

#include "agent/contract/format.hpp"
#include "report/read/bytes.hpp"
#include "report/read/damage.hpp"

namespace prof::read {

struct Chunk {
  log::ChunkHeader header{};
  std::size_t begin = 0;  // of its content in the file
  std::size_t end = 0;    // behind its content; never behind the bytes that were read
};

// All published chunks in the order of the file. Granules that begin none are skipped one by one and counted.
std::vector<Chunk> find_chunks(Bytes log, const log::Header& header, Damage& damage);

}  // namespace prof::read
