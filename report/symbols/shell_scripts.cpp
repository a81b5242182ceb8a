#include "report/symbols/shell_scripts.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>

namespace prof::symbols {
namespace {

std::string_view without_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

std::size_t blanks_before(std::string_view line) { return line.size() - without_blanks(line).size(); }

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

// The last line of what begins at `first` (an index): the first one that closes a brace as far to the left; as people
// write functions. The file's last one where there is none.
std::uint32_t end_of_function(const std::vector<std::string>& lines, std::size_t first) {
  const std::size_t indent = blanks_before(lines[first]);
  if (lines[first].find('{') != std::string::npos && lines[first].find_last_of('}') != std::string::npos &&
      without_blanks(lines[first]).ends_with('}'))
    return static_cast<std::uint32_t>(first + 1);
  for (std::size_t i = first + 1; i < lines.size(); ++i) {
    const std::string_view text = without_blanks(lines[i]);
    if ((text.starts_with('}') || text.starts_with(')')) && blanks_before(lines[i]) <= indent)
      return static_cast<std::uint32_t>(i + 1);
  }
  return static_cast<std::uint32_t>(lines.size());
}

// The file's name in ". FILE" and "source FILE", without the folders that only the shell knows: "lib/log.sh" of
// "$here/lib/log.sh". Empty: the line sources nothing.
std::string sourced_by(std::string_view line) {
  line = without_blanks(line);
  if (line.starts_with("source "))
    line.remove_prefix(7);
  else if (line.starts_with(". "))
    line.remove_prefix(2);
  else
    return {};
  std::string word;
  int inside = 0;
  for (const char c : without_blanks(line)) {
    if (c == '(') ++inside;
    if (c == ')') --inside;
    if (inside == 0 && (c == ' ' || c == ';' || c == '\t')) break;
    if (c != '"' && c != '\'') word += c;
  }
  const std::size_t dollar = word.find_last_of("$)}");
  if (dollar == std::string::npos) return word;
  const std::size_t slash = word.find('/', dollar);
  return slash == std::string::npos ? std::string() : word.substr(slash + 1);
}

}  // namespace

void ShellScripts::add_functions(const SourceFile& file, const std::string& name, std::vector<Place>& out) const {
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    if (begins_function(file.lines[i], name))
      out.push_back({file.path.string(), static_cast<std::uint32_t>(i + 1), end_of_function(file.lines, i)});
  }
}

const std::vector<ShellScripts::Place>& ShellScripts::places_of(const std::string& script, const std::string& name) {
  const auto [known, is_new] = known_.try_emplace({script, name});
  std::vector<Place>& out = known->second;
  if (!is_new) return out;
  const SourceFile& file = files_.file(script);
  if (!file.readable) {
    out.push_back({script, 0, 0});
    return out;
  }
  if (name.empty()) {
    // What runs before and after the script stands on no line of it, or on the first.
    const bool named = !file.lines.empty() && file.lines.front().starts_with("#!");
    out.push_back({file.path.string(), named ? 2U : 1U, static_cast<std::uint32_t>(file.lines.size())});
    return out;
  }
  add_functions(file, name, out);
  constexpr std::size_t kMostFiles = 16;
  std::size_t files = 0;
  const std::vector<std::string> lines = file.lines;
  const std::filesystem::path folder = file.path.parent_path();
  for (const std::string& line : lines) {
    const std::string sourced = sourced_by(line);
    if (sourced.empty() || ++files > kMostFiles) continue;
    const std::filesystem::path path(sourced);
    add_functions(files_.file(path.is_absolute() ? sourced : (folder / path).string()), name, out);
  }
  return out;
}

ShellScripts::Place ShellScripts::place_of(const std::string& script, const std::string& name, std::uint32_t line) {
  for (const Place& place : places_of(script, name)) {
    if (place.is_of(line)) return place;
  }
  return {};
}

}  // namespace prof::symbols
