// Bounded access to bytes that nobody vouches for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>

namespace prof::read {

using Bytes = std::span<const std::byte>;

inline bool holds(Bytes bytes, std::size_t offset, std::size_t length) {
  return offset <= bytes.size() && length <= bytes.size() - offset;
}

// The T at `offset`. What lies beyond the end reads as zeros.
template <typename T>
T load(Bytes bytes, std::size_t offset) {
  static_assert(std::is_trivially_copyable_v<T>);
  T value{};
  if (offset < bytes.size()) std::memcpy(&value, bytes.data() + offset, std::min(sizeof value, bytes.size() - offset));
  return value;
}

// At most `length` bytes from `offset` as text.
inline std::string text(Bytes bytes, std::size_t offset, std::size_t length) {
  if (offset >= bytes.size()) return {};
  return {reinterpret_cast<const char*>(bytes.data()) + offset, std::min(length, bytes.size() - offset)};
}

// The part of `bytes` from `offset`, at most `length` long.
inline Bytes part(Bytes bytes, std::size_t offset, std::size_t length) {
  if (offset >= bytes.size()) return {};
  return bytes.subspan(offset, std::min(length, bytes.size() - offset));
}

}  // namespace prof::read
