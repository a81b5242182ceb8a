#include "agent/log/append.hpp"

#include "agent/log/file.hpp"

namespace prof::log {
namespace {
constexpr std::size_t kChunkBytes = 4096;
constexpr std::size_t kLargeChunkBytes = 65536;
constexpr std::uint64_t kLargeFrom = 1 << 20;  // bytes of log: who has that much gets larger chunks

// Takes room where the hint says that there is some: what is there already says where it ends.
char* take_record(ChunkHeader* chunk, std::uint32_t bytes) {
  const std::uint64_t room = chunk->bytes - sizeof(ChunkHeader);
  for (std::uint64_t at = __atomic_load_n(&chunk->first, __ATOMIC_RELAXED); at + bytes <= room;) {
    auto* length = reinterpret_cast<std::uint32_t*>(content<char>(chunk) + at);
    std::uint32_t seen = 0;
    if (__atomic_compare_exchange_n(length, &seen, bytes | kUnfinished, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      __atomic_store_n(&chunk->first, at + bytes, __ATOMIC_RELAXED);
      return content<char>(chunk) + at;
    }
    if (seen <= kUnfinished) return nullptr;  // the program has written there
    at += seen & ~kUnfinished;
  }
  return nullptr;
}

char* take_row(ChunkHeader* chunk, std::uint32_t bytes) {
  const std::uint64_t at = __atomic_fetch_add(&chunk->first, bytes, __ATOMIC_RELAXED);
  return sizeof(ChunkHeader) + at + bytes <= chunk->bytes ? content<char>(chunk) + at : nullptr;
}

template <class Take>
char* append(AppendChunk& appended, ChunkType type, std::uint32_t bytes, std::size_t usual, Take take) {
  for (unsigned attempt = 0; attempt < 8; ++attempt) {
    ChunkHeader* chunk = appended.current.load(std::memory_order_acquire);
    if (chunk != nullptr) {
      if (char* room = take(chunk, bytes)) return room;
    }
    const std::size_t need = sizeof(ChunkHeader) + bytes;
    ChunkHeader* made = take_chunk(type, 0, 0, need > usual ? need : usual);
    if (made == nullptr) return nullptr;
    if (!appended.current.compare_exchange_strong(chunk, made)) give_up_chunk(made);
  }
  return nullptr;
}

}  // namespace

char* append_record(AppendChunk& appended, ChunkType type, std::uint32_t bytes) {
  const Header* h = header();
  if (h == nullptr) return nullptr;
  const bool large = __atomic_load_n(&h->tail, __ATOMIC_RELAXED) >= kLargeFrom;
  return append(appended, type, bytes, large ? kLargeChunkBytes : kChunkBytes, take_record);
}

char* append_row(AppendChunk& appended, ChunkType type, std::uint32_t bytes, std::size_t chunk_bytes) {
  return header() == nullptr ? nullptr : append(appended, type, bytes, chunk_bytes, take_row);
}

}  // namespace prof::log
