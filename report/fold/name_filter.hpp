// Functions that a regular expression chooses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "report/symbols/symbols.hpp"

namespace prof::fold {

// Whether whole names match, or files of Python functions, each looked at once.
class NameFilter {
 public:
  NameFilter(const symbols::Symbols& symbols, const std::optional<std::regex>& pattern)
      : symbols_(symbols), pattern_(pattern), verdicts_(pattern ? symbols.function_count() : 0, Verdict::Open) {}

  bool active() const { return pattern_.has_value(); }

  bool matches(std::uint32_t function) {
    Verdict& verdict = verdicts_[function];
    if (verdict == Verdict::Open) verdict = search(symbols_.function(function)) ? Verdict::Yes : Verdict::No;
    return verdict == Verdict::Yes;
  }

 private:
  enum class Verdict : std::uint8_t { Open, Yes, No };

  // The matcher recurses with each character: a name from a hostile file must not take it to the end of the stack.
  static constexpr std::ptrdiff_t kLongestMatched = 4096;

  bool search(const symbols::Function& function) const {
    const auto found_in = [this](const std::string& text) {
      return std::regex_search(text.begin(), text.begin() + std::min(kLongestMatched, std::ssize(text)), *pattern_);
    };
    return found_in(function.name) || (function.language == symbols::Language::Python && found_in(function.file));
  }

  const symbols::Symbols& symbols_;
  const std::optional<std::regex>& pattern_;
  std::vector<Verdict> verdicts_;
};

}  // namespace prof::fold
