#include "report/findings/rules/shared/compared_key.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "report/findings/source_words.hpp"
#include "report/model/text.hpp"

namespace prof::findings {
namespace {

using std::string_view;

constexpr std::size_t kLinesBack = 200;  // back to the function around a line
constexpr std::size_t kMostLinesOfMask = 20;
constexpr std::size_t kLongLine = 1'000;  // nobody wrote a longer one

bool is_plain_name(string_view text) {
  return !text.empty() && !(text.front() >= '0' && text.front() <= '9') &&
         std::all_of(text.begin(), text.end(), in_name);
}

struct Compared {
  string_view name;
  bool attribute = false;  // of it: "row.name"
  bool with_name = false;  // what it is compared with is a plain name, too
};

bool inside_brackets(string_view line, std::size_t at) {
  const string_view before = line.substr(0, at);
  return std::count(before.begin(), before.end(), '[') > std::count(before.begin(), before.end(), ']');
}

// The names that stand behind "==", alone or with an attribute, not as the beginning of a call or of an index.
std::vector<Compared> compared_names(string_view line) {
  std::vector<Compared> out;
  for (std::size_t at = line.find("=="); at != string_view::npos; at = line.find("==", at + 2)) {
    std::size_t begin = line.find_first_not_of(' ', at + 2);
    if (begin == string_view::npos) break;
    std::size_t end = begin;
    while (end < line.size() && in_name(line[end])) ++end;
    std::size_t all = end;
    while (all < line.size() && (in_name(line[all]) || line[all] == '.')) ++all;
    const char next = all < line.size() ? line[all] : ' ';
    // What is compared with a batch's target is no key, and picks nothing.
    if (all > end && !inside_brackets(line, at)) continue;
    if (!is_plain_name(line.substr(begin, end - begin)) || next == '(' || next == '[') continue;
    std::size_t left = line.find_last_not_of(' ', at == 0 ? 0 : at - 1);
    const std::size_t last = left == string_view::npos ? 0 : left + 1;
    while (left != string_view::npos && left > 0 && in_name(line[left])) --left;
    const bool plain = last > 0 && in_name(line[last - 1]) && left != string_view::npos && line[left] != '.';
    out.push_back({line.substr(begin, end - begin), all > end, plain});
  }
  return out;
}

// Whether a name is one of those in a list "a, b" or "(a, b)" of targets, or "self, a: int, b=1" of arguments.
bool lists(string_view text, string_view name) {
  for (std::size_t at = text.find(name); at != string_view::npos; at = text.find(name, at + 1)) {
    const bool begins = at == 0 || !in_name(text[at - 1]);
    const std::size_t end = at + name.size();
    if (begins && (end == text.size() || !in_name(text[end]))) return true;
  }
  return false;
}

// Whether the line has a loop over that name: "for x in", as a statement or inside of a comprehension.
bool loops_over(string_view line, string_view name) {
  for (std::size_t at = line.find("for "); at != string_view::npos; at = line.find("for ", at + 4)) {
    const std::size_t in = line.find(" in ", at);
    if (in == string_view::npos) break;
    // Of several targets, as zip() gives them, each may be as large as what it is compared with.
    if ((at == 0 || !in_name(line[at - 1])) && line.substr(at + 4, in - at - 4) == name) return true;
  }
  return false;
}

ComparedKey key_of(const std::vector<std::string>& lines, std::size_t at, string_view name) {
  if (loops_over(lines[at], name)) return ComparedKey::OfLoop;
  std::size_t indent = indent_of(lines[at]);
  for (std::size_t back = at; back-- > 0 && at - back <= kLinesBack && indent > 0;) {
    const string_view line = lines[back];
    const std::size_t its = indent_of(line);
    if (its == line.size() || its >= indent) continue;
    indent = its;
    const string_view code = line.substr(its);
    if (code.starts_with("for ") && loops_over(code, name)) return ComparedKey::OfLoop;
    if (!code.starts_with("def ") && !code.starts_with("async def ")) continue;
    return lists(code.substr(std::min(code.find('('), code.size())), name) ? ComparedKey::Argument : ComparedKey::None;
  }
  return ComparedKey::None;
}

// The name that a line gives to what it computes: "name = ..."; empty: none, or several.
string_view assigned_name(string_view code) {
  const std::size_t end = code.find(' ');
  if (end == string_view::npos || !code.substr(end).starts_with(" = ")) return {};
  const string_view name = code.substr(0, end);
  return is_plain_name(name) ? name : string_view();
}

bool uses(string_view line, string_view name) {
  for (std::size_t at = line.find(name); at != string_view::npos; at = line.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || (!in_name(line[at - 1]) && line[at - 1] != '.')) && (end == line.size() || !in_name(line[end])))
      return true;
  }
  return false;
}

ComparedKey compared_in(const std::vector<std::string>& lines, std::size_t at) {
  ComparedKey out = ComparedKey::None;
  const string_view line = lines[at];
  for (const Compared& compared : compared_names(line.substr(0, line.find('#')))) {
    const ComparedKey key = key_of(lines, at, compared.name);
    if (key == ComparedKey::OfLoop) return key;
    if (key == ComparedKey::Argument && !compared.with_name && !compared.attribute) out = key;
  }
  return out;
}

// Whether the line calls what takes longer than a comparison, and groups, sorts or joins by itself.
bool does_more(string_view line) {
  static constexpr string_view kMethods[] = {".groupby(", ".merge(",        ".join(",      ".sort_values(",
                                             ".pivot",    ".resample(",     ".apply(",     ".agg(",
                                             ".rolling(", ".value_counts(", ".transform(", ".drop_duplicates("};
  return std::any_of(std::begin(kMethods), std::end(kMethods),
                     [&](string_view method) { return line.find(method) != string_view::npos; });
}

// Whether what the line computes is the comparison, and not what it picks by it ("df[df.key == key]").
bool makes_mask(string_view line) {
  int inside = 0;
  for (std::size_t i = 0; i + 1 < line.size() && line[i] != '#'; ++i) {
    if (line[i] == '[' || line[i] == '{') ++inside;
    if (line[i] == ']' || line[i] == '}') --inside;
    if (inside == 0 && line[i] == '=' && line[i + 1] == '=') return true;
  }
  return false;
}

// What the line does with a mask that a line above it in the same block has made by a comparison.
ComparedKey mask_used(const std::vector<std::string>& lines, std::size_t at) {
  const string_view line = string_view(lines[at]).substr(0, lines[at].find('#'));
  const std::size_t indent = indent_of(line);
  for (std::size_t back = at; back-- > 0 && at - back <= kMostLinesOfMask;) {
    const string_view above = lines[back];
    const std::size_t its = indent_of(above);
    if (its == above.size() || its > indent) continue;
    if (its < indent || above.size() > kLongLine) break;
    const string_view name = assigned_name(above.substr(its));
    if (!name.empty() && uses(line, name) && makes_mask(above)) return compared_in(lines, back);
  }
  return ComparedKey::None;
}

}  // namespace

ComparedKey compared_key(const std::vector<std::string>& lines, std::size_t number) {
  if (number == 0 || number > lines.size() || lines[number - 1].size() > kLongLine) return ComparedKey::None;
  if (does_more(lines[number - 1])) return ComparedKey::None;
  const ComparedKey own = compared_in(lines, number - 1);
  return own != ComparedKey::None ? own : mask_used(lines, number - 1);
}

}  // namespace prof::findings
