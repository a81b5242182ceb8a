#include "report/show/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace prof::show {
namespace {

struct Character {
  char32_t code;
  std::size_t bytes;
  bool valid;
};

// The first character of a text that is not empty. A byte that starts no valid sequence is a character of its own.
Character decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const Character bad{lead, 1, false};
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return bad;
  char32_t code = lead & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return bad;
    code = code << 6 | (byte(i) & 0x3fU);
  }
  const bool overlong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (overlong || surrogate || code > 0x10ffff) return bad;
  return {code, bytes, true};
}

using Range = std::pair<char32_t, char32_t>;

template <std::size_t N>
bool within(const std::array<Range, N>& ranges, char32_t code) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [code](const Range& r) { return code >= r.first && code <= r.second; });
}

// Controls, and characters that reorder or hide what stands beside them.
constexpr std::array<Range, 8> kUnsafe{{{0x00, 0x1f},
                                        {0x7f, 0x9f},
                                        {0xad, 0xad},
                                        {0x61c, 0x61c},
                                        {0x200b, 0x200f},
                                        {0x2028, 0x202e},
                                        {0x2060, 0x206f},
                                        {0xfeff, 0xfeff}}};
constexpr std::array<Range, 7> kCombining{{{0x300, 0x36f},
                                           {0x483, 0x489},
                                           {0x591, 0x5bd},
                                           {0x610, 0x61a},
                                           {0x1ab0, 0x1aff},
                                           {0x20d0, 0x20ff},
                                           {0xfe00, 0xfe0f}}};
constexpr std::array<Range, 9> kWide{{{0x1100, 0x115f},
                                      {0x2e80, 0x303e},
                                      {0x3041, 0xa4cf},
                                      {0xac00, 0xd7a3},
                                      {0xf900, 0xfaff},
                                      {0xfe30, 0xfe6f},
                                      {0xff00, 0xff60},
                                      {0x1f300, 0x1faff},
                                      {0x20000, 0x3fffd}}};

std::size_t width_of(char32_t code) {
  if (within(kCombining, code)) return 0;
  return within(kWide, code) ? 2 : 1;
}

void append_escape(std::string& out, const Character& c) {
  if (c.code == U'\n') {
    out += "\\n";
  } else if (c.code == U'\t') {
    out += "\\t";
  } else if (!c.valid || c.code < 0x100) {
    fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<std::uint32_t>(c.code));
  } else {
    fmt::format_to(std::back_inserter(out), "\\u{{{:x}}}", static_cast<std::uint32_t>(c.code));
  }
}

template <class Keep>
std::string escaped(std::string_view text, Keep keep) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character c = decode(text);
    if (keep(c)) {
      out.append(text.substr(0, c.bytes));
    } else {
      append_escape(out, c);
    }
    text.remove_prefix(c.bytes);
  }
  return out;
}

}  // namespace

std::string printable(std::string_view text) {
  return escaped(text, [](const Character& c) { return c.valid && !within(kUnsafe, c.code); });
}

std::string valid_utf8(std::string_view text) {
  return escaped(text, [](const Character& c) { return c.valid; });
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Character c = decode(text);
    width += width_of(c.code);
    text.remove_prefix(c.bytes);
  }
  return width;
}

std::string cut_middle(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  constexpr std::string_view kDots = "...";
  if (width <= kDots.size()) return std::string(kDots.substr(0, width));

  // Byte offsets at which each character starts, and the columns before it.
  std::vector<std::pair<std::size_t, std::size_t>> starts;
  std::size_t columns = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Character c = decode(text.substr(at));
    starts.emplace_back(at, columns);
    columns += width_of(c.code);
    at += c.bytes;
  }
  const std::size_t room = width - kDots.size();
  const std::size_t tail_room = room / 2;
  const std::size_t head_room = room - tail_room;
  std::size_t head = 0;
  std::size_t tail = text.size();
  for (const auto& [at, before] : starts) {
    if (before <= head_room) head = at;
    if (columns - before <= tail_room) {
      tail = at;
      break;
    }
  }
  return std::string(text.substr(0, head)).append(kDots).append(text.substr(tail));
}

std::string cut_list(std::string_view text, std::size_t width) {
  while (display_width(text) > width) {
    const std::size_t comma = text.rfind(", ");
    if (comma == std::string_view::npos) return cut_middle(text, width);
    text = text.substr(0, comma);
  }
  return std::string(text);
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  if (width == 0) return std::string(text);
  std::string out;
  std::size_t used = 0;
  while (!text.empty()) {
    const std::size_t space = text.find(' ');
    const std::string_view word = text.substr(0, space);
    const std::size_t columns = display_width(word);
    if (used > 0 && used + 1 + columns > width) {
      out += '\n';
      out.append(indent, ' ');
      used = indent;
    } else if (!out.empty()) {
      out += ' ';
      used += 1;
    }
    out += word;
    used += columns;
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
  }
  return out;
}

std::string hanging(std::string_view text, std::size_t width, std::size_t indent) {
  std::string out = wrapped(text, width > indent ? width - indent : 0);
  for (std::size_t at = out.find('\n'); at != std::string::npos; at = out.find('\n', at + 1)) {
    out.insert(at + 1, indent, ' ');
  }
  return out;
}

}  // namespace prof::show
