#include "report/symbols/method_source.hpp"

#include <cctype>

namespace prof::symbols {
namespace {

constexpr std::uint32_t kMostLinesAbove = 40;  // a declaration with many parameters and comments before its first statement

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$'; }

// What the source calls it: a constructor by its class.
std::string_view source_name(std::string_view method) {
  const std::size_t dot = method.rfind('.');
  const std::string_view name = method.substr(dot == std::string_view::npos ? 0 : dot + 1);
  if (name != "<init>" || dot == std::string_view::npos) return name;
  const std::string_view of = method.substr(0, dot);
  const std::size_t end = of.find_last_of(".$");
  return of.substr(end == std::string_view::npos ? 0 : end + 1);
}

// Whether the line declares something of that name with parameters, and does not call it.
bool declares(std::string_view line, std::string_view name) {
  const std::string_view code = line.substr(0, line.find("//"));
  for (std::size_t at = code.find(name); at != std::string_view::npos; at = code.find(name, at + 1)) {
    std::size_t end = at + name.size();
    while (end < code.size() && code[end] == ' ') ++end;
    if (end >= code.size() || code[end] != '(' || (at > 0 && in_name(code[at - 1]))) continue;
    const std::string_view before = code.substr(0, at);
    const bool called = before.find_first_of("=.(") != std::string_view::npos ||
                        before.find("return ") != std::string_view::npos ||
                        before.find("new ") != std::string_view::npos;
    if (!called && code.find_last_not_of(' ') != code.rfind(';')) return true;
  }
  return false;
}

}  // namespace

std::uint32_t declared_line(const std::vector<std::string>& lines, std::uint32_t first, std::string_view method) {
  const std::string_view name = source_name(method);
  if (first == 0 || first > lines.size() || name.empty() || name.front() == '<' || name.starts_with("lambda$"))
    return first;
  for (std::uint32_t line = first; line >= 1 && line + kMostLinesAbove > first; --line) {
    if (declares(lines[line - 1], name)) return line;
  }
  return first;
}

}  // namespace prof::symbols
