#include "report/findings/rules/arrays/given_columns.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "report/findings/source_loops.hpp"
#include "report/findings/source_words.hpp"

namespace prof::findings {
namespace {

// What stands between commas of the text up to the bracket that closes it: "x, f(a, b))" -> "x", "f(a, b)". Empty: the
// line does not close it.
std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> out;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[') ++depth;
    const bool closes = text[i] == ')' || text[i] == ']';
    if ((closes || text[i] == ',') && depth == 0) {
      out.push_back(trimmed(text.substr(begin, i - begin)));
      begin = i + 1;
      if (closes) return out;
    }
    if (closes) --depth;
  }
  return {};
}

struct Function {
  std::string_view name;
  std::vector<std::string_view> parameters;
};

// The function around line `number`: "def clean(self, series, limit=3.0):".
Function function_at(const Lines& lines, std::size_t number) {
  Function out;
  heads_above(lines, number, [&](std::string_view head, std::size_t) {
    if (!head.starts_with("def ")) return true;
    const std::size_t open = head.find('(');
    if (open == std::string_view::npos) return false;
    out.name = head.substr(4, open - 4);
    for (const std::string_view part : parts_of(head.substr(open + 1)))
      out.parameters.push_back(trimmed(part.substr(0, part.find_first_of(":="))));
    return false;
  });
  return out;
}

// "stack[:, row, col]", of what lies row by row.
bool is_column(const Lines& lines, std::size_t number, std::string_view given) {
  const std::size_t open = given.find('[');
  if (open == std::string_view::npos || open == 0 || !given.ends_with(']')) return false;
  const std::string_view of = given.substr(0, open);
  if (!std::all_of(of.begin(), of.end(), [](char c) { return is_name(c) || c == '.'; })) return false;
  const std::vector<std::string_view> indices = parts_of(given.substr(open + 1));
  if (indices.size() < 2 || indices.front() != ":" || may_lie_by_columns(lines, of)) return false;
  return std::all_of(indices.begin() + 1, indices.end(),
                     [&](std::string_view index) { return is_counted(lines, number, index); });
}

// What the call of the function at the line gives to those of its parameters.
std::vector<std::string_view> given_at(std::string_view code, const Function& function,
                                       const std::vector<std::string_view>& wanted) {
  const std::size_t at = find_word(code, function.name), open = at + function.name.size();
  if (function.name.empty() || at == std::string_view::npos || open >= code.size() || code[open] != '(') return {};
  const std::vector<std::string_view> parts = parts_of(code.substr(open + 1));
  const bool bound = !function.parameters.empty() && function.parameters.front() == "self";
  std::vector<std::string_view> out;
  for (std::size_t i = bound ? 1 : 0; i < function.parameters.size(); ++i) {
    const std::size_t place = bound ? i - 1 : i;
    if (std::find(wanted.begin(), wanted.end(), function.parameters[i]) == wanted.end()) continue;
    if (place < parts.size()) out.push_back(parts[place]);
  }
  return out;
}

std::vector<std::string_view> used_of(const std::vector<std::string_view>& names, std::string_view code) {
  std::vector<std::string_view> out;
  for (const std::string_view name : names) {
    if (name != "self" && find_word(code, name) != std::string_view::npos) out.push_back(name);
  }
  return out;
}

// Whether line `number` or one above it in its function gives that name to something else: "x = numpy.copy(x)".
bool is_given_anew(const Lines& lines, std::size_t number, std::string_view name) {
  const std::size_t inside = indent_of(lines[number - 1]);
  for (std::size_t i = number; i-- > 0;) {
    const std::string_view line = code_of(lines[i], "#"), code = line.substr(indent_of(line));
    if (code.starts_with("def ") && indent_of(line) < inside) return false;
    if (code.starts_with(name) && code.substr(name.size()).starts_with(" = ")) return true;
  }
  return false;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789.") == std::string_view::npos;
}

// Whether the file lays arrays the other way round anywhere: then nobody knows how one lies that a function is given.
bool turns_axes(const Lines& lines) {
  constexpr std::string_view kTurns[] = {"moveaxis", "swapaxes", "rollaxis", "transpose(", "permute(", ".T", "order="};
  return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
    const std::string_view code = code_of(line, "#");
    return std::any_of(std::begin(kTurns), std::end(kTurns),
                       [&](std::string_view turn) { return code.find(turn) != std::string_view::npos; });
  });
}

}  // namespace

bool may_lie_by_columns(const Lines& lines, std::string_view name) {
  for (const std::string_view end : {".values", ".T"}) {
    if (name.ends_with(end)) return true;
  }
  for (const std::string& line : lines) {
    const std::string_view code = code_of(line, "#");
    const std::size_t at = find_word(code, name);
    if (at == std::string_view::npos || !code.substr(at + name.size()).starts_with(" = ")) continue;
    for (const std::string_view made : {".values", ".to_numpy(", ".T", "order=", "asfortranarray"}) {
      if (code.find(made, at) != std::string_view::npos) return true;
    }
  }
  return false;
}

bool is_counted(const Lines& lines, std::size_t number, std::string_view index) {
  if (!index.empty() && std::all_of(index.begin(), index.end(), [](char c) { return c >= '0' && c <= '9'; }))
    return true;
  bool counted = false;
  heads_above(lines, number, [&](std::string_view head, std::size_t) {
    const std::size_t in = head.find(" in ");
    const bool counts = head.starts_with("for ") && in != std::string_view::npos &&
                        (head.substr(in + 4).starts_with("range(") || head.substr(in + 4).starts_with("enumerate("));
    if (counts) counted |= find_word(head.substr(0, in), index) != std::string_view::npos;
    return !head.starts_with("def ");
  });
  return counted;
}

std::optional<Place> column_given_to(symbols::SourceFiles& files, const Place& hot, std::span<const Place> calls) {
  const Lines* lines = &files.file(hot.file).lines;
  auto number = static_cast<std::size_t>(hot.line);
  if (number == 0 || number > lines->size()) return std::nullopt;
  Function function = function_at(*lines, number);
  std::vector<std::string_view> wanted = used_of(function.parameters, code_of((*lines)[number - 1], "#"));
  for (const Place& call : calls) {
    const bool anew = std::any_of(wanted.begin(), wanted.end(),
                                  [&](std::string_view name) { return is_given_anew(*lines, number, name); });
    lines = &files.file(call.file).lines;
    number = static_cast<std::size_t>(call.line);
    if (anew || wanted.empty() || call.line <= 0 || number > lines->size() || turns_axes(*lines)) return std::nullopt;
    const std::vector<std::string_view> given = given_at(code_of((*lines)[number - 1], "#"), function, wanted);
    // Which of several arrays takes the time is not known.
    const auto columns = std::count_if(given.begin(), given.end(),
                                       [&](std::string_view part) { return is_column(*lines, number, part); });
    const auto numbers = std::count_if(given.begin(), given.end(), is_number);
    if (columns > 0) {
      const bool alone = columns + numbers == std::ssize(given);
      return alone && in_loop(*lines, number) ? std::optional(call) : std::nullopt;
    }
    function = function_at(*lines, number);
    wanted.clear();
    for (const std::string_view name : function.parameters) {
      if (std::find(given.begin(), given.end(), name) != given.end()) wanted.push_back(name);
    }
  }
  return std::nullopt;
}

}  // namespace prof::findings
