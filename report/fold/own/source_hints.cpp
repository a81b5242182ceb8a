#include "report/fold/own/source_hints.hpp"

#include <algorithm>
#include <iterator>
#include <string>

#include "report/model/text.hpp"

namespace prof::fold {
namespace {

struct Hint {
  std::string_view call;  // with the bracket; one that begins with a dot is a method of whatever
  std::string_view activity;
};

constexpr Hint kHints[] = {
    {"gc.collect(", "garbage collector"},
    {".match(", "regular expressions"},
    {".fullmatch(", "regular expressions"},
    {".search(", "regular expressions"},
    {".findall(", "regular expressions"},
    {".finditer(", "regular expressions"},
    {".subn(", "regular expressions"},
    {".sub(", "regular expressions"},
    {"heapify(", "making heaps"},
    {"heapq.heapify(", "making heaps"},
    {"sorted(", "sorting"},
    {".sort(", "sorting"},
    {"pickle.dumps(", "pickling"},
    {"pickle.loads(", "pickling"},
    {"pickle.dump(", "pickling"},
    {"pickle.load(", "pickling"},
};

// Without comments, and with strings emptied. A line of a string that began on another one is taken for code.
std::string code_of(std::string_view line) {
  std::string out;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0) {
      if (c == '\\')
        ++i;
      else if (c == quote)
        quote = 0;
    } else if (c == '#') {
      break;
    } else {
      if (c == '\'' || c == '"') quote = c;
      out += c;
    }
  }
  return out;
}

bool calls(std::string_view code, std::string_view call) {
  for (std::size_t at = code.find(call); at != std::string_view::npos; at = code.find(call, at + 1)) {
    if (call.front() == '.' || at == 0 || (!in_name(code[at - 1]) && code[at - 1] != '.')) return true;
  }
  return false;
}

// Calls that take next to nothing of a line's time.
constexpr std::string_view kTrivial[] = {"len",    "strip", "rstrip", "lstrip", "lower",  "upper", "append",
                                         "bool",   "group", "print",  "str",    "int",    "if",    "not",
                                         "and",    "or",    "in",     "list",   "return", "while", "elif",
                                         "assert", "sum",   "any",    "all",    "next",   "iter",  "enumerate"};

// Whether anything else is called that may be what takes the time.
bool calls_more(std::string_view code, std::string_view activity) {
  for (std::size_t at = code.find('('); at != std::string_view::npos; at = code.find('(', at + 1)) {
    std::size_t begin = at;
    while (begin > 0 && in_name(code[begin - 1])) --begin;
    const std::string_view name = code.substr(begin, at - begin);
    if (name.empty() || std::find(std::begin(kTrivial), std::end(kTrivial), name) != std::end(kTrivial)) continue;
    const bool known = std::any_of(std::begin(kHints), std::end(kHints), [&](const Hint& hint) {
      return hint.activity == activity && hint.call.substr(0, hint.call.size() - 1).ends_with(name);
    });
    if (!known) return true;
  }
  return false;
}

}  // namespace

std::string_view activity_of_source(std::string_view line) {
  const std::string code = code_of(line);
  std::string_view found;
  for (const Hint& hint : kHints) {
    if (!calls(code, hint.call) || hint.activity == found) continue;
    if (!found.empty()) return {};
    found = hint.activity;
  }
  return found.empty() || calls_more(code, found) ? std::string_view() : found;
}

}  // namespace prof::fold
