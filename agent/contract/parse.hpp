// Values as users write them, for the options. Each parser returns false for what it does not take, and then leaves its
// target as it is. Usable in every context.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "agent/contract/text_parts.hpp"

namespace prof {

// A whole number from `low` to `high`, of 18 digits at most.
inline bool parse_number(std::string_view s, std::uint64_t low, std::uint64_t high, std::uint64_t& out) {
  if (s.empty() || s.size() > 18) return false;
  std::uint64_t v = 0;
  for (const char c : s) {
    if (c < '0' || c > '9') return false;
    v = v * 10 + static_cast<std::uint64_t>(c - '0');
  }
  if (v < low || v > high) return false;
  out = v;
  return true;
}

// Bytes, with K, M or G behind the number for powers of 1024.
inline bool parse_size(std::string_view s, std::uint64_t low, std::uint64_t high, std::uint64_t& out) {
  unsigned shift = 0;
  if (!s.empty()) {
    switch (s.back()) {
      case 'k':
      case 'K':
        shift = 10;
        break;
      case 'm':
      case 'M':
        shift = 20;
        break;
      case 'g':
      case 'G':
        shift = 30;
        break;
      default:
        break;
    }
  }
  if (shift != 0) s.remove_suffix(1);
  std::uint64_t v = 0;
  if (!parse_number(s, 0, 1'000'000'000'000, v)) return false;
  if (v > (high >> shift)) return false;
  v <<= shift;
  if (v < low) return false;
  out = v;
  return true;
}

// on, 1, yes, true; off, 0, no, false.
inline bool parse_switch(std::string_view s, bool& out) {
  if (s == "on" || s == "1" || s == "yes" || s == "true") {
    out = true;
    return true;
  }
  if (s == "off" || s == "0" || s == "no" || s == "false") {
    out = false;
    return true;
  }
  return false;
}

// Seconds with up to three decimals, in milliseconds.
inline bool parse_seconds(std::string_view s, std::uint64_t& ms) {
  const std::size_t point = s.find('.');
  std::uint64_t whole = 0, thousandths = 0;
  if (!parse_number(first(s, point), 0, 100'000'000, whole)) return false;
  if (point != std::string_view::npos) {
    const std::string_view decimals = from(s, point + 1);
    if (decimals.size() > 3 || !parse_number(decimals, 0, 999, thousandths)) return false;
    for (std::size_t i = decimals.size(); i < 3; ++i) thousandths *= 10;
  }
  ms = whole * 1000 + thousandths;
  return true;
}

template <std::size_t N>
bool copy_text(std::string_view s, char (&to)[N]) {
  if (s.size() >= N) return false;
  if (!s.empty()) std::memcpy(to, s.data(), s.size());
  to[s.size()] = '\0';
  return true;
}

}  // namespace prof
