// The interpreter's text and byte strings, read in place.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/python/memory.hpp"
#include "agent/python/offsets.hpp"

namespace prof::python {

// A str: its characters in units of 1, 2 or 4 bytes. All of it was shown to be readable.
struct TextObject {
  const void* units = nullptr;
  std::uint32_t length = 0;  // in units
  std::uint8_t unit_bytes = 1;

  std::size_t byte_count() const { return std::size_t{length} * unit_bytes; }
  // Bytes as UTF-8, lone surrogates in three bytes.
  std::uint32_t utf8_bytes() const;
  // Writes exactly utf8_bytes() bytes; returns the end.
  char* write_utf8(char* to) const;
};

inline constexpr std::uint32_t kLongestText = 4096;  // units; what is longer is cut

// False: no str at `at`, or one in the legacy form without inline characters (before 3.12). `type` is &PyUnicode_Type.
bool read_text(Memory& memory, const Offsets& offsets, std::uintptr_t at, std::uintptr_t type, TextObject& text);

// A bytes object. False: none at `at`. `type` is &PyBytes_Type.
struct BytesObject {
  const std::uint8_t* data = nullptr;
  std::uint32_t size = 0;
};
bool read_bytes(Memory& memory, const Offsets& offsets, std::uintptr_t at, std::uintptr_t type, BytesObject& bytes);

}  // namespace prof::python
