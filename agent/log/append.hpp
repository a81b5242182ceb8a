// Records of various lengths, one after the other in chunks of one type: modules, code objects, imports. Each record
// begins with its own length, which is stored last; 0 marks the end.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "agent/log/format.hpp"

namespace prof::log {

// The chunk that is being filled. Lives in memory that forked children find zeroed.
struct AppendChunk {
  std::atomic<ChunkHeader*> current;
};

// Room for a record of `bytes` (a multiple of 8), zeroed; null when the log is full. `chunk_bytes`: how large chunks
// are; 0: as the log is. Any context; lock-free.
char* append_room(AppendChunk& chunk, ChunkType type, std::uint32_t bytes, std::size_t chunk_bytes = 0);

}  // namespace prof::log
