#include "report/cli/run/option_value.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/cli/common/usage_error.hpp"

namespace prof::cli {

void check_value(const option::Option& option, std::string_view value) {
  Options unused;
  // How long a path may be says absolute_run_directory(), which knows where it leads.
  if (option.variable == "PROF_OUT" && value.size() >= sizeof unused.out) return;
  // What begins with dashes is the next option: the value is missing.
  if (!value.empty() && !value.starts_with("--") && option.set(value, unused)) return;
  const std::string_view name = option.flag.substr(option.flag.find("--"));
  throw UsageError(fmt::format("{} takes {}, not {}", name, values_of(option), in_quotes(value)));
}

std::vector<std::string> spellings_of(const option::Option& option) {
  std::vector<std::string> out;
  const auto small = [](char c) { return c >= 'a' && c <= 'z'; };
  std::string_view rest = option.grammar;
  if (rest.find('|') == std::string_view::npos) return out;
  while (!rest.empty()) {
    const std::size_t bar = rest.find('|');
    std::string_view part = rest.substr(0, bar);
    part = part.substr(0, part.find(" ("));
    if (std::all_of(part.begin(), part.end(), small)) out.emplace_back(part);
    rest = bar == std::string_view::npos ? std::string_view() : rest.substr(bar + 1);
  }
  return out;
}

std::string values_of(const option::Option& option) {
  std::string out;
  option::write_values(option.grammar, [&out](std::string_view piece) { out += piece; });
  return out;
}

}  // namespace prof::cli
