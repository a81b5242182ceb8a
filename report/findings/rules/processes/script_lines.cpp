#include "report/findings/rules/processes/script_lines.hpp"

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

std::string_view unquoted(std::string_view word) {
  if (word.size() > 1 && word.front() == '\'' && word.back() == '\'') word = word.substr(1, word.size() - 2);
  return word;
}

bool is_in_word(char c) { return is_name(c) || c == '-' || c == '.' || c == '/' || c == '$' || c == '='; }

// Whether a command may begin behind that text: where a statement does, behind what chains commands, behind a variable
// that is set for it, or behind a program that runs another one.
bool begins_command(std::string_view before) {
  constexpr std::string_view kBefore[] = {"|", ";", "&", "(", "{", "`", "!"};
  constexpr std::string_view kWords[] = {"if",    "elif", "while", "until", "then",    "do",   "else",
                                         "xargs", "env",  "exec",  "time",  "command", "nice", "sudo"};
  // Within quotes it is text, but for what $( ) runs.
  const std::size_t runs = before.rfind("$(");
  const std::string_view since = runs == std::string_view::npos ? before : before.substr(runs + 2);
  if (std::count(since.begin(), since.end(), '"') % 2 != 0 || std::count(since.begin(), since.end(), '\'') % 2 != 0)
    return false;
  const std::size_t last = before.find_last_not_of(" \t");
  if (last == std::string_view::npos) return true;
  before = before.substr(0, last + 1);
  const auto ends = [&](std::string_view word) { return before.ends_with(word); };
  if (std::any_of(std::begin(kBefore), std::end(kBefore), ends)) return true;
  std::size_t begin = before.size();
  while (begin > 0 && before[begin - 1] != ' ' && before[begin - 1] != '\t') --begin;
  const std::string_view word = before.substr(begin);
  if (std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords)) return true;
  const std::size_t equals = word.find('=');
  const bool sets = equals != std::string_view::npos && equals > 0 &&
                    std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals), is_name);
  // xargs -n 1 grep: the options of who runs another one.
  const bool option =
      !word.empty() &&
      (word.front() == '-' || std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; }));
  return sets || (option && before.find("xargs ") != std::string_view::npos);
}

// Where the program stands as a command, not as a part of a name, a path or a text.
std::size_t find_command(std::string_view code, std::string_view program) {
  for (std::size_t at = code.find(program); at != std::string_view::npos; at = code.find(program, at + 1)) {
    const std::size_t end = at + program.size();
    const bool alone = (at == 0 || !is_in_word(code[at - 1])) && (end >= code.size() || !is_in_word(code[end]));
    const bool pattern =
        end < code.size() && code[end] == ')' && code.substr(0, at).find('(') == std::string_view::npos;
    if (alone && !pattern && begins_command(code.substr(0, at))) return at;
  }
  return std::string_view::npos;
}

// What ends a here-document that begins in the line; empty: none does.
std::string here_document(std::string_view code) {
  const std::size_t at = code.find("<<");
  if (at == std::string_view::npos || code.substr(at).starts_with("<<<")) return {};
  std::size_t begin = at + 2;
  while (begin < code.size() && (code[begin] == '-' || code[begin] == ' ' || code[begin] == '\'' || code[begin] == '"'))
    ++begin;
  std::size_t end = begin;
  while (end < code.size() && is_name(code[end])) ++end;
  return std::string(code.substr(begin, end - begin));
}

// Follows loops and functions through a script: what stands in neither is run once.
class Depth {
 public:
  // Of the line itself: whether it is in one, its head included.
  bool again(std::string_view code) {
    code = code.substr(indent_of(code));
    const bool loop = code.starts_with("for ") || code.starts_with("while ") || code.starts_with("until ");
    const bool function = code.find("() {") != std::string_view::npos || code.starts_with("function ");
    const bool inside = loops_ > 0 || functions_ > 0 || loop || function;
    if (loop && find_word(code, "done") == std::string_view::npos) ++loops_;
    if (!loop && code.starts_with("done") && loops_ > 0) --loops_;
    if (function && code.find('}') == std::string_view::npos) ++functions_;
    if (code.starts_with("}") && functions_ > 0) --functions_;
    return inside;
  }

 private:
  int loops_ = 0, functions_ = 0;
};

// Shells run these themselves.
bool is_builtin(const std::string& program) {
  constexpr std::string_view kBuiltins[] = {"true", "false", "test", "[", "echo", "printf", "pwd", "kill"};
  return std::find(std::begin(kBuiltins), std::end(kBuiltins), program) != std::end(kBuiltins);
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

bool is_shell(const std::string& program) {
  const std::string name = std::filesystem::path(program).filename().string();
  return std::find(std::begin(script_lines::kShells), std::end(script_lines::kShells),
                   name.starts_with('-') ? name.substr(1) : name) != std::end(script_lines::kShells);
}

std::string script_of(const std::vector<std::string>& argv) {
  if (argv.empty() || !is_shell(argv.front())) return {};
  for (std::size_t i = 1; i < argv.size(); ++i) {
    if (argv[i] == "-c" || argv[i] == "-s") return {};
    if (argv[i] == "-o" || argv[i] == "-O" || argv[i] == "+o" || argv[i] == "+O") {
      ++i;
      continue;
    }
    if (!argv[i].starts_with('-') && !argv[i].starts_with('+')) return argv[i];
  }
  return {};
}

std::vector<std::size_t> lines_with(const Lines& script, const CommandWords& command) {
  constexpr std::size_t kMost = 3;
  std::vector<std::size_t> out;
  std::size_t best = 0;
  if (command.empty() || script_lines::is_builtin(command.front())) return out;
  std::string document;
  script_lines::Depth depth;
  for (std::size_t i = 0; i < script.size(); ++i) {
    std::string_view code = script[i];
    if (!document.empty()) {
      if (code.substr(indent_of(code)).starts_with(document)) document.clear();
      continue;
    }
    document = script_lines::here_document(code);
    if (const std::string_view text = code.substr(indent_of(code)); text.starts_with('#')) continue;
    if (const std::size_t comment = code.find(" # "); comment != std::string_view::npos) code = code.substr(0, comment);
    // A line that is run once runs nothing again and again, but for one that gives it many arguments.
    const bool again = depth.again(code) || code.find("xargs") != std::string_view::npos ||
                       code.find("-exec") != std::string_view::npos;
    const std::size_t words = again ? script_lines::words_in(code, command) : 0;
    if (words == 0 || words < best) continue;
    if (words > best) out.clear();
    best = words;
    out.push_back(i + 1);
  }
  if (out.size() > kMost) out.clear();
  return out;
}

// What stands in other files is not told by this one.
static bool sources_another(const Lines& script) {
  return std::any_of(script.begin(), script.end(), [](const std::string& line) {
    const std::string_view code = std::string_view(line).substr(indent_of(line));
    return code.starts_with(". ") || code.starts_with("source ");
  });
}

std::vector<Place> script_places(const Evidence& evidence, const model::Process& shell,
                                 const std::vector<CommandWords>& commands) {
  constexpr std::size_t kMost = 2;
  const std::string script = script_of(shell.argv);
  std::vector<Place> out;
  if (script.empty()) return out;
  // Relative to where this very process was started, and not to where others were.
  const std::string path = script.starts_with('/') ? script : (std::filesystem::path(shell.cwd) / script).string();
  symbols::SourceFiles& files = evidence.sources();
  const symbols::SourceFile& file = files.file(path);
  if (!file.readable || sources_another(file.lines)) return out;
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
