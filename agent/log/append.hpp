// Records one after the other in chunks of one type: modules, code objects, imports, names of various lengths, each of
// which begins with its own; children, which are all of one length.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "agent/contract/format.hpp"

namespace prof::log {

// The chunk that is being filled. Lives in memory that forked children find zeroed.
struct AppendChunk {
  std::atomic<ChunkHeader*> current;
};

// Room for a record of `bytes` (a multiple of 8), zeroed but for its first word: that holds its length as of an
// unfinished record, and the caller stores `bytes` there when it is done. A thread may be stopped before that for good,
// by a jump or by the process's end: readers step over what it leaves, to the records of others behind it. Null when
// the log is full. Any context; lock-free.
char* append_record(AppendChunk& chunk, ChunkType type, std::uint32_t bytes);

// Room for a row of a table whose readers know it by itself from one that is not filled. `chunk_bytes`: how large
// chunks are. As above.
char* append_row(AppendChunk& chunk, ChunkType type, std::uint32_t bytes, std::size_t chunk_bytes);

}  // namespace prof::log
