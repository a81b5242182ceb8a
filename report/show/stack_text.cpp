#include "report/show/stack_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "report/show/words.hpp"

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

std::size_t first_frame_of_interest(const symbols::Symbols& symbols, std::span<const std::uint32_t> stack) {
  constexpr std::string_view kPlumbing[] = {"operator new", "std::", "__gnu_cxx::"};
  const bool python = first_python_frame(symbols, stack) != stack.size();
  for (std::size_t i = 0; i < stack.size(); ++i) {
    if (python && symbols.function(symbols.location(stack[i]).function).interpreter) continue;
    const std::string name = location_label(symbols, stack[i], false);
    const auto begins = [&name](std::string_view start) { return name.compare(0, start.size(), start) == 0; };
    if (std::none_of(std::begin(kPlumbing), std::end(kPlumbing), begins)) return i;
  }
  return 0;
}

std::size_t first_python_frame(const symbols::Symbols& symbols, std::span<const std::uint32_t> stack) {
  const auto of = [&](std::uint32_t location) -> const symbols::Function& {
    return symbols.function(symbols.location(location).function);
  };
  std::size_t importer = stack.size();
  for (std::size_t i = 0; i < stack.size(); ++i) {
    if (of(stack[i]).language != symbols::Language::Python) continue;
    if (!symbols::is_import_system(of(stack[i]))) return i;
    importer = std::min(importer, i);
  }
  return importer;
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

}  // namespace prof::show
