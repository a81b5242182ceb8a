#include "report/symbols/line_table.hpp"

#include <algorithm>

#include "agent/contract/format.hpp"

namespace prof::symbols {
namespace {

constexpr std::int64_t kMostLines = INT32_MAX;

unsigned byte_at(std::string_view table, std::size_t at) { return static_cast<unsigned char>(table[at]); }
int signed_byte_at(std::string_view table, std::size_t at) { return static_cast<signed char>(table[at]); }

// An entry of a table of locations (3.11): a first byte with bit 7 set, and what follows up to the next such byte.
constexpr unsigned kStart = 0x80;

enum LocationKind : unsigned { kOneLineFirst = 10, kOneLineLast = 12, kNoColumns = 13, kLong = 14, kNone = 15 };

// Six bits a byte, the lowest first; bit 6: one more follows.
std::uint64_t variable_int(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(bytes.size(), 10); ++i) {
    value |= std::uint64_t{byte_at(bytes, i) & 63} << (6 * i);
    if ((byte_at(bytes, i) & 64) == 0) break;
  }
  return value;
}

std::int64_t line_change(unsigned kind, std::string_view payload) {
  if (kind >= kOneLineFirst && kind <= kOneLineLast) return kind - kOneLineFirst;
  if (kind != kNoColumns && kind != kLong) return 0;
  const std::uint64_t value = variable_int(payload);
  const auto size = static_cast<std::int64_t>(value >> 1);
  return (value & 1) != 0 ? -size : size;
}

}  // namespace

LineTable::LineTable(std::string_view table, unsigned major, unsigned minor, std::int32_t first_line)
    : first_line_(first_line > 0 ? static_cast<std::uint32_t>(first_line) : 0), ranges_{{0, first_line_}} {
  if (major != 3) return;
  if (minor < 10) {
    read_lnotab(table, first_line);
  } else if (minor == 10) {
    read_linetable(table, first_line);
  } else {
    read_locations(table, first_line);
  }
}

std::uint32_t LineTable::line_at(std::uint32_t place) const {
  if (place == log::kNotStarted || place == log::kWholeCode) return first_line_;
  const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), place,
                                      [](std::uint32_t at, const Range& range) { return at < range.begin; });
  return (after - 1)->line;
}

void LineTable::begin_range(std::uint64_t at, std::int64_t line) {
  if (line <= 0 || line > kMostLines || at > UINT32_MAX) return;
  const auto number = static_cast<std::uint32_t>(line);
  if (ranges_.back().line == number) return;
  if (ranges_.back().begin == at) {
    ranges_.back().line = number;
  } else {
    ranges_.push_back({static_cast<std::uint32_t>(at), number});
  }
}

void LineTable::read_lnotab(std::string_view table, std::int64_t line) {
  std::uint64_t at = 0;
  for (std::size_t i = 0; i + 1 < table.size(); i += 2) {
    at += byte_at(table, i);
    line += signed_byte_at(table, i + 1);
    begin_range(at, line);
  }
}

void LineTable::read_linetable(std::string_view table, std::int64_t line) {
  constexpr int kNoLine = -128;
  std::uint64_t at = 0;
  for (std::size_t i = 0; i + 1 < table.size(); i += 2) {
    const unsigned length = byte_at(table, i);
    const int change = signed_byte_at(table, i + 1);
    if (change != kNoLine) {
      line += change;
      if (length != 0) begin_range(at, line);
    }
    at += length;
  }
}

void LineTable::read_locations(std::string_view table, std::int64_t line) {
  constexpr std::uint64_t kUnitBytes = 2;
  std::uint64_t at = 0;
  while (!table.empty() && (byte_at(table, 0) & kStart) != 0) {
    const unsigned head = byte_at(table, 0);
    table.remove_prefix(1);
    std::size_t length = 0;
    while (length < table.size() && (byte_at(table, length) & kStart) == 0) ++length;
    const unsigned kind = head >> 3 & 15;
    line += line_change(kind, table.substr(0, length));
    if (line < -kMostLines || line > kMostLines) return;
    if (kind != kNone) begin_range(at, line);
    at += ((head & 7) + 1) * kUnitBytes;
    table.remove_prefix(length);
  }
}

}  // namespace prof::symbols
