#include "report/formats/json_rows.hpp"

namespace prof::formats {
namespace {

bool is_time(show::Kind kind) { return kind == show::Kind::Time || kind == show::Kind::EachTime; }

}  // namespace

Json members(std::string_view names) {
  Json out = Json::object();
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(' '), names.size());
    out[std::string(names.substr(0, end))] = nullptr;
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return out;
}

Json cell_json(const show::Cell& cell, show::Kind kind) {
  if (const auto* words = std::get_if<std::string>(&cell)) return text_or_null(*words);
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
    if (kind == show::Kind::Flag) return *whole != 0;
    return is_time(kind) ? seconds(*whole) : Json(*whole);
  }
  if (const auto* real = std::get_if<double>(&cell)) return is_time(kind) ? *real / 1e9 : *real;
  return {};
}

std::string json_name(const show::Column& column, std::string_view json) {
  if (column.where == show::Where::TableOnly || json == show::kNotInJson) return {};
  if (!json.empty()) return std::string(json);
  constexpr std::string_view kNs = "_ns";
  if (!is_time(column.kind) || !column.key.ends_with(kNs)) return column.key;
  return column.key.substr(0, column.key.size() - kNs.size()) + "_s";
}

}  // namespace prof::formats
