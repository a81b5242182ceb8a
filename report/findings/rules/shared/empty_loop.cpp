#include "report/findings/rules/shared/empty_loop.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "report/model/text.hpp"

namespace prof::findings {
namespace empty_loop {
namespace {

using std::string_view;

constexpr std::size_t kMostLines = 4;  // of a body, and from a body back to its loop

string_view trimmed(string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::size_t indent_of(string_view text) { return std::min(text.find_first_not_of(" \t"), text.size()); }

string_view without_comment(string_view line, bool python) {
  return trimmed(line.substr(0, line.find(python ? "#" : "//")));
}

// Functions that only look, by the last part of their names.
constexpr std::array<string_view, 46> kLooks = {"is_set",
                                                "empty",
                                                "full",
                                                "qsize",
                                                "size",
                                                "done",
                                                "is_alive",
                                                "poll",
                                                "locked",
                                                "time",
                                                "monotonic",
                                                "perf_counter",
                                                "len",
                                                "ready",
                                                "exists",
                                                "running",
                                                "finished",
                                                "is_done",
                                                "is_ready",
                                                "isfile",
                                                "load",
                                                "test",
                                                "now",
                                                "clock",
                                                "count",
                                                "expired",
                                                "stop_requested",
                                                "try_lock",
                                                "test_and_set",
                                                "acquire",
                                                "clock_gettime",
                                                "elapsed",
                                                "atomic_load",
                                                "atomic_load_explicit",
                                                "__atomic_load_n",
                                                "atomic_flag_test_and_set",
                                                "__sync_lock_test_and_set",
                                                "exchange",
                                                "pending",
                                                "is_running",
                                                "not",
                                                "and",
                                                "or",
                                                "if",
                                                "in",
                                                "time_since_epoch"};

// Statements that a loop may have and still do nothing.
constexpr std::array<string_view, 20> kIdle = {"pass",
                                               "continue",
                                               ";",
                                               "continue;",
                                               "sched_yield();",
                                               "_mm_pause();",
                                               "pause();",
                                               "cpu_relax();",
                                               "std::this_thread::yield();",
                                               "this_thread::yield();",
                                               "time.sleep(0)",
                                               "sleep(0)",
                                               "os.sched_yield()",
                                               "await asyncio.sleep(0)",
                                               "await asyncio.sleep(0.0)",
                                               "await sleep(0)",
                                               "await sleep(0.0)",
                                               "__builtin_ia32_pause();",
                                               "asm volatile(\"pause\");",
                                               "{}"};

bool idles(string_view statement) { return std::find(kIdle.begin(), kIdle.end(), statement) != kIdle.end(); }

bool only_looks(string_view condition, bool python) {
  condition = trimmed(condition);
  if (condition.empty() || condition == "True" || condition == "true" || condition == "1") return false;
  for (std::size_t i = 0; i < condition.size(); ++i) {
    const char c = condition[i], next = i + 1 < condition.size() ? condition[i + 1] : ' ';
    if ((c == '+' || c == '-') && next == c) return false;
    if (c == '=' && next == '=') {
      ++i;
    } else if (c == '=') {
      const char before = i > 0 ? condition[i - 1] : ' ';
      const bool keyword = condition.substr(0, i).ends_with("blocking") || condition.substr(0, i).ends_with("timeout");
      if (before != '<' && before != '>' && before != '!' && !keyword) return false;
    }
    if ((c == '>' || c == '<') && next == c) return false;  // a stream's
    if (c != '(') continue;
    std::size_t begin = i;
    while (begin > 0 && in_name(condition[begin - 1])) --begin;
    const string_view name = condition.substr(begin, i - begin);
    // What a table, a pointer or a template gives is called.
    if (name.empty() && i > 0 && (condition[i - 1] == ')' || condition[i - 1] == ']' || condition[i - 1] == '>'))
      return false;
    if (python && name == "load") return false;
    if (!name.empty() && std::find(kLooks.begin(), kLooks.end(), name) == kLooks.end()) return false;
  }
  return true;
}

// What follows the bracket that closes the first one of the text; nothing where it does not close.
std::optional<std::size_t> end_of_brackets(string_view text) {
  int open = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++open;
    if (text[i] == ')' && --open == 0) return i + 1;
  }
  return std::nullopt;
}

// The code lines from index `at` on, at most kMostLines, that satisfy the function.
template <typename Is>
std::vector<string_view> code_from(const std::vector<std::string>& lines, std::size_t at, bool python, Is is) {
  std::vector<string_view> out;
  for (; at < lines.size() && out.size() <= kMostLines; ++at) {
    const string_view code = without_comment(lines[at], python);
    if (code.empty()) continue;
    if (!is(lines[at], code)) break;
    out.push_back(code);
  }
  return out;
}

bool empty_in_python(const std::vector<std::string>& lines, std::size_t at) {
  const string_view code = without_comment(lines[at], true);
  if (!code.starts_with("while ")) return false;
  const std::size_t colon = code.rfind(':');
  if (colon == string_view::npos || !only_looks(code.substr(6, colon - 6), true)) return false;
  if (const string_view rest = trimmed(code.substr(colon + 1)); !rest.empty()) return idles(rest);
  const std::size_t indent = indent_of(lines[at]);
  const auto body =
      code_from(lines, at + 1, true, [&](string_view line, string_view) { return indent_of(line) > indent; });
  return !body.empty() && std::all_of(body.begin(), body.end(), idles);
}

// Whether what stands before the line is the block of a "do", whose condition it then is.
bool ends_do_loop(const std::vector<std::string>& lines, std::size_t at) {
  int open = 0;
  for (std::size_t back = at; back-- > 0;) {
    const string_view code = without_comment(lines[back], false);
    if (code.empty()) continue;
    if (open == 0 && !code.starts_with('}')) return false;
    open += static_cast<int>(std::count(code.begin(), code.end(), '}') - std::count(code.begin(), code.end(), '{'));
    if (open <= 0) return code.starts_with("do");
  }
  return false;
}

bool empty_in_c(const std::vector<std::string>& lines, std::size_t at) {
  const string_view code = without_comment(lines[at], false);
  const bool loop = code.starts_with("while (") || code.starts_with("while(");
  if (!loop || ends_do_loop(lines, at)) return false;
  const std::optional<std::size_t> end = end_of_brackets(code);
  if (!end) return false;
  const std::size_t open = code.find('(');
  if (!only_looks(code.substr(open + 1, *end - open - 2), false)) return false;
  string_view rest = trimmed(code.substr(*end));
  if (rest.starts_with('{') && rest.ends_with('}')) rest = trimmed(rest.substr(1, rest.size() - 2));
  if (rest != "{") {
    if (!rest.empty()) return idles(rest);
    // "while (x)" with its statement on the next line, or nothing left between brackets.
    if (trimmed(code.substr(*end)).starts_with('{')) return true;
    const auto body = code_from(lines, at + 1, false, [](string_view, string_view) { return true; });
    return !body.empty() && idles(body.front());
  }
  bool closed = false;
  const auto body = code_from(lines, at + 1, false, [&](string_view, string_view line) {
    closed = line.starts_with('}');
    return !closed;
  });
  return closed && std::all_of(body.begin(), body.end(), idles);
}

}  // namespace
}  // namespace empty_loop

bool in_empty_loop(const std::vector<std::string>& lines, std::size_t number, bool python) {
  const auto empty = [&](std::size_t at) {
    return python ? empty_loop::empty_in_python(lines, at) : empty_loop::empty_in_c(lines, at);
  };
  if (number == 0 || number > lines.size()) return false;
  const std::size_t at = number - 1;
  if (empty(at)) return true;
  // From a line of the body back to its loop.
  if (!empty_loop::idles(empty_loop::without_comment(lines[at], python))) return false;
  for (std::size_t back = 1; back <= std::min(empty_loop::kMostLines, at); ++back) {
    if (empty(at - back)) return true;
    if (!empty_loop::idles(empty_loop::without_comment(lines[at - back], python))) return false;
  }
  return false;
}

}  // namespace prof::findings
