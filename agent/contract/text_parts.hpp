// Parts of a text. string_view's own substr can throw, and with it half of libstdc++'s exception machinery (and its
// dynamic TLS) would be linked into every host.
#pragma once

#include <cstddef>
#include <string_view>

namespace prof {

constexpr std::string_view first(std::string_view s, std::size_t n) { return {s.data(), n < s.size() ? n : s.size()}; }
constexpr std::string_view from(std::string_view s, std::size_t n) {
  return n < s.size() ? std::string_view(s.data() + n, s.size() - n) : std::string_view();
}

}  // namespace prof
