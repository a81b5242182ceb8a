#include "report/read/chunks.hpp"

namespace prof::read {
namespace {

bool begins_chunk(const log::ChunkHeader& chunk, std::size_t offset) {
  return chunk.magic == log::kChunkMagic && chunk.offset == offset && chunk.bytes >= sizeof(log::ChunkHeader) &&
         chunk.bytes % log::kGranule == 0;
}

}  // namespace

std::vector<Chunk> find_chunks(Bytes log, const log::Header& header, Damage& damage) {
  std::vector<Chunk> chunks;
  const std::size_t limit = std::min<std::uint64_t>(header.tail, log.size());
  if (header.tail > log.size()) damage.truncated = true;
  std::size_t offset = header.header_bytes;
  while (holds(log.first(limit), offset, sizeof(log::ChunkHeader))) {
    const auto chunk = load<log::ChunkHeader>(log, offset);
    if (!begins_chunk(chunk, offset)) {
      damage.torn_bytes += std::min<std::size_t>(log::kGranule, limit - offset);
      offset += log::kGranule;
      continue;
    }
    const std::size_t end = std::min(limit, offset + chunk.bytes);
    chunks.push_back({chunk, offset + sizeof(log::ChunkHeader), end});
    offset += chunk.bytes;
  }
  return chunks;
}

}  // namespace prof::read
