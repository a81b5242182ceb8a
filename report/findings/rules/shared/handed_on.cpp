#include "report/findings/rules/shared/handed_on.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

namespace prof::findings {
namespace {

using std::string_view;

bool is_identifier(string_view text) {
  if (text.empty() || (text.front() >= '0' && text.front() <= '9')) return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return prof::findings::is_name(c); });
}

struct Assigned {
  string_view name, value;
};
// "name = value"; of anything else nothing.
std::optional<Assigned> assigned(string_view code) {
  const std::size_t equals = code.find(" = ");
  if (equals == string_view::npos || !is_identifier(code.substr(0, equals))) return std::nullopt;
  string_view value = code.substr(equals + 3);
  while (value.ends_with(' ')) value.remove_suffix(1);
  return Assigned{code.substr(0, equals), value};
}

// The statements of the loop around the line.
std::vector<string_view> body_around(const Lines& lines, std::size_t number) {
  std::size_t head = 0;
  heads_above(lines, number, [&](string_view code, std::size_t at) {
    if (code.starts_with("for ") || code.starts_with("while ")) head = at;
    return head == 0 && !code.starts_with("def ");
  });
  std::vector<string_view> out;
  lines_below(lines, head, [&](string_view code, std::size_t) {
    out.push_back(code);
    return true;
  });
  return out;
}

}  // namespace

bool hands_values_on(const Lines& lines, std::size_t number) {
  if (number == 0 || number > lines.size()) return false;
  const std::vector<string_view> body = body_around(lines, number);
  for (std::size_t i = 0; i < body.size(); ++i) {
    const std::optional<Assigned> one = assigned(body[i]);
    if (!one || !is_identifier(one->value) || one->value == one->name) continue;
    // "if score > best: best = score" looks for the largest.
    const string_view before = i > 0 ? body[i - 1] : string_view();
    if ((before.starts_with("if ") || before.starts_with("elif ")) &&
        find_word(before, one->name) != string_view::npos && find_word(before, one->value) != string_view::npos)
      continue;
    bool asked = false, made = false;
    for (std::size_t above = 0; above < i; ++above) {
      const std::optional<Assigned> other = assigned(body[above]);
      made |= other && other->name == one->value;
      const string_view read = other ? other->value : body[above];
      asked |= find_word(read, one->name) != string_view::npos && (!other || other->name != one->name);
    }
    if (asked && made) return true;
  }
  return false;
}

}  // namespace prof::findings
