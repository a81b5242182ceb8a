// Words in lines of source.
#pragma once

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace prof::findings {

using Lines = std::vector<std::string>;

inline bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Where the word stands in the text by itself; npos: nowhere.
inline std::size_t find_word(std::string_view text, std::string_view word, std::size_t from = 0) {
  for (std::size_t at = text.find(word, from); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_name(text[at - 1])) && (end >= text.size() || !is_name(text[end]))) return at;
  }
  return std::string_view::npos;
}

inline std::string_view code_of(const std::string& line, std::string_view comment) {
  return std::string_view(line).substr(0, line.find(comment));
}
inline std::size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

// Whether any of the words, which need not stand by themselves, is in the text.
template <typename Words>
bool contains_any(std::string_view text, const Words& words) {
  return std::any_of(std::begin(words), std::end(words),
                     [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

// Without the blanks around it.
inline std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

// The code with nothing in its texts, which may be in any quotes that end on the line.
inline std::string without_texts(std::string_view code) {
  std::string out;
  for (std::size_t i = 0; i < code.size(); ++i) {
    out += code[i];
    if (code[i] != '"' && code[i] != '\'' && code[i] != '`') continue;
    std::size_t end = i + 1;
    while (end < code.size() && code[end] != code[i]) end += code[end] == '\\' ? 2 : 1;
    if (end >= code.size()) continue;  // an apostrophe
    out += code[end];
    i = end;
  }
  return out;
}

// The name that ends at `end`; empty: there is none.
inline std::string_view name_before(std::string_view text, std::size_t end) {
  std::size_t begin = end;
  while (begin > 0 && is_name(text[begin - 1])) --begin;
  return text.substr(begin, end - begin);
}

// The parts of a list "a, f(b, c)", without blanks and empty ones: commas inside of brackets part nothing.
inline std::vector<std::string_view> listed(std::string_view text) {
  std::vector<std::string_view> out;
  std::size_t begin = 0;
  int inside = 0;
  const auto take = [&](std::size_t end) {
    if (const std::string_view part = trimmed(text.substr(begin, end - begin)); !part.empty()) out.push_back(part);
    begin = end + 1;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[' || text[i] == '{') ++inside;
    if (text[i] == ')' || text[i] == ']' || text[i] == '}') --inside;
    if (text[i] == ',' && inside == 0) take(i);
  }
  take(text.size());
  return out;
}

// Lines of Python without the texts that files, classes and functions begin with, which may speak of what the program
// does not do. As many lines as before.
inline Lines without_docstrings(Lines lines) {
  constexpr std::string_view kQuotes[] = {"\"\"\"", "'''"};
  std::string_view open;   // the quotes that end the text
  bool describes = false;  // that text
  bool begins = true;      // the file, or a block
  for (std::string& line : lines) {
    std::size_t at = 0;
    if (!open.empty()) {
      const std::size_t end = line.find(open);
      at = end == std::string::npos ? line.size() : end + open.size();
      if (describes) line.clear();
      if (end != std::string::npos) open = {};
      if (describes || !open.empty()) continue;
    }
    const std::string_view code = trimmed(code_of(line, "#"));
    if (code.empty()) continue;
    describes = begins && contains_any(code.substr(0, kQuotes[0].size()), kQuotes);
    begins = code.ends_with(':');
    // Of several texts on the line the last one may go on.
    while (open.empty() && at < line.size()) {
      std::size_t first = std::string::npos;
      for (const std::string_view quotes : kQuotes) {
        if (const std::size_t found = line.find(quotes, at); found < first) {
          first = found;
          open = quotes;
        }
      }
      if (first == std::string::npos) break;
      const std::size_t end = line.find(open, first + open.size());
      if (end == std::string::npos) break;
      at = end + open.size();
      open = {};
    }
    if (describes) line.clear();
  }
  return lines;
}

// Calls see(code, number) for the lines of code of the block of Python below line `head` (from 1), by indentation,
// until it gives false.
template <typename See>
void lines_below(const Lines& lines, std::size_t head, See see) {
  if (head == 0 || head > lines.size()) return;
  const std::size_t outer = indent_of(code_of(lines[head - 1], "#"));
  for (std::size_t i = head; i < lines.size(); ++i) {
    const std::string_view line = code_of(lines[i], "#");
    const std::size_t its = indent_of(line);
    if (its == line.size()) continue;
    if (its <= outer || !see(line.substr(its), i + 1)) return;
  }
}

// Calls see(code, number) for the lines of Python that line `number` (from 1) stands below by its indentation,
// innermost first, until it gives false.
template <typename See>
void heads_above(const Lines& lines, std::size_t number, See see) {
  if (number == 0 || number > lines.size()) return;
  std::size_t indent = indent_of(code_of(lines[number - 1], "#"));
  for (std::size_t i = number - 1; i-- > 0 && indent > 0;) {
    const std::string_view line = code_of(lines[i], "#");
    const std::size_t its = indent_of(line);
    if (its == line.size() || its >= indent) continue;
    indent = its;
    if (!see(line.substr(its), i + 1)) return;
  }
}

}  // namespace prof::findings
