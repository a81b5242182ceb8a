#include "report/cli/fitting_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "report/cli/choices.hpp"
#include "report/cli/common/usage_error.hpp"
#include "report/summary/views.hpp"

namespace prof::cli {
namespace {

using show::View;

bool has_word(std::string_view words, std::string_view word) {
  for (std::size_t at = words.find(word); at != std::string_view::npos; at = words.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' ')) return true;
  }
  return false;
}

template <class Is>
std::string views_that(Is is) {
  std::vector<std::string_view> names;
  for (const View* view : show::views()) {
    if (is(*view)) names.push_back(view->name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

// The first spelling of each key that the view takes: others are those of other programs.
std::string keys_of(const View& view) {
  std::vector<std::string_view> names;
  std::vector<show::SortKey> listed;
  for (const auto& [name, key] : sort_choices()) {
    if (!view.sorts.contain(key) || std::find(listed.begin(), listed.end(), key) != listed.end()) continue;
    listed.push_back(key);
    names.push_back(name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

void check_options_fit(const Typed& typed, const ReportArguments& arguments) {
  if (!arguments.sections.empty() && arguments.format != Format::Json)
    throw UsageError("--section goes with --format json: tables have --view");
  if (arguments.format != Format::Table && arguments.format != Format::Csv) return;
  const View& view = *arguments.view;
  if (arguments.sort && view.sorts.empty()) {
    throw UsageError(fmt::format("the view {} has an order of its own; --sort goes with --view {}", view.name,
                                 views_that([](const View& other) { return !other.sorts.empty(); })));
  }
  if (arguments.sort && !view.sorts.contain(*arguments.sort)) {
    throw UsageError(fmt::format("the view {} is not sorted by {}: its --sort takes {}", view.name,
                                 in_quotes(typed.sort), keys_of(view)));
  }
  const std::pair<bool, std::string_view> options[] = {
      {!typed.metric.empty(), "--metric"},         {!typed.language.empty(), "--language"},
      {arguments.bottom_up, "--bottom-up"},        {arguments.by_function, "--by-function"},
      {!arguments.function.empty(), "--function"}, {!typed.steps.empty(), "--steps"},
      {!typed.group_by.empty(), "--group-by"},     {!typed.min_percent.empty(), "--min-percent"}};
  for (const auto& [given, name] : options) {
    const std::string_view option = name;  // clang before 16 captures no structured binding
    if (!given || has_word(view.options, option)) continue;
    throw UsageError(fmt::format("the view {} makes no use of {}, which goes with --view {}", view.name, option,
                                 views_that([&](const View& other) { return has_word(other.options, option); })));
  }
}

}  // namespace prof::cli
