#include "report/findings/rules/script_lines.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>

#include "report/findings/finding.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace script_lines {
namespace {

constexpr std::string_view kShells[] = {"sh", "bash", "dash", "zsh", "ksh"};

bool is_shell(const std::string& program) {
  const std::string name = std::filesystem::path(program).filename().string();
  return std::find(std::begin(kShells), std::end(kShells), name.starts_with('-') ? name.substr(1) : name) !=
         std::end(kShells);
}

std::string_view unquoted(std::string_view word) {
  if (word.size() > 1 && word.front() == '\'' && word.back() == '\'') word = word.substr(1, word.size() - 2);
  return word;
}

bool is_in_word(char c) { return is_name(c) || c == '-' || c == '.' || c == '/' || c == '$'; }

// Where the program stands as a command, not as a part of a name or a path.
std::size_t find_command(std::string_view code, std::string_view program) {
  for (std::size_t at = code.find(program); at != std::string_view::npos; at = code.find(program, at + 1)) {
    const std::size_t end = at + program.size();
    if ((at == 0 || !is_in_word(code[at - 1])) && (end >= code.size() || !is_in_word(code[end]))) return at;
  }
  return std::string_view::npos;
}

// How many of the command's words stand in the line; 0: not its program.
std::size_t words_in(std::string_view code, const CommandWords& command) {
  const std::size_t at = find_command(code, command.front());
  if (at == std::string_view::npos) return 0;
  const std::string_view rest = code.substr(at);
  return 1 + static_cast<std::size_t>(std::count_if(command.begin() + 1, command.end(), [&](const std::string& word) {
           return word != "..." && rest.find(unquoted(word)) != std::string_view::npos;
         }));
}

}  // namespace
}  // namespace script_lines

std::string script_of(const std::vector<std::string>& argv) {
  if (argv.empty() || !script_lines::is_shell(argv.front())) return {};
  for (std::size_t i = 1; i < argv.size(); ++i) {
    if (argv[i] == "-c" || argv[i] == "-s") return {};
    if (!argv[i].starts_with('-') && !argv[i].starts_with('+')) return argv[i];
  }
  return {};
}

std::vector<std::size_t> lines_with(const Lines& script, const CommandWords& command) {
  constexpr std::size_t kMost = 3;
  std::vector<std::size_t> out;
  std::size_t best = 0;
  if (command.empty()) return out;
  for (std::size_t i = 0; i < script.size(); ++i) {
    std::string_view code = script[i];
    if (const std::string_view text = code.substr(indent_of(code)); text.starts_with('#')) continue;
    if (const std::size_t comment = code.find(" # "); comment != std::string_view::npos) code = code.substr(0, comment);
    const std::size_t words = script_lines::words_in(code, command);
    if (words == 0 || words < best) continue;
    if (words > best) out.clear();
    best = words;
    out.push_back(i + 1);
  }
  if (out.size() > kMost) out.clear();
  return out;
}

std::vector<Place> script_places(const Evidence& evidence, const model::Process& shell,
                                 const std::vector<CommandWords>& commands) {
  constexpr std::size_t kMost = 2;
  const std::string script = script_of(shell.argv);
  std::vector<Place> out;
  if (script.empty()) return out;
  symbols::SourceFiles files(evidence.run());
  const symbols::SourceFile& file = files.file(script);
  if (!file.readable) return out;
  for (const CommandWords& command : commands) {
    for (const std::size_t line : lines_with(file.lines, command)) {
      const bool there = std::any_of(out.begin(), out.end(),
                                     [&](const Place& place) { return place.line == static_cast<std::int64_t>(line); });
      if (!there && out.size() < kMost) out.push_back({script, static_cast<std::int64_t>(line), {}});
    }
  }
  return out;
}

}  // namespace prof::findings
