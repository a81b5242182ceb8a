#include "report/findings/statement_lines.hpp"

#include <algorithm>
#include <string_view>

namespace prof::findings {
namespace {

constexpr std::size_t kMostLinesAbove = 8, kMostLinesInAll = 10;  // of a statement

// How many more brackets the line opens than it closes, without those in texts and comments; 0 of a line with a text
// that does not end there, of which nothing is known.
int opened(std::string_view line) {
  int depth = 0;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0) {
      if (c == '\\') ++i;
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#') {
      break;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      --depth;
    }
  }
  return quote == 0 ? depth : 0;
}

}  // namespace

std::size_t first_line_of_statement(const Lines& lines, std::size_t number) {
  if (number == 0 || number > lines.size()) return number;
  std::size_t first = number;
  int depth = 0;
  for (std::size_t above = number - 1; above > 0 && number - above <= kMostLinesAbove; --above) {
    depth += opened(lines[above - 1]);
    // Further up another bracket may be open still.
    if (depth <= 0) continue;
    first = above;
    depth = 0;
  }
  return first;
}

std::string statement_around(const Lines& lines, std::size_t number) {
  if (number == 0 || number > lines.size()) return {};
  std::string text;
  int depth = 0;
  const std::size_t first = first_line_of_statement(lines, number);
  for (std::size_t at = first; at <= std::min(lines.size(), first + kMostLinesInAll); ++at) {
    text += code_of(lines[at - 1], "#");
    depth += opened(lines[at - 1]);
    if (at >= number && depth <= 0) break;
  }
  return text;
}

}  // namespace prof::findings
