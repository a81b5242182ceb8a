#include "report/show/stack_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <fmt/format.h>

#include "report/fold/line_tree.hpp"
#include "report/show/names.hpp"

namespace prof::show {

std::string location_label(const symbols::Symbols& symbols, std::uint32_t location, bool wide) {
  return label(symbols.function(symbols.location(location).function), wide);
}

std::string location_place(const symbols::Symbols& symbols, std::uint32_t location, bool wide) {
  const symbols::Location& where = symbols.location(location);
  const symbols::Function& function = symbols.function(where.function);
  const std::string& path = where.file.empty() ? function.file : where.file;
  if (path.empty() || where.line == 0) return place(function, wide);
  return fmt::format("{}:{}", wide ? path : short_file(path), where.line);
}

std::string stack_text(const symbols::Symbols& symbols, std::span<const std::uint32_t> locations, char separator) {
  std::string out;
  for (const std::uint32_t location : locations) {
    if (!out.empty()) out += separator;
    std::string name = symbols.function(symbols.location(location).function).name;
    std::replace(name.begin(), name.end(), separator, ':');
    out += name;
  }
  return out;
}

std::string place_name(const symbols::Symbols& symbols, std::uint32_t location, bool wide) {
  if (location == fold::kNobody) return "(not known)";
  const std::string where = location_place(symbols, location, wide);
  const std::string name = location_label(symbols, location, wide);
  return where.empty() ? name : fmt::format("{} ({})", name, where);
}

}  // namespace prof::show
