#include "report/findings/rules/python/asked_results.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

#include "report/model/text.hpp"

namespace prof::findings::asked_results {
namespace {

// "x = pool.submit(step, x).result()".
bool goes_on(std::string_view statement) {
  std::size_t end = 0;
  while (end < statement.size() && is_name(statement[end])) ++end;
  const std::size_t equals = statement.find_first_not_of(' ', end);
  if (end == 0 || equals == std::string_view::npos || statement[equals] != '=') return false;
  return find_word(statement.substr(equals), statement.substr(0, end)) != std::string_view::npos;
}

}  // namespace

bool has_one_worker(const Lines& lines) {
  return std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    return line.find("max_workers=1)") != std::string::npos || line.find("max_workers=1,") != std::string::npos ||
           line.find("PoolExecutor(1)") != std::string::npos || line.find("Pool(1)") != std::string::npos ||
           line.find("newSingleThread") != std::string::npos || line.find("newFixedThreadPool(1)") != std::string::npos;
  });
}

namespace {

// Whether the statement that the line belongs to, of three lines at most, gives the work and asks for its result.
bool in_one_statement(const Lines& lines, std::size_t number) {
  constexpr std::string_view kBoth[][2] = {
      {".submit(", ").result("},   {".submit(", ").get("}, {".apply_async(", ").get("}, {"supplyAsync(", ").get("},
      {"supplyAsync(", ").join("}, {"pool.apply(", ")"},   {"executor.apply(", ")"}};
  constexpr std::size_t kLines = 3;
  if (number == 0 || number > lines.size()) return false;
  for (std::size_t first = number > kLines ? number - kLines : 0; first < number; ++first) {
    std::string text;
    for (std::size_t i = first; i < number; ++i) text += std::string(code_of(lines[i], "#")) + ' ';
    const bool both = std::any_of(std::begin(kBoth), std::end(kBoth), [&](const std::string_view(&words)[2]) {
      const std::size_t gives = text.find(words[0]);
      return gives != std::string::npos && text.find(words[1], gives) != std::string::npos;
    });
    const std::string_view head = std::string_view(text).substr(indent_of(text));
    // What is collected is asked for when all was given; what goes on from the last result has to wait for it.
    if (both && first + 1 == number && !head.starts_with("[") && !goes_on(head)) return true;
  }
  return false;
}

}  // namespace

std::int64_t workers_of(const Lines& lines, double processors) {
  constexpr std::string_view kSays[] = {"max_workers=", "PoolExecutor(", "Pool(", "newFixedThreadPool("};
  constexpr double kMoreThanProcessors = 4, kMostByDefault = 32;  // concurrent.futures.ThreadPoolExecutor's
  std::int64_t most = 0;
  for (const std::string& line : lines) {
    for (const std::string_view says : kSays) {
      const std::size_t at = line.find(says);
      std::int64_t number = 0;
      if (at != std::string::npos &&
          std::from_chars(line.data() + at + says.size(), line.data() + line.size(), number).ec == std::errc())
        most = std::max(most, number);
    }
  }
  return most > 0 ? most : whole_number(std::min(processors + kMoreThanProcessors, kMostByDefault));
}

namespace {

// What a call like "x.result(" in the line is asked of: "x"; empty: there is none, or it is no plain name.
std::string_view asked_in(std::string_view line) {
  for (const std::string_view call : {".result(", ".get(", ".join("}) {
    const std::size_t at = line.find(call);
    if (at == std::string_view::npos) continue;
    std::size_t begin = at;
    while (begin > 0 && is_name(line[begin - 1])) --begin;
    if (begin < at && (begin == 0 || line[begin - 1] != '.')) return line.substr(begin, at - begin);
  }
  return {};
}

// The name that a statement gives a value: "km" of "km = ..." and of "Future<Label> km = ..."; empty: none.
std::string_view given_name(std::string_view statement) {
  const std::size_t equals = statement.find(" = ");
  if (equals == std::string_view::npos) return {};
  std::size_t begin = equals;
  while (begin > 0 && is_name(statement[begin - 1])) --begin;
  return statement.substr(begin, equals - begin);
}

// Whether a line asks for the result of what a statement right before it, at the same depth, gave: no loop is between
// the two.
bool in_next_statement(const Lines& lines, std::size_t number) {
  constexpr std::string_view kGives[] = {".submit(", ".apply_async(", "supplyAsync("};
  constexpr std::size_t kLines = 6;
  if (number < 2 || number > lines.size()) return false;
  const std::string_view asks = lines[number - 1], of = asked_in(asks);
  if (of.empty()) return false;
  const std::string_view result = given_name(asks);
  std::string text;  // of the statement, from its end
  for (std::size_t i = number - 1; i > 0 && number - i <= kLines; --i) {
    const std::string_view line = lines[i - 1];
    const std::size_t indent = indent_of(line);
    if (indent < indent_of(asks)) return false;
    text.insert(0, std::string(line) + ' ');
    if (indent != indent_of(asks) || given_name(line) != of) continue;
    const bool gives =
        std::any_of(std::begin(kGives), std::end(kGives), [&](auto call) { return text.find(call) != text.npos; });
    // What goes on from the last result has to wait for it.
    return gives && (result.empty() || find_word(text, result) == std::string::npos);
  }
  return false;
}

// The line (from 1) of the innermost loop that a line stands in, by indentation; 0: of none in its function.
std::size_t loop_around(const Lines& lines, std::size_t number) {
  std::size_t depth = indent_of(lines[number - 1]);
  for (std::size_t i = number - 1; i > 0 && depth > 0; --i) {
    const std::string_view line = lines[i - 1];
    const std::size_t its = indent_of(line);
    if (its == line.size() || its >= depth) continue;
    depth = its;
    const std::string_view code = line.substr(its);
    if (code.starts_with("def ") || code.starts_with("async def ")) return 0;
    if (code.starts_with("for") || code.starts_with("while") || code.starts_with("async for")) return i;
  }
  return 0;
}

// Whether what is given depends on the last result, by the names: pages of which each says where the next one is. A
// loop that goes on while something holds is taken for one.
bool goes_on_from_result(const Lines& lines, std::size_t number) {
  constexpr std::size_t kMostLines = 60;
  const std::size_t loop = loop_around(lines, number);
  if (loop == 0) return false;
  const std::string_view head = std::string_view(lines[loop - 1]).substr(indent_of(lines[loop - 1]));
  if (head.starts_with("while") || head.starts_with("for (;;")) return true;
  std::size_t end = number;
  while (end < lines.size() && end - loop < kMostLines &&
         (indent_of(lines[end]) == lines[end].size() || indent_of(lines[end]) > indent_of(lines[loop - 1])))
    ++end;
  // From what follows the line to what stands before it in the next turn.
  std::set<std::string, std::less<>> names;
  if (const std::string_view result = given_name(lines[number - 1]); !result.empty()) names.emplace(result);
  const auto follow = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      const std::string_view line = lines[i], name = given_name(line);
      const auto depends = [&](const std::string& on) {
        return find_word(line, on, line.find(" = ") + 1) != line.npos;
      };
      if (!name.empty() && std::any_of(names.begin(), names.end(), depends)) names.emplace(name);
    }
  };
  follow(number, end);
  follow(loop, number - 1);
  const std::string_view asked = asked_in(lines[number - 1]);
  return !asked.empty() && names.contains(asked);
}

}  // namespace

bool asks_at_once(const Lines& lines, std::size_t number) {
  return (in_one_statement(lines, number) || in_next_statement(lines, number)) && !goes_on_from_result(lines, number);
}

}  // namespace prof::findings::asked_results
