#include "report/fold/pattern.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <regex>
#include <utility>

namespace prof::fold {

struct Pattern::Compiled {
  std::regex regex;
  std::optional<std::regex> of_long_names;  // which `regex` would need as much stack for as they are long
};

namespace {

constexpr auto kFlags = std::regex::ECMAScript | std::regex::optimize;

// libstdc++ tries one way after the other: for minutes where repetitions lie within each other, and calling itself for
// each byte. Its other matcher follows all ways at once: four times slower with ordinary names, never much slower than
// that. It has no back-references.
std::optional<std::regex> patient(const std::string& expression) {
#ifdef __GLIBCXX__
  try {
    return std::regex(expression, kFlags | std::regex_constants::__polynomial);
  } catch (const std::regex_error&) {
  }
#endif
  return std::nullopt;
}

std::ptrdiff_t repetitions(const std::string& expression) {
  return std::ranges::count_if(expression, [](char c) { return c == '*' || c == '+' || c == '{'; });
}

}  // namespace

Pattern::Pattern(const std::string& expression) {
  // The compiler of expressions recurses with their length, too.
  constexpr std::size_t kLongest = 4096;
  if (expression.size() > kLongest) throw PatternError("longer than 4096 bytes");
  try {
    const std::ptrdiff_t repeated = repetitions(expression);
    std::optional<std::regex> slow = repeated > 0 ? patient(expression) : std::nullopt;
    compiled_ = repeated > 1 && slow
                    ? std::make_shared<Compiled>(Compiled{std::move(*slow), std::nullopt})
                    : std::make_shared<Compiled>(Compiled{std::regex(expression, kFlags), std::move(slow)});
  } catch (const std::regex_error& error) {
    throw PatternError(error.what());
  }
}

bool Pattern::matches(std::string_view name) const {
  constexpr std::size_t kLongestMatched = 4096, kLong = 256;
  const std::string_view start = name.substr(0, kLongestMatched);
  const bool patiently = start.size() > kLong && compiled_->of_long_names;
  return std::regex_search(start.begin(), start.end(), patiently ? *compiled_->of_long_names : compiled_->regex);
}

}  // namespace prof::fold
