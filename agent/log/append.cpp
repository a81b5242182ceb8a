#include "agent/log/append.hpp"

#include "agent/log/file.hpp"

namespace prof::log {
namespace {
constexpr std::size_t kChunkBytes = 4096;
constexpr std::size_t kLargeChunkBytes = 65536;
constexpr std::uint64_t kLargeFrom = 1 << 20;  // bytes of log: who has that much gets larger chunks
}  // namespace

char* append_room(AppendChunk& appended, ChunkType type, std::uint32_t bytes, std::size_t chunk_bytes) {
  for (unsigned attempt = 0; attempt < 8; ++attempt) {
    ChunkHeader* chunk = appended.current.load(std::memory_order_acquire);
    if (chunk != nullptr) {
      const std::uint64_t at = __atomic_fetch_add(&chunk->first, bytes, __ATOMIC_RELAXED);
      if (sizeof(ChunkHeader) + at + bytes <= chunk->bytes) return content<char>(chunk) + at;
    }
    const Header* h = header();
    if (h == nullptr) return nullptr;
    const std::size_t need = sizeof(ChunkHeader) + bytes;
    const std::size_t usual = chunk_bytes != 0                                           ? chunk_bytes
                              : __atomic_load_n(&h->tail, __ATOMIC_RELAXED) < kLargeFrom ? kChunkBytes
                                                                                         : kLargeChunkBytes;
    ChunkHeader* made = take_chunk(type, 0, 0, need > usual ? need : usual);
    if (made == nullptr) return nullptr;
    if (!appended.current.compare_exchange_strong(chunk, made)) give_up_chunk(made);
  }
  return nullptr;
}

}  // namespace prof::log
