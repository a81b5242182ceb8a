#include "report/formats/csv.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "report/show/text.hpp"

namespace prof::formats {
namespace {

std::string field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out += '"';
}

std::string field(const show::Cell& cell, show::Kind kind) {
  if (const auto* text = std::get_if<std::string>(&cell)) return field(show::printable(*text));
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return std::to_string(*whole);
  if (const auto* real = std::get_if<double>(&cell)) {
    return kind == show::Kind::Share ? fmt::format("{:.6f}", *real) : std::to_string(std::llround(*real));
  }
  return {};
}

}  // namespace

std::string csv(const show::Sheet& sheet) {
  std::string out;
  const auto end_of_field = [&out](bool last) { out += last ? "\r\n" : ","; };
  std::size_t last = 0;
  for (std::size_t i = 0; i < sheet.columns.size(); ++i) {
    if (sheet.columns[i].where != show::Where::TableOnly) last = i;
  }
  const auto each = [&](auto write) {
    for (std::size_t i = 0; i <= last && i < sheet.columns.size(); ++i) {
      if (sheet.columns[i].where == show::Where::TableOnly) continue;
      out += write(i);
      end_of_field(i == last);
    }
  };
  each([&](std::size_t i) { return field(sheet.columns[i].key); });
  for (const show::Row& row : sheet.rows) {
    each([&](std::size_t i) { return field(row.cells.at(i), sheet.columns[i].kind); });
  }
  return out;
}

}  // namespace prof::formats
