#include "report/symbols/shell_scripts.hpp"

#include <string_view>

namespace prof::symbols {
namespace {

std::string_view without_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

// "name() {", "name ()", "function name {".
bool begins_function(std::string_view line, std::string_view name) {
  constexpr std::string_view kFunction = "function ";
  line = without_blanks(line);
  const bool said = line.starts_with(kFunction);
  if (said) line = without_blanks(line.substr(kFunction.size()));
  if (!line.starts_with(name)) return false;
  line.remove_prefix(name.size());
  const std::string_view rest = without_blanks(line);
  return rest.starts_with("()") || rest.starts_with("( )") || (said && (rest.empty() || rest.size() != line.size()));
}

}  // namespace

const std::optional<ShellScripts::Place>& ShellScripts::place_of(const std::string& script, const std::string& name) {
  const auto [known, is_new] = known_.try_emplace({script, name});
  if (!is_new) return known->second;
  const SourceFile& file = files_.file(script);
  const std::string path = file.readable ? file.path.string() : script;
  if (name.empty() || !file.readable) return known->second = Place{path, name.empty() ? 1U : 0U};
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    if (begins_function(file.lines[i], name)) return known->second = Place{path, static_cast<std::uint32_t>(i + 1)};
  }
  return known->second;
}

}  // namespace prof::symbols
