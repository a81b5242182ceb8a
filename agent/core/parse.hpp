// Values as users write them, for the options. Each parser returns false for what it does not take, and then leaves its
// target as it is. Usable in every context.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "agent/core/text.hpp"

namespace prof {

// A whole number from `low` to `high`, of 18 digits at most.
bool parse_number(std::string_view s, std::uint64_t low, std::uint64_t high, std::uint64_t& out);

// Bytes, with K, M or G behind the number for powers of 1024.
bool parse_size(std::string_view s, std::uint64_t low, std::uint64_t high, std::uint64_t& out);

bool parse_switch(std::string_view s, bool& out);

// Seconds with up to three decimals, in milliseconds.
bool parse_seconds(std::string_view s, std::uint64_t& ms);

template <std::size_t N>
bool copy_text(std::string_view s, char (&to)[N]) {
  if (s.size() >= N) return false;
  std::memcpy(to, s.data(), s.size());
  to[s.size()] = '\0';
  return true;
}

}  // namespace prof
