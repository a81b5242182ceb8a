#include "report/cli/grouping.hpp"

#include <fmt/format.h>

#include <string_view>

#include "report/cli/choices.hpp"
#include "report/cli/common/usage_error.hpp"
#include "report/cli/whole_number.hpp"

namespace prof::cli {

fold::OperatorGrouping grouping(const std::string& typed) {
  constexpr std::string_view kStack = "stack:", kStep = "step:";
  if (typed.starts_with(kStack)) {
    constexpr std::uint64_t kMost = 1000;
    const auto lines = whole_number(typed.substr(kStack.size()));
    if (lines.value_or(0) == 0 || *lines > kMost)
      throw UsageError(
          fmt::format("--group-by stack:N takes a number of lines from 1 to {}, not {}", kMost, in_quotes(typed)));
    return {fold::OperatorGroup::Stack, static_cast<std::size_t>(*lines)};
  }
  if (typed.starts_with(kStep)) {
    const auto number = whole_number(typed.substr(kStep.size()));
    if (number.value_or(0) == 0 || *number > INT64_MAX)
      throw UsageError(fmt::format("--group-by step:N takes the number of a step, not {}", in_quotes(typed)));
    fold::OperatorGrouping out(fold::OperatorGroup::Step);
    out.step = static_cast<std::int64_t>(*number);
    return out;
  }
  return chosen("--group-by", typed, group_choices());
}

}  // namespace prof::cli
