#include "report/findings/rules/shared/pair_arrays.hpp"

#include <algorithm>
#include <array>

namespace prof::findings {
namespace {

// How often an array gets an axis more, so that it meets another one in all pairs. Not what a reduction has made:
// `x / x.sum(axis=1)[:, None]` is no larger than x.
std::size_t added_axes(std::string_view code) {
  constexpr std::array<std::string_view, 4> kAxes = {"None", "newaxis", "unsqueeze(", "expand_dims("};
  std::size_t count = 0;
  for (const std::string_view axis : kAxes) {
    for (std::size_t at = code.find(axis); at != std::string_view::npos; at = code.find(axis, at + 1)) {
      const bool is_call = axis.back() == '(';
      const std::size_t open = is_call ? at - std::min<std::size_t>(at, 1) : code.rfind('[', at);
      if (open == std::string_view::npos || open == 0) continue;
      const std::string_view between = code.substr(open + 1, at - open - 1);
      const char before = code[open - 1];
      const bool is_index =
          (is_name(before) || before == ']') && between.find_first_not_of(" :,.np") == std::string_view::npos;
      const bool of_result = code[open] == '.' && before == ')';
      if (is_call ? !of_result : is_index) ++count;
    }
  }
  return count;
}

// Whether two arrays with an axis more are joined by an operator: "a[:, None] - b[None]". Where each meets a third one,
// the result is no larger than that.
bool meet(std::string_view code) {
  constexpr std::array<std::string_view, 4> kAxes = {"None", "newaxis", "unsqueeze(", "expand_dims("};
  for (std::size_t op = 1; op + 1 < code.size(); ++op) {
    if (code[op - 1] != ' ' || std::string_view("+-*/=<>&|").find(code[op]) == std::string_view::npos) continue;
    const auto of_operand = [&](std::string_view text) {
      return !text.starts_with('(') && std::any_of(kAxes.begin(), kAxes.end(), [&](std::string_view axis) {
        return text.find(axis) != std::string_view::npos;
      });
    };
    // The operand before it: a name with what is called of it and taken of it.
    std::size_t begin = op - 1;
    int depth = 0;
    while (begin > 0) {
      const char c = code[begin - 1];
      if (c == ')' || c == ']') ++depth;
      if ((c == '(' || c == '[') && depth-- == 0) break;
      if (depth == 0 && (c == ' ' || c == ',') && begin != op - 1) break;
      --begin;
    }
    std::size_t end = code.find_first_not_of("=<>&|*/+- ", op);
    if (end == std::string_view::npos) continue;
    const std::size_t from = end;
    depth = 0;
    while (end < code.size()) {
      const char c = code[end];
      if (c == '(' || c == '[') ++depth;
      if ((c == ')' || c == ']') && depth-- == 0) break;
      if (depth == 0 && (c == ' ' || c == ',')) break;
      ++end;
    }
    if (of_operand(code.substr(begin, op - begin)) && of_operand(code.substr(from, end - from))) return true;
  }
  return false;
}

// Where an array gets an axis more, first.
std::size_t first_axis(std::string_view code) {
  std::size_t first = std::string_view::npos;
  for (const std::string_view word : {"None", "newaxis", "unsqueeze", "expand_dims"})
    first = std::min(first, find_word(code, word));
  return first;
}

// Whether the brackets that open, or close, at a place are around another one: "sum(... None ...)", "(... None
// ...).sum".
bool opens_around(std::string_view code, std::size_t open, std::size_t inside) {
  int depth = 0;
  for (std::size_t i = open; i < code.size(); ++i) {
    if (code[i] == '(' || code[i] == '[') ++depth;
    if ((code[i] == ')' || code[i] == ']') && --depth == 0) return open < inside && inside < i;
  }
  return open < inside;
}
bool closes_around(std::string_view code, std::size_t close, std::size_t inside) {
  int depth = 0;
  for (std::size_t i = close + 1; i-- > 0;) {
    if (code[i] == ')' || code[i] == ']') ++depth;
    if ((code[i] != '(' && code[i] != '[') || --depth != 0) continue;
    if (i < inside && inside < close) return true;
    // "(... None ...).pow(2).sum": what is called on the way.
    std::size_t name = i;
    while (name > 0 && is_name(code[name - 1])) --name;
    if (name == i || name < 2 || code[name - 1] != '.' || (code[name - 2] != ')' && code[name - 2] != ']'))
      return false;
    close = name - 2;
    i = close + 1;
  }
  return inside < close;  // it began on another line
}

// Whether a reduction is of what gets the axis, and not of something beside it.
bool reduces(std::string_view code) {
  constexpr std::array<std::string_view, 11> kReductions = {"sum",    "min",  "max", "amin", "amax", "argmin",
                                                            "argmax", "mean", "any", "all",  "norm"};
  const std::size_t axis = first_axis(code);
  if (axis == std::string_view::npos) return false;
  return std::any_of(kReductions.begin(), kReductions.end(), [&](std::string_view word) {
    for (std::size_t at = find_word(code, word); at != std::string_view::npos; at = find_word(code, word, at + 1)) {
      const std::size_t open = at + word.size();
      if (open >= code.size() || code[open] != '(') continue;
      const bool method = at > 1 && code[at - 1] == '.' && (code[at - 2] == ')' || code[at - 2] == ']');
      if (method ? closes_around(code, at - 2, axis) : opens_around(code, open, axis)) return true;
    }
    return false;
  });
}

}  // namespace

std::size_t reduced_axes(std::string_view statement) {
  if (!reduces(statement)) return 0;
  const std::size_t axes = added_axes(statement);
  return axes >= 2 && !meet(statement) ? 1 : axes;
}

}  // namespace prof::findings
