// Options that take one of a few words.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/cli/common/usage_error.hpp"
#include "report/cli/suggest.hpp"
#include "report/model/metrics.hpp"
#include "report/show/terminal.hpp"
#include "report/show/view.hpp"

namespace prof::formats {
struct JsonSection;
}

namespace prof::cli {

struct Export;

enum class Format { Table, Json, Csv, Folded };

template <class T>
using Choices = std::vector<std::pair<std::string_view, T>>;

const Choices<const show::View*>& view_choices();
const Choices<show::SortKey>& sort_choices();  // behind the names of our own those of pstats and torch.profiler
inline constexpr std::size_t kSortNames = 17;  // of our own
const Choices<fold::OperatorGroup>& group_choices();
const Choices<Format>& format_choices();
const Choices<const formats::JsonSection*>& section_choices();
const Choices<const Export*>& export_choices();
const Choices<model::Measure>& metric_choices();
const Choices<show::ColourChoice>& colour_choices();
const Choices<fold::Frames>& frames_choices();
const Choices<std::optional<symbols::Language>>& language_choices();  // "all": without a value

template <class T>
std::vector<std::string> spellings_of(const Choices<T>& choices, std::size_t count = SIZE_MAX) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < choices.size() && i < count; ++i) out.emplace_back(choices[i].first);
  return out;
}

template <class T>
std::string names_of(const Choices<T>& choices, std::size_t count = SIZE_MAX) {
  return fmt::format("{}", fmt::join(spellings_of(choices, count), ", "));
}

// What `word` stands for. Throws UsageError that lists the words `option` takes.
template <class T>
T chosen(const char* option, const std::string& word, const Choices<T>& choices) {
  std::vector<std::string_view> names;
  for (const auto& [name, value] : choices) {
    if (name == word) return value;
    names.push_back(name);
  }
  throw UsageError(
      fmt::format("{} takes {}, not {}.{}", option, names_of(choices), in_quotes(word), did_you_mean(word, names)));
}

}  // namespace prof::cli
