#include "report/findings/strides.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace prof::findings {
namespace strides {
namespace {

constexpr std::size_t kNowhere = std::string_view::npos;
constexpr std::size_t kFar = 40;      // lines in which the outer loops are looked for
constexpr std::size_t kBody = 8;      // lines of a loop's body that are looked at
constexpr std::size_t kAccessor = 3;  // lines of a short function
constexpr long kSmall = 64;           // turns of a loop, elements of a row: next to each other in the caches

// The index of what closes the bracket at `open`; the end of the text if nothing does.
std::size_t closing(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    if (text[at] == '(' || text[at] == '[') ++depth;
    if ((text[at] == ')' || text[at] == ']') && --depth == 0) return at;
  }
  return text.size();
}

// The variable that the head of a loop counts up: "row" of `for (int row = 0; row < n; ++row)`; empty: it is no such
// head. `end`: behind the head.
std::string_view counted_by(std::string_view code, std::size_t& end) {
  const std::size_t word = find_word(code, "for"), open = word == kNowhere ? word : code.find('(', word);
  if (open == kNowhere) return {};
  const std::size_t close = closing(code, open);
  end = std::min(close + 1, code.size());
  const std::string_view head = code.substr(open + 1, close - std::min(close, open + 1));
  const std::size_t last = head.rfind(';');
  if (last == kNowhere) return {};
  std::string_view step = trimmed(head.substr(last + 1));
  if (step.starts_with("++")) step.remove_prefix(2);
  const auto* const stop = std::find_if_not(step.begin(), step.end(), is_name);
  const std::string_view name(step.begin(), static_cast<std::size_t>(stop - step.begin()));
  const std::string_view rest = trimmed(step.substr(name.size()));
  return rest.empty() || rest == "++" || rest.starts_with("+=") ? name : std::string_view();
}

bool has(std::string_view text, std::string_view name) { return find_word(text, name) != kNowhere; }

// Whether `name` is multiplied in an index: "size_t(y) * w + x" has y so, and not x.
bool is_scaled(std::string_view index, std::string_view name) {
  for (std::size_t at = find_word(index, name); at != kNowhere; at = find_word(index, name, at + 1)) {
    std::string_view rest = index.substr(at + name.size()), before = index.substr(0, at);
    while (rest.starts_with(')') || rest.starts_with(' ')) rest.remove_prefix(1);
    while (before.ends_with('(') || before.ends_with(' ') || before.ends_with("size_t")) {
      before.remove_suffix(before.ends_with("size_t") ? 6 : 1);
    }
    if (rest.starts_with('*') || before.ends_with('*')) return true;
  }
  return false;
}

// What the file says that a name is, or the number itself: "constexpr int kTaps = 9;", "#define TAPS 9". -1: it does
// not say.
long value_of(const Lines& lines, std::string_view text) {
  const auto number = [](std::string_view digits) {
    long value = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc() && (end == digits.data() + digits.size() || !is_name(*end)) ? value : -1;
  };
  while (text.starts_with('-') || text.starts_with(' ')) text.remove_prefix(1);
  if (const long value = number(text); value >= 0) return value;
  const std::string_view name(text.begin(), std::find_if_not(text.begin(), text.end(), is_name));
  if (name.empty()) return -1;
  for (const std::string& line : lines) {
    const std::string_view code = code_of(line, "//");
    if (code.find("const") == kNowhere && code.find("define") == kNowhere && code.find("enum") == kNowhere) continue;
    const std::size_t at = find_word(code, name);
    if (at == kNowhere) continue;
    std::string_view rest = trimmed(code.substr(at + name.size()));
    if (rest.starts_with('=') || rest.starts_with('{')) rest = trimmed(rest.substr(1));
    if (const long value = number(rest); value >= 0) return value;
  }
  return -1;
}

bool is_small(const Lines& lines, std::string_view text) {
  const long value = value_of(lines, text);
  return value >= 0 && value < kSmall;
}

// Whether the head of a loop says that it has few turns: "k <= 4", "pass < kPasses".
bool has_few_turns(const Lines& lines, std::string_view code) {
  const std::size_t word = find_word(code, "for"), open = word == kNowhere ? word : code.find('(', word);
  if (open == kNowhere) return false;
  const std::string_view head = code.substr(open + 1, closing(code, open) - open - 1);
  const std::size_t first = head.find(';'), second = first == kNowhere ? first : head.find(';', first + 1);
  if (second == kNowhere) return false;
  const std::string_view condition = head.substr(first + 1, second - first - 1);
  const std::size_t less = condition.find('<');
  if (less == kNowhere) return false;
  return is_small(lines, trimmed(condition.substr(less + (condition.substr(less).starts_with("<=") ? 2 : 1))));
}

// The index without those of other arrays within it.
std::string without_inner_indices(std::string_view index) {
  std::string out;
  int depth = 0;
  for (const char c : index) {
    if (c == '[') ++depth;
    if (depth == 0) out += c;
    if (c == ']') --depth;
  }
  return out;
}

// What the name is multiplied by in the index, as far as it is a word: "w" of "(y + k) * w".
std::string_view factor_of(std::string_view index, std::string_view name) {
  const std::size_t at = find_word(index, name);
  if (at == kNowhere) return {};
  const std::size_t star = index.find('*', at);
  if (star != kNowhere) return trimmed(index.substr(star + 1));
  const std::size_t before = index.rfind('*', at);
  return before == kNowhere ? std::string_view() : name_before(index, index.find_last_not_of(' ', before - 1) + 1);
}

// Whether another loop's variable is added to the name before both are multiplied: a window around that one's place.
bool is_of_window(std::string_view index, std::string_view name, const std::vector<std::string_view>& outer) {
  const std::size_t at = find_word(index, name);
  const std::size_t open = at == kNowhere || at == 0 ? kNowhere : index.rfind('(', at);
  if (open == kNowhere || closing(index, open) < at) return false;
  const std::string_view group = index.substr(open, closing(index, open) - open);
  return std::any_of(outer.begin(), outer.end(),
                     [&](std::string_view other) { return find_word(group, other) != kNowhere; });
}

struct Order {
  bool across = false, along = false;
};

void add(Order& to, std::string_view first, std::string_view second, std::string_view inner,
         const std::vector<std::string_view>& outer) {
  const auto has_outer = [&](std::string_view text) {
    return std::any_of(outer.begin(), outer.end(), [&](std::string_view name) { return has(text, name); });
  };
  if (has(first, inner) && !has(second, inner) && has_outer(second)) to.across = true;
  if (has_outer(first) && has(second, inner)) to.along = true;
}

// The indices of arrays in the text.
void add_arrays(Order& to, const Lines& lines, std::string_view text, std::string_view inner,
                const std::vector<std::string_view>& outer) {
  for (std::size_t open = text.find('['); open != kNowhere; open = text.find('[', open + 1)) {
    const std::size_t close = closing(text, open);
    const std::string index = without_inner_indices(text.substr(open + 1, close - std::min(close, open + 1)));
    if (close + 1 < text.size() && text[close + 1] == '[') {
      const std::size_t end = closing(text, close + 1);
      add(to, index, text.substr(close + 2, end - std::min(end, close + 2)), inner, outer);
    }
    const bool by_rows = is_scaled(index, inner);
    if (by_rows && (is_of_window(index, inner, outer) || is_small(lines, factor_of(index, inner)))) continue;
    for (const std::string_view name : outer) {
      if (!has(index, name)) continue;
      to.across |= by_rows && !is_scaled(index, name);
      to.along |= !by_rows && has(index, inner) && is_scaled(index, name);
    }
  }
}

// Which argument of a function of two a short function of the file of that name takes for the row: 0 or 1; 2: there is
// no such function, or several that differ.
std::size_t row_of(const Lines& lines, std::string_view name) {
  bool by_first = false, by_second = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view code = code_of(lines[i], "//");
    const std::size_t at = find_word(code, name), open = at == kNowhere ? at : at + name.size();
    if (open == kNowhere || open >= code.size() || code[open] != '(') continue;
    const std::size_t close = closing(code, open);
    const std::vector<std::string_view> parts = listed(code.substr(open + 1, close - std::min(close, open + 1)));
    if (parts.size() != 2) continue;
    const std::string_view first = name_before(parts[0], parts[0].size()),
                           second = name_before(parts[1], parts[1].size());
    // A declaration has types; a call has not.
    if (first.empty() || second.empty() || first.size() == parts[0].size()) continue;
    for (std::size_t j = i; j < std::min(lines.size(), i + kAccessor); ++j) {
      const std::string_view body = code_of(lines[j], "//");
      const std::size_t bracket = body.find('[', j == i ? close : 0);
      if (bracket == kNowhere) continue;
      const std::size_t end = closing(body, bracket);
      const std::string_view index = body.substr(bracket + 1, end - std::min(end, bracket + 1));
      if (is_scaled(index, first) && has(index, second) && !is_scaled(index, second)) by_first = true;
      if (is_scaled(index, second) && has(index, first) && !is_scaled(index, first)) by_second = true;
    }
  }
  return by_first == by_second ? 2 : by_first ? 0 : 1;
}

// Calls of such functions in the text.
void add_calls(Order& to, const Lines& lines, std::string_view text, std::string_view inner,
               const std::vector<std::string_view>& outer) {
  for (std::size_t open = text.find('('); open != kNowhere; open = text.find('(', open + 1)) {
    const std::string_view name = name_before(text, open);
    if (name.empty() || name == "for" || name == "min" || name == "max") continue;
    const std::size_t close = closing(text, open);
    const std::vector<std::string_view> parts = listed(text.substr(open + 1, close - std::min(close, open + 1)));
    if (parts.size() != 2) continue;
    const std::size_t row = row_of(lines, name);
    if (row < 2) add(to, parts[row], parts[1 - row], inner, outer);
  }
}

bool across(const Lines& lines, std::size_t number) {
  if (number == 0 || number > lines.size()) return false;
  // The text of the innermost loop's body, as far as the line has to do with it.
  const std::string_view line = code_of(lines[number - 1], "//");
  std::size_t end = 0, indent = indent_of(line);
  std::string_view inner = counted_by(line, end);
  bool few = !inner.empty() && has_few_turns(lines, line);
  std::string body(trimmed(inner.empty() ? line : line.substr(end)));
  if (!inner.empty() && (body.empty() || body == "{")) {
    for (std::size_t i = number; i < std::min(lines.size(), number + kBody); ++i) {
      const std::string_view code = code_of(lines[i], "//");
      if (!trimmed(code).empty() && indent_of(code) <= indent) break;
      body += std::string(code) + " ";
    }
    // A loop within it is the inner one.
    std::size_t behind = 0;
    if (!counted_by(body, behind).empty()) return false;
  }
  std::vector<std::string_view> outer;
  for (std::size_t i = number - 1; i > 0 && number - i < kFar && indent > 0; --i) {
    const std::string_view code = code_of(lines[i - 1], "//");
    const std::size_t its = indent_of(code);
    if (trimmed(code).empty() || its >= indent) continue;
    indent = its;
    std::size_t behind = 0;
    const std::string_view name = counted_by(code, behind);
    if (name.empty()) continue;
    if (inner.empty()) {
      inner = name;
      few = has_few_turns(lines, code);
    } else {
      outer.push_back(name);
    }
  }
  if (inner.empty() || outer.empty() || few) return false;
  Order order;
  add_arrays(order, lines, body, inner, outer);
  add_calls(order, lines, body, inner, outer);
  return order.across && !order.along;
}

}  // namespace
}  // namespace strides

bool goes_across(const Lines& lines, std::size_t number) { return strides::across(lines, number); }

}  // namespace prof::findings
