#include "report/findings/source_loops.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>

#include "report/findings/places.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/statement_lines.hpp"
#include "report/fold/function_match.hpp"

namespace prof::findings {
namespace {

using std::string_view;

constexpr std::size_t kMostLinesBack = 2'000;  // to the head of a loop, or of the function
constexpr std::size_t kLinesOfStatement = 4;   // in which a comprehension is looked for

// Calls that have made all that a loop goes through before its first turn.
constexpr string_view kAtOnce[] = {".splitlines(", ".split(", ".readlines(", ".findall(", ".tolist(",  ".fetchall(",
                                   "listdir(",     "sorted(", "list(",       "set(",      "json.load", "pickle.load"};

// What calls the program once.
constexpr fold::FunctionAt kStarters[] = {{"runpy.py", ""},
                                          {"<frozen runpy>", ""},
                                          {"/multiprocessing/process.py", ""},
                                          {"/multiprocessing/context.py", ""},
                                          {"/multiprocessing/popen_fork.py", ""},
                                          {"/multiprocessing/spawn.py", ""},
                                          {"/threading.py", ""},
                                          {"/click/", ""},
                                          {"/typer/", ""},
                                          {"/fire/", ""},
                                          {"/absl/", ""},
                                          {"/hydra/", ""}};

// Whether a colon ends the head of a statement in the line, or further lines have the rest of it.
bool is_head(string_view code) {
  int inside = 0;
  for (const char c : code) {
    if (c == '(' || c == '[' || c == '{') ++inside;
    if (c == ')' || c == ']' || c == '}') --inside;
    if (c == ':' && inside == 0) return true;
  }
  return inside > 0;
}

constexpr string_view kComprehensions[] = {"<genexpr>", "<listcomp>", "<setcomp>", "<dictcomp>"};

// A function that is called for each of many by what it is made for.
bool is_of_comprehension(string_view function) { return contains_any(function, kComprehensions); }

bool is_loop(string_view code) {
  if (code.starts_with("async ")) code.remove_prefix(6);
  return (code.starts_with("for ") || code.starts_with("while ")) && is_head(code);
}

}  // namespace

bool in_loop(const std::vector<std::string>& lines, std::size_t number) {
  if (number == 0 || number > lines.size()) return false;
  const std::size_t at = number - 1;
  const string_view its = code_of(lines[at], "#");
  std::size_t indent = indent_of(its);
  const string_view own = its.substr(indent);
  const bool at_once = std::any_of(std::begin(kAtOnce), std::end(kAtOnce), [&](string_view call) {
    return own.substr(0, own.find(':')).find(call) != string_view::npos;
  });
  if (is_loop(own) && (own.starts_with("while ") || !at_once)) return true;
  for (std::size_t back = at; back-- > 0 && at - back <= kMostLinesBack && indent > 0;) {
    const string_view line = code_of(lines[back], "#");
    const std::size_t above = indent_of(line);
    if (above == line.size() || above >= indent) continue;
    indent = above;
    const string_view code = line.substr(above);
    if (is_loop(code)) return true;
    if (code.starts_with("def ") || code.starts_with("async def ")) return false;
  }
  return false;
}

bool for_each_of_many(const std::vector<std::string>& lines, std::size_t number) {
  if (number == 0 || number > lines.size()) return false;
  for (std::size_t at = number; at <= std::min(lines.size(), number + kLinesOfStatement - 1); ++at) {
    // Further lines are of the statement as long as its brackets are open.
    if (at > number && first_line_of_statement(lines, at) > number) return false;
    const std::string text = without_texts(code_of(lines[at - 1], "#"));
    const string_view code = trimmed(text);
    if (is_loop(code)) return false;
    for (const string_view call : {"map", "filter"}) {
      const std::size_t found = at == number ? find_word(code, call) : string_view::npos;
      const bool method = found != string_view::npos && found > 0 && code[found - 1] == '.';
      if (found != string_view::npos && !method && code.substr(found + call.size()).starts_with('(')) return true;
    }
    const std::size_t clause = find_word(code, "for"),
                      in = clause == string_view::npos ? clause : find_word(code, "in", clause);
    if (in == string_view::npos) continue;
    if (at > number) return true;
    // What it goes through is asked for once: where both call something, nobody knows which is meant.
    const bool element = code.substr(0, clause).find('(') != string_view::npos,
               source = code.substr(in).find('(') != string_view::npos;
    return element && !source;
  }
  return false;
}

bool done_once(const Evidence& evidence, symbols::SourceFiles& files, std::span<const std::uint32_t> stack) {
  std::set<std::uint32_t> functions;
  for (const std::uint32_t location : stack) {
    const std::uint32_t id = evidence.symbols().location(location).function;
    const symbols::Function& function = evidence.symbols().function(id);
    const bool python = function.language == symbols::Language::Python;
    if (!evidence.own().function(id)) {
      if (python && !functions.empty() && !fold::is_any(function, kStarters)) return false;
      continue;
    }
    if (!python) return false;
    const Place place = place_of(evidence.symbols(), location);
    const symbols::SourceFile& file = files.file(place.file);
    const bool known = file.readable && !file.newer && place.line > 0;
    if (!known || static_cast<std::size_t>(place.line) > file.lines.size()) return false;
    if (!functions.insert(id).second || in_loop(file.lines, static_cast<std::size_t>(place.line))) return false;
  }
  return !functions.empty();
}

bool done_once(const Evidence& evidence, symbols::SourceFiles& files, std::uint32_t node) {
  std::vector<std::uint32_t> stack;
  for (; node != 0; node = evidence.lines().nodes()[node].parent)
    stack.push_back(evidence.lines().nodes()[node].location);
  return done_once(evidence, files, stack);
}

bool asked_once(const Evidence& evidence, symbols::SourceFiles& files, std::uint32_t node) {
  if (!done_once(evidence, files, node)) return false;
  for (; node != 0; node = evidence.lines().nodes()[node].parent) {
    const std::uint32_t location = evidence.lines().nodes()[node].location;
    const std::uint32_t id = evidence.symbols().location(location).function;
    if (!evidence.own().function(id)) continue;
    if (is_of_comprehension(evidence.symbols().function(id).name)) return false;
    const Place place = place_of(evidence.symbols(), location);
    const auto number = static_cast<std::size_t>(place.line);
    if (for_each_of_many(files.file(place.file).lines, number)) return false;
  }
  return true;
}

}  // namespace prof::findings
