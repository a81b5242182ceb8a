#include "report/findings/rules/python/sort_calls.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace prof::findings {
namespace {

using std::string_view;

constexpr string_view kFunctions[] = {"sorted(",     "sort(",     "argsort(",  "median(",
                                      "percentile(", "quantile(", "quantiles("};
constexpr string_view kMethods[] = {".sort(", ".sort_values("};

bool in_path(char c) { return is_name(c) || c == '.'; }

// "self.rows" of "sorted(self.rows, key=...)", of "self.rows.sort()" and of "sorted(self.rows.items())".
string_view sorted_name(string_view code) {
  for (const string_view method : kMethods) {
    const std::size_t at = code.find(method);
    if (at == string_view::npos) continue;
    std::size_t begin = at;
    while (begin > 0 && in_path(code[begin - 1])) --begin;
    const string_view name = code.substr(begin, at - begin);
    if (!name.empty() && name != "np" && name != "numpy" && name != "torch") return name;
  }
  for (const string_view function : kFunctions) {
    const std::size_t at = code.find(function);
    if (at == string_view::npos || (at > 0 && is_name(code[at - 1]))) continue;
    const std::size_t begin = at + function.size();
    std::size_t end = begin;
    while (end < code.size() && in_path(code[end])) ++end;
    string_view name = code.substr(begin, end - begin);
    for (const string_view part : {string_view(".items"), string_view(".values"), string_view(".keys")}) {
      if (name.ends_with(part) && code.substr(end).starts_with("()")) return name.substr(0, name.size() - part.size());
    }
    const char next = end < code.size() ? code[end] : ' ';
    return next == ',' || next == ')' ? name : string_view();
  }
  return {};
}

// Whether the code gives the name another value, which is not made of the one that it has.
bool sets_anew(string_view code, string_view name) {
  for (const char* const empties : {".clear()", ".popleft()"}) {
    if (code.find(std::string(name) + empties) != string_view::npos) return true;
  }
  if (code.starts_with("del ") && find_word(code, name) != string_view::npos) return true;
  const std::size_t at = find_word(code, name);
  if (at == string_view::npos) return false;
  if (code.find(std::string(name) + " := ") != string_view::npos) return true;
  const std::size_t equals = code.find('=', at);
  if (equals == string_view::npos || equals + 1 >= code.size() || code[equals + 1] == '=') return false;
  // "batch, self.rows = self.rows, []".
  if (code.substr(0, equals).find(',') != string_view::npos && code.substr(0, equals).find('(') == string_view::npos)
    return true;
  // Names on the left, not arguments of a call.
  if (code.substr(0, equals).find('(') != string_view::npos) return false;
  const string_view between = code.substr(at + name.size(), equals - at - name.size());
  // An element of it, or a name below it.
  if (between.starts_with("[") || between.starts_with(".")) return false;
  if (between.ends_with("+")) return false;
  // "rows = sorted(rows)" is the same data; what a function makes of it may be other data.
  const string_view value = code.substr(equals + 1);
  return find_word(value, name) == string_view::npos || value.find("sorted(") == string_view::npos;
}

// Whether the code adds to what has that name, or takes from it, a piece at a time.
bool changes_by_pieces(string_view code, string_view name) {
  constexpr string_view kChanges[] = {".append(", ".insert(",     ".add(",    ".pop(",
                                      ".remove(", ".appendleft(", ".popleft("};
  for (std::size_t at = find_word(code, name); at != string_view::npos; at = find_word(code, name, at + 1)) {
    if (at > 0 && code[at - 1] == '.') continue;
    const string_view rest = code.substr(at + name.size());
    for (const string_view change : kChanges) {
      if (rest.starts_with(change)) return true;
    }
    if (rest.starts_with(" += [")) return true;
    // "counts[word] = 1", and not all of an array.
    const std::size_t close = rest.find(']');
    const bool element =
        rest.starts_with("[") && close != string_view::npos && rest.substr(0, close).find(':') == string_view::npos;
    if (element && (rest.substr(close + 1).starts_with(" = ") || rest.substr(close + 1).starts_with(" += ")))
      return true;
  }
  return false;
}

// Of an object's: where any function but the one that makes the object sets it.
bool member_is_set_anew(const Lines& lines, string_view name) {
  string_view function;
  for (const std::string& text : lines) {
    const string_view line = code_of(text, "#");
    const string_view code = line.substr(indent_of(line));
    if (code.starts_with("def ") || code.starts_with("async def ") || code.starts_with("class ")) function = code;
    if (function.starts_with("def __init__")) continue;
    if (sets_anew(code, name)) return true;
  }
  return false;
}

// Whether the function around the line does so, too: it sorts for each piece.
bool changes_in_function(const Lines& lines, std::size_t number, string_view name) {
  std::size_t first = 0;
  heads_above(lines, number, [&](string_view head, std::size_t at) {
    if (head.starts_with("def ") || head.starts_with("async def ")) first = at;
    return first == 0;
  });
  bool changes = false;
  lines_below(lines, first, [&](string_view code, std::size_t) {
    changes = changes_by_pieces(code, name);
    return !changes;
  });
  return changes;
}

}  // namespace

Sorted sorted_by(const Lines& lines, std::size_t number) {
  if (number == 0 || number > lines.size()) return Sorted::Other;
  const string_view line = code_of(lines[number - 1], "#");
  const string_view code = line.substr(indent_of(line));
  const string_view name = sorted_name(code);
  if (name.empty() || code.starts_with("for ")) return Sorted::Other;
  if (code.find("for " + std::string(name) + " in ") != string_view::npos) return Sorted::Other;  // a comprehension's
  const string_view first = name.substr(0, name.find('.'));
  std::optional<std::size_t> loop;
  bool by_loop = false, in_function = false;
  heads_above(lines, number, [&](string_view head, std::size_t at) {
    if (head.starts_with("def ") || head.starts_with("async def ")) {
      in_function = true;
      return false;
    }
    const bool goes_through = head.starts_with("for ") || head.starts_with("async for ");
    if (!goes_through && !head.starts_with("while ")) return true;
    loop = at;
    const std::size_t in = head.find(" in ");
    const string_view targets = goes_through && in != string_view::npos ? head.substr(4, in - 4) : string_view();
    for (std::size_t begin = 0; begin < targets.size();) {
      std::size_t end = begin;
      while (end < targets.size() && is_name(targets[end])) ++end;
      if (end > begin && find_word(code, targets.substr(begin, end - begin)) != string_view::npos) by_loop = true;
      begin = end + 1;
    }
    return false;  // what the innermost loop does not make anew is sorted at each of its turns
  });
  if (by_loop) return Sorted::Other;
  if (loop && first == name) {
    if (sets_anew(code_of(lines[*loop - 1], "#"), name)) return Sorted::Other;
    bool changes = false, anew = false;
    lines_below(lines, *loop, [&](string_view text, std::size_t at) {
      anew = at != number && sets_anew(text, name);
      changes |= changes_by_pieces(text, name);
      return !anew;
    });
    if (anew) return Sorted::Other;
    return changes ? Sorted::OfLoop : Sorted::Other;
  }
  if (first == "self" && first != name && name.find('.', 5) == string_view::npos && (loop || in_function))
    return !member_is_set_anew(lines, name) && changes_in_function(lines, number, name) ? Sorted::Member
                                                                                        : Sorted::Other;
  return Sorted::Other;
}

}  // namespace prof::findings
