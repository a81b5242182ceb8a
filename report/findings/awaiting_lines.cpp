#include "report/findings/awaiting_lines.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "report/model/text.hpp"

namespace prof::findings {
namespace awaiting_lines {
namespace {

// The names that a loop gives its elements: "for name, part in parts.items():" or "[await ask(part) for part in
// parts]".
std::vector<std::string_view> elements_of(std::string_view code) {
  const std::size_t head = find_word(code, "for"), in = head == std::string_view::npos ? head : code.find(" in ", head);
  std::vector<std::string_view> out;
  for (std::size_t at = head + 3; in != std::string_view::npos && at < in;) {
    std::size_t end = at;
    while (end < in && is_name(code[end])) ++end;
    if (end > at) out.push_back(code.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

// What is awaited for its answer in the line: the text behind that; empty: nothing.
std::string_view asked_in(std::string_view code) {
  for (const std::string_view word : {"= await ", "(await ", "[await ", "async with "}) {
    if (const std::size_t at = code.find(word); at != std::string_view::npos) return code.substr(at + word.size());
  }
  return {};
}

// What is sent to a peer, by hand: the answer is read by another line.
std::string_view sent_in(std::string_view code) {
  for (const std::string_view word : {".write(", ".send("}) {
    if (const std::size_t at = code.find(word); at != std::string_view::npos) return code.substr(at + word.size());
  }
  return {};
}

bool has_word(std::string_view text, const std::vector<std::string_view>& words) {
  return std::any_of(words.begin(), words.end(),
                     [text](std::string_view word) { return find_word(text, word) != std::string_view::npos; });
}

// Names that the line gives to what it awaits: "reply" of "reply = await ask(part)".
std::vector<std::string_view> answers_in(std::string_view code) {
  const std::size_t await = code.find("= await ");
  if (await == std::string_view::npos) return {};
  std::vector<std::string_view> out;
  for (const std::string_view target : listed(code.substr(0, await))) {
    if (std::all_of(target.begin(), target.end(), is_name)) out.push_back(target);
  }
  return out;
}

// Whether what stands below such a head asks for each element, and no question needs an answer before it. Loops that
// stop at an answer, take their time, or have started all before they await are none.
bool asks_for_each(const Lines& lines, std::size_t head, std::string_view loop) {
  constexpr std::string_view kElse[] = {"sleep(", "gather(", "break", "return", "raise"};
  const std::vector<std::string_view> elements = elements_of(loop);
  if (elements.empty() || contains_any(loop, std::array{"as_completed(", "for _ in"})) return false;
  std::vector<std::string_view> answers;
  bool asks = false, sends = false, reads = false, other = false;
  lines_below(lines, head, [&](std::string_view code, std::size_t) {
    const std::string_view asked = asked_in(code);
    asks |= has_word(asked, elements);
    sends |= has_word(sent_in(code), elements);
    reads |= !asked.empty();
    other |= contains_any(code, kElse);
    for (const std::string_view name : answers_in(code)) answers.push_back(name);
    return true;
  });
  lines_below(lines, head, [&](std::string_view code, std::size_t) {
    other |= has_word(asked_in(code), answers) || has_word(sent_in(code), answers);
    return true;
  });
  return (asks || (sends && reads)) && !other;
}

// A statement of a block that awaits an answer, with what stands below it.
struct Statement {
  std::size_t line = 0, last = 0;  // from 1
  std::string_view asked;
  std::vector<std::string_view> answers;
};

// The statements of the block in which the line stands, and what names they give.
std::vector<Statement> block_around(const Lines& lines, std::size_t number) {
  const auto code_at = [&](std::size_t at) { return code_of(lines[at - 1], "#"); };
  const auto is_blank = [&](std::size_t at) { return trimmed(code_at(at)).empty(); };
  const std::size_t indent = indent_of(code_at(number));
  std::size_t first = number, last = number;
  while (first > 1 && (is_blank(first - 1) || indent_of(code_at(first - 1)) >= indent)) --first;
  while (last < lines.size() && (is_blank(last + 1) || indent_of(code_at(last + 1)) >= indent)) ++last;
  std::vector<Statement> out;
  for (std::size_t at = first; at <= last; ++at) {
    if (is_blank(at)) continue;
    const std::string_view code = trimmed(code_at(at));
    if (indent_of(code_at(at)) == indent && code.front() != ')') out.push_back({at, at, asked_in(code), {}});
    if (out.empty()) continue;
    out.back().last = at;
    const std::size_t set = code.find(" = ");
    for (const std::string_view target : listed(code.substr(0, set == std::string_view::npos ? 0 : set)))
      if (std::all_of(target.begin(), target.end(), is_name)) out.back().answers.push_back(target);
  }
  return out;
}

// Whether the line is of a statement that awaits an answer which another one of its block, that awaits one, too, has no
// need of, nor the other way round.
bool beside_another(const Lines& lines, std::size_t number) {
  constexpr std::string_view kElse[] = {"sleep(", "gather(", "acquire(", "wait(", "read", "recv(", "receive", ".json("};
  const std::vector<Statement> block = block_around(lines, number);
  const auto asks = [&](const Statement& statement) {
    return !statement.asked.empty() && !contains_any(statement.asked, kElse);
  };
  for (std::size_t i = 0; i < block.size(); ++i) {
    if (!asks(block[i])) continue;
    std::vector<std::string_view> needed = block[i].answers;  // and what is made of them
    for (std::size_t k = i + 1; k < block.size(); ++k) {
      bool uses = false;
      for (std::size_t at = block[k].line; at <= block[k].last; ++at)
        uses |= has_word(code_of(lines[at - 1], "#"), needed);
      const auto is_of = [number](const Statement& statement) {
        return number >= statement.line && number <= statement.last;
      };
      if (uses) needed.insert(needed.end(), block[k].answers.begin(), block[k].answers.end());
      if (!uses && asks(block[k]) && (is_of(block[i]) || is_of(block[k]))) return true;
    }
  }
  return false;
}

}  // namespace
}  // namespace awaiting_lines

bool awaits_in_turn(const Lines& lines, std::int64_t number) {
  using namespace awaiting_lines;
  constexpr std::string_view kStarts[] = {"create_task(", "ensure_future(", "as_completed("};
  if (number <= 0 || static_cast<std::size_t>(number) > lines.size()) return false;
  const std::string_view line = trimmed(code_of(lines[static_cast<std::size_t>(number) - 1], "#"));
  std::size_t head = 0, function = 0;
  std::vector<std::size_t> statements{static_cast<std::size_t>(number)};  // that it is part of
  bool innermost = true;
  std::string_view loop;
  heads_above(lines, static_cast<std::size_t>(number), [&](std::string_view code, std::size_t at) {
    if (innermost && code.starts_with("for ")) {
      head = at;
      loop = code;
    }
    if (!asked_in(code).empty()) statements.push_back(at);
    innermost &= head == 0 && !code.starts_with("while ");
    if (code.starts_with("def ") || code.starts_with("async def ")) function = at;
    return function == 0;
  });
  bool starts = false;
  lines_below(lines, function, [&](std::string_view code, std::size_t) {
    starts |= contains_any(code, kStarts);
    return true;
  });
  if (function == 0 || starts) return false;
  const std::vector<std::string_view> elements = elements_of(line);
  if (contains(line, "[await ") && !elements.empty()) return has_word(asked_in(line), elements);
  if (head != 0 && asks_for_each(lines, head, loop)) return true;
  return head == 0 && std::any_of(statements.begin(), statements.end(),
                                  [&](std::size_t statement) { return beside_another(lines, statement); });
}

}  // namespace prof::findings
