#include "agent/calls/patterns.hpp"

#include "agent/core/text.hpp"

namespace prof::python::calls {
namespace {

constexpr std::size_t kLongest = 1000;  // of a file's path; the beginning of a longer one is not looked at

bool glob(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, from_here = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      from_here = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++from_here;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

// Whether the pattern matches the text, or what follows a `separator` in it, to its end.
bool matches_end(std::string_view pattern, std::string_view text, char separator) {
  if (glob(pattern, text)) return true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == separator && glob(pattern, from(text, i + 1))) return true;
  }
  return false;
}

std::string_view without_end(std::string_view text, std::string_view end) {
  return text.ends_with(end) ? first(text, text.size() - end.size()) : text;
}

bool is_of_files(std::string_view pattern) {
  return pattern.find('/') != std::string_view::npos || pattern.ends_with(".py");
}

}  // namespace

bool matches(std::string_view patterns, std::string_view file, std::string_view qualname) {
  if (file.size() > kLongest) file = from(file, file.size() - kLongest);
  Text<2 * kLongest + 2> module, name;
  for (const char c : without_end(without_end(file, ".py"), "/__init__")) module << (c == '/' ? '.' : c);
  name << module.view() << '.' << first(qualname, kLongest);
  while (!patterns.empty()) {
    const std::size_t comma = patterns.find(',');
    const std::string_view pattern = first(patterns, comma);
    patterns = comma == std::string_view::npos ? std::string_view() : from(patterns, comma + 1);
    if (pattern.empty()) continue;
    if (is_of_files(pattern) ? matches_end(pattern, file, '/')
                             : matches_end(pattern, module.view(), '.') || matches_end(pattern, name.view(), '.')) {
      return true;
    }
  }
  return false;
}

bool is_own_file(std::string_view file, std::string_view directory) {
  constexpr std::string_view installed[] = {"/site-packages/", "/dist-packages/", "/lib/python3"};
  if (file.empty() || file[0] == '<') return false;
  std::string_view rest = file;
  if (file[0] == '/') {
    if (!file.starts_with(directory)) return false;
    rest = from(file, directory.size());
    if (!directory.ends_with('/') && !rest.starts_with('/')) return false;
  }
  for (const std::string_view part : installed) {
    if (rest.find(part) != std::string_view::npos) return false;
  }
  return true;
}

}  // namespace prof::python::calls
