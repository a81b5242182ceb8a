#include "agent/log/info.hpp"

#include <cstring>

#include "agent/core/raw.hpp"
#include "agent/log/file.hpp"

namespace prof::log {

std::string_view link_target(const char* link, char* room, std::size_t bytes) {
  const long n = raw::call(SYS_readlinkat, AT_FDCWD, raw::word(link), raw::word(room), static_cast<long>(bytes));
  return {room, n > 0 ? static_cast<std::size_t>(n) : 0};
}

bool put_in_first(InfoKey key, std::string_view value) {
  auto* chunk = reinterpret_cast<ChunkHeader*>(reinterpret_cast<char*>(header()) + kHeaderBytes);
  if (chunk->type != ChunkType::Info) return false;
  char* at = content<char>(chunk);
  char* const end = reinterpret_cast<char*>(chunk) + chunk->bytes;
  while (at + sizeof(InfoRecord) <= end && reinterpret_cast<InfoRecord*>(at)->bytes != 0)
    at += reinterpret_cast<InfoRecord*>(at)->bytes;
  if (at + sizeof(InfoRecord) + value.size() + 8 > end) return false;
  InfoWriter(at, end).put(key, value);
  return true;
}

void append_info(InfoKey key, std::string_view value) {
  if (header() == nullptr) return;
  ChunkHeader* chunk = take_chunk(ChunkType::Info, 0, 0, sizeof(ChunkHeader) + sizeof(InfoRecord) + value.size() + 16);
  if (chunk == nullptr) return;
  InfoWriter(content<char>(chunk), reinterpret_cast<char*>(chunk) + chunk->bytes).put(key, value);
}

void put_exe_path(TextBuilder& text) {
  char path[1024];
  text << link_target("/proc/self/exe", path, sizeof(path));
}

}  // namespace prof::log
