#include "report/fold/pattern.hpp"

#include <algorithm>
#include <cstddef>
#include <regex>

namespace prof::fold {

struct Pattern::Compiled {
  std::regex regex;
};

namespace {

std::regex compile(const std::string& expression) {
  const auto flags = std::regex::ECMAScript | std::regex::optimize;
#ifdef __GLIBCXX__
  // libstdc++ tries one way after the other, for minutes where repetitions lie within each other. Its other matcher
  // follows all ways at once: four times slower with ordinary expressions, never much slower than that. It has no
  // back-references.
  if (std::ranges::count_if(expression, [](char c) { return c == '*' || c == '+' || c == '{'; }) > 1) {
    try {
      return std::regex(expression, flags | std::regex_constants::__polynomial);
    } catch (const std::regex_error&) {
    }
  }
#endif
  return std::regex(expression, flags);
}

}  // namespace

Pattern::Pattern(const std::string& expression) {
  // The compiler of expressions recurses with their length, too.
  constexpr std::size_t kLongest = 4096;
  if (expression.size() > kLongest) throw PatternError("longer than 4096 bytes");
  try {
    compiled_ = std::make_shared<Compiled>(Compiled{compile(expression)});
  } catch (const std::regex_error& error) {
    throw PatternError(error.what());
  }
}

bool Pattern::matches(std::string_view name) const {
  constexpr std::size_t kLongestMatched = 4096;
  const std::string_view start = name.substr(0, kLongestMatched);
  return std::regex_search(start.begin(), start.end(), compiled_->regex);
}

}  // namespace prof::fold
