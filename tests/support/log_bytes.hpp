// The bytes that logs are made of: values, texts, chunks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "agent/contract/format.hpp"

namespace prof::test {

using ByteVector = std::vector<std::byte>;

template <typename T>
void append(ByteVector& to, const T& value) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&value);
  to.insert(to.end(), bytes, bytes + sizeof value);
}

// Records and texts end at a multiple of eight.
inline std::uint32_t padded(std::size_t bytes) { return static_cast<std::uint32_t>((bytes + 7) / 8 * 8); }
inline void append_text(ByteVector& to, const std::string& text) {
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  to.insert(to.end(), bytes, bytes + text.size());
  to.resize((to.size() + 7) / 8 * 8);
}

// One chunk at the end of a file, none where it would be empty.
inline void append_chunk(ByteVector& file, log::ChunkType type, std::uint32_t owner, std::uint64_t first,
                         const ByteVector& content) {
  if (content.empty()) return;
  log::ChunkHeader chunk{};
  chunk.magic = log::kChunkMagic;
  chunk.type = type;
  chunk.offset = file.size();
  chunk.owner = owner;
  chunk.first = first;
  const std::size_t granules = (sizeof chunk + content.size() + log::kGranule - 1) / log::kGranule;
  chunk.bytes = static_cast<std::uint32_t>(granules * log::kGranule);
  append(file, chunk);
  file.insert(file.end(), content.begin(), content.end());
  file.resize(chunk.offset + chunk.bytes);
}

}  // namespace prof::test
