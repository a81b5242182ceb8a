#include "report/findings/javascript_loops.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "report/model/text.hpp"

namespace prof::findings {
namespace javascript_loops {
namespace {

constexpr std::size_t kMostLinesOfCall = 8;
using Words = std::vector<std::string>;

// Without the comment at its end: "http://" begins none.
std::string_view code_at(const std::string& line) {
  std::size_t at = line.find("//");
  while (at != std::string::npos && at > 0 && line[at - 1] == ':') at = line.find("//", at + 2);
  return std::string_view(line).substr(0, at);
}

bool has_word(std::string_view text, const Words& words) {
  return std::any_of(words.begin(), words.end(),
                     [text](const std::string& word) { return find_word(text, word) != std::string_view::npos; });
}

void add_names(Words& to, std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && (is_name(text[end]) || text[end] == '$')) ++end;
    if (end > at && std::isdigit(static_cast<unsigned char>(text[at])) == 0) to.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
}

// What stands behind "const ", "let " or "var " where the text begins so.
std::string_view declared(std::string_view text) {
  for (const std::string_view word : {"const ", "let ", "var "}) {
    if (text.starts_with(word)) return text.substr(word.size());
  }
  return {};
}

// Of "for (const [id, name] of users) { ...": its elements, and what stands behind its head. No elements: it is no such
// loop.
struct Head {
  Words elements;
  std::string_view rest;
};
Head head_of(std::string_view code) {
  Head out;
  if (!code.starts_with("for (") && !code.starts_with("for(")) return out;
  const std::size_t open = code.find('(');
  std::size_t close = open;
  for (int inside = 0; close < code.size(); ++close) {
    inside += code[close] == '(' ? 1 : code[close] == ')' ? -1 : 0;
    if (inside == 0) break;
  }
  if (close >= code.size()) return out;
  const std::string_view inner = declared(code.substr(open + 1, close - open - 1));
  const std::size_t of = inner.find(" of "), in = inner.find(" in "), set = inner.find('=');
  const std::size_t end = of != std::string_view::npos ? of : in != std::string_view::npos ? in : set;
  if (end != std::string_view::npos) add_names(out.elements, inner.substr(0, end));
  out.rest = code.substr(close + 1);
  return out;
}

// The code of the block below line `head` (from 1), by its number.
struct Line {
  std::size_t number;
  std::string code;
};
std::vector<Line> body_of(const Lines& lines, std::size_t head, std::string_view rest) {
  std::vector<Line> out;
  if (find_word(rest, "await") != std::string_view::npos) out.push_back({head, std::string(rest)});
  const std::size_t outer = indent_of(lines[head - 1]);
  for (std::size_t i = head; i < lines.size(); ++i) {
    const std::string_view code = code_at(lines[i]);
    if (trimmed(code).empty()) continue;
    if (indent_of(code) <= outer) break;
    out.push_back({i + 1, std::string(trimmed(code))});
  }
  return out;
}

// What is awaited at that line of the block, up to the end of the call; empty: nothing.
std::string awaited_at(const std::vector<Line>& body, std::size_t index) {
  const std::size_t at = find_word(body[index].code, "await");
  if (at == std::string_view::npos) return {};
  std::string out = body[index].code.substr(at + 5);
  const auto is_open = [&] {
    return std::count(out.begin(), out.end(), '(') > std::count(out.begin(), out.end(), ')');
  };
  for (std::size_t i = index + 1; i < body.size() && i < index + kMostLinesOfCall && is_open(); ++i)
    out += body[i].code;
  return out;
}

// Names that such a statement gives to what it works out: "const { name } = ..." and "page = ...".
struct Given {
  Words names;
  bool outside = false;  // it does not declare them
  std::string_view value;
};
Given given_by(std::string_view code) {
  Given out;
  const std::size_t set = code.find(" = ");
  if (set == std::string_view::npos) return out;
  const std::string_view inside = declared(code);
  const std::string_view target = inside.empty() ? code.substr(0, set) : inside.substr(0, inside.find(" = "));
  if (inside.empty() && !std::all_of(target.begin(), target.end(), is_name)) return out;  // a member, an element
  add_names(out.names, target);
  out.outside = inside.empty();
  out.value = code.substr(set + 3);
  return out;
}

// The line at which such a loop asks first; 0: it does not, or has to ask so.
std::size_t asks_at(const std::vector<Line>& body, Words names) {
  constexpr std::string_view kElse[] = {"setTimeout(", "sleep(", "delay(", "Promise.", "wait("};
  constexpr std::string_view kFiles[] = {"readFile(", "writeFile(", "fs.", "fsp.", "readdir(", "stat("};
  std::size_t first = 0;
  Words carried;  // from one turn to the next
  std::vector<std::string> asked;
  for (std::size_t i = 0; i < body.size(); ++i) {
    const std::string_view code = body[i].code;
    if (contains_any(code, kElse) || has_word(code, {"break", "return"})) return 0;
    const Given given = given_by(code);
    Words& to = given.outside ? carried : names;
    if (given.outside || has_word(given.value, names)) to.insert(to.end(), given.names.begin(), given.names.end());
    const std::string awaited = awaited_at(body, i);
    if (awaited.empty() || contains_any(awaited, kFiles) || !has_word(awaited, names)) continue;
    if (first == 0) first = body[i].number;
    asked.push_back(awaited);
  }
  const bool in_turn =
      std::any_of(asked.begin(), asked.end(), [&](const std::string& text) { return has_word(text, carried); });
  return in_turn ? 0 : first;
}

}  // namespace
}  // namespace javascript_loops

std::vector<std::size_t> lines_that_await(const Lines& lines) {
  using namespace javascript_loops;
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Head head = head_of(trimmed(code_at(lines[i])));
    if (head.elements.empty()) continue;
    const std::size_t at = asks_at(body_of(lines, i + 1, head.rest), head.elements);
    if (at != 0 && std::find(out.begin(), out.end(), at) == out.end()) out.push_back(at);
  }
  return out;
}

}  // namespace prof::findings
