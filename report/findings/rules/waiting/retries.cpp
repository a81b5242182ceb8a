#include "report/findings/rules/waiting/retries.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "report/findings/source_loops.hpp"
#include "report/findings/source_words.hpp"

namespace prof::findings {
namespace retries {
namespace {

// Errors that only say that nothing is there yet: who sleeps then looks again, and tries nothing anew.
bool looks_again(std::string_view except) {
  constexpr std::array<std::string_view, 13> kNothingYet = {
      "Empty",         "Full",       "QueueEmpty",     "BlockingIOError",    "FileNotFoundError", "KeyError",
      "StopIteration", "IndexError", "AttributeError", "ProcessLookupError", "TimeoutExpired",    "InvalidStateError",
      "LookupError"};
  return std::any_of(kNothingYet.begin(), kNothingYet.end(),
                     [&](std::string_view error) { return find_word(except, error) != std::string_view::npos; });
}

// The line of the `except` whose block the line with that number (from 1) stands in, of those of its function; 0: none.
std::size_t except_around(const Lines& lines, std::size_t number) {
  std::size_t found = 0;
  heads_above(lines, number, [&](std::string_view code, std::size_t at) {
    const bool except = find_word(code, "except") == 0;
    if (except && !looks_again(code)) found = at;
    return !except && !code.starts_with("def ") && !code.starts_with("async def ");
  });
  return found;
}

// Whether the innermost loop around the line tries one thing again: it goes through numbers, or through nothing.
bool tries_again(const Lines& lines, std::size_t number) {
  bool again = false;
  heads_above(lines, number, [&](std::string_view code, std::size_t) {
    again =
        code.starts_with("while ") || (code.starts_with("for ") && code.find(" in range(") != std::string_view::npos);
    return !again && !code.starts_with("for ");
  });
  return again;
}

}  // namespace
}  // namespace retries

void tell_of_retries(symbols::SourceFiles& files, Finding& finding) {
  if (finding.places.empty() || finding.places.front().line <= 0) return;
  const symbols::SourceFile& file = files.file(finding.places.front().file);
  if (!file.readable) return;
  const std::size_t line = retries::except_around(file.lines, static_cast<std::size_t>(finding.places.front().line));
  if (line == 0 || !in_loop(file.lines, line) || !retries::tries_again(file.lines, line)) return;
  finding.title = "The program sleeps between attempts, after errors";
  finding.advice =
      "Look which errors come here: another attempt is worth it only where they may go away (time-outs, a server that "
      "is busy). What was refused or is not there (a 404, HTTPError below 500) stays so: catch it apart and give up at "
      "once. Else shorter first pauses, fewer attempts, or other work meanwhile.";
  Place except = finding.places.front();
  except.line = static_cast<std::int64_t>(line);
  except.callers.clear();
  std::erase(finding.places, except);
  finding.places.insert(finding.places.begin() + 1, std::move(except));
  if (finding.places.size() > 3) finding.places.resize(3);
}

}  // namespace prof::findings
