#include "report/fold/pattern.hpp"

#include <cstddef>
#include <regex>

namespace prof::fold {

struct Pattern::Compiled {
  std::regex regex;
};

Pattern::Pattern(const std::string& expression) {
  // The compiler of expressions recurses with their length, too.
  constexpr std::size_t kLongest = 4096;
  if (expression.size() > kLongest) throw PatternError("longer than 4096 bytes");
  try {
    compiled_ =
        std::make_shared<Compiled>(Compiled{std::regex(expression, std::regex::ECMAScript | std::regex::optimize)});
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
