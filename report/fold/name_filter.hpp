// Functions that a regular expression chooses.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "report/fold/pattern.hpp"
#include "report/symbols/symbols.hpp"

namespace prof::fold {

// Whether names match, whole or as they are shown, or files of Python functions, each looked at once.
class NameFilter {
 public:
  NameFilter(const symbols::Symbols& symbols, const std::optional<Pattern>& pattern)
      : symbols_(symbols), pattern_(pattern), verdicts_(pattern ? symbols.function_count() : 0, Verdict::Open) {}

  bool active() const { return pattern_.has_value(); }

  bool matches(std::uint32_t function) {
    Verdict& verdict = verdicts_[function];
    if (verdict == Verdict::Open) verdict = search(symbols_.function(function)) ? Verdict::Yes : Verdict::No;
    return verdict == Verdict::Yes;
  }

 private:
  enum class Verdict : std::uint8_t { Open, Yes, No };

  bool search(const symbols::Function& function) const {
    return pattern_->matches(function.name) ||
           (function.short_name != function.name && pattern_->matches(function.short_name)) ||
           (function.language == symbols::Language::Python && pattern_->matches(function.file));
  }

  const symbols::Symbols& symbols_;
  const std::optional<Pattern>& pattern_;
  std::vector<Verdict> verdicts_;
};

}  // namespace prof::fold
