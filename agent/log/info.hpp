// The texts of a log: what this process is. Each is written once; ordinary and signal contexts alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "agent/contract/format.hpp"
#include "agent/core/text.hpp"

namespace prof::log {

// Appends a text; does nothing while there is no log (describe_process writes what is known by then). Ordinary code.
void append_info(InfoKey key, std::string_view value);
// Into what the first chunk, of describe_process, has left over. False: there is no room. One thread at a time.
bool put_in_first(InfoKey key, std::string_view value);

// Where a symbolic link leads; empty when it cannot be read. Any context.
std::string_view link_target(const char* link, char* room, std::size_t bytes);
// Appends the path of the executable.
void put_exe_path(TextBuilder& text);

// Writes texts one behind the other into an Info chunk's content.
class InfoWriter {
 public:
  InfoWriter(char* at, char* end) : at_(at), end_(end) {}
  void put(InfoKey key, std::string_view value) {
    const std::size_t bytes = (sizeof(InfoRecord) + value.size() + 7) / 8 * 8;
    if (value.empty() || at_ + bytes > end_) return;
    auto* r = reinterpret_cast<InfoRecord*>(at_);
    r->key = static_cast<std::uint16_t>(key);
    r->value_bytes = static_cast<std::uint32_t>(value.size());
    std::memcpy(r + 1, value.data(), value.size());
    __atomic_store_n(&r->bytes, static_cast<std::uint32_t>(bytes), __ATOMIC_RELEASE);
    at_ += bytes;
  }

 private:
  char* at_;
  char* end_;
};

}  // namespace prof::log
