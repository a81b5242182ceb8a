// A column of a large array is gone through again and again: its values lie a row apart, each in a cache line of its
// own.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings/places.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/arrays/given_columns.hpp"
#include "report/findings/source_loops.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace column_views {
namespace {

// The name that "name = table[:, n]" gives to a column, whose place in the row is no slice; empty: it does not.
std::string_view column_of(std::string_view code) {
  const std::size_t equals = code.find(" = "), open = code.find("[:, ");
  if (equals == std::string_view::npos || open == std::string_view::npos || open < equals) return {};
  const std::string_view name = code.substr(0, equals), of = code.substr(equals + 3, open - equals - 3);
  const auto is_plain = [](std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return is_name(c) || c == '.'; });
  };
  const std::size_t close = code.find(']', open);
  if (!is_plain(name) || !is_plain(of) || close == std::string_view::npos) return {};
  const std::string_view index = code.substr(open + 4, close - open - 4);
  std::string_view rest = code.substr(close + 1);
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  return index.find(':') == std::string_view::npos && index.find('[') == std::string_view::npos && rest.empty()
             ? name
             : std::string_view();
}

struct Column {
  std::size_t line = 0;  // from 1; 0: none
  std::string_view name;
};

// The column that line `number` uses, made further up in the same function.
Column used_at(const Lines& lines, std::size_t number) {
  if (number == 0 || number > lines.size()) return {};
  const std::string_view uses = code_of(lines[number - 1], "#");
  for (std::size_t i = number - 1; i-- > 0;) {
    const std::string_view line = code_of(lines[i], "#");
    const std::string_view code = line.substr(indent_of(line));
    if (code.starts_with("def ") || code.starts_with("async def ")) break;
    const std::string_view name = column_of(code);
    if (name.empty() || find_word(uses, name) == std::string_view::npos) continue;
    const std::size_t equals = code.find(" = "), open = code.find("[:, "), close = code.find(']', open);
    const std::string_view of = code.substr(equals + 3, open - equals - 3),
                           index = code.substr(open + 4, close - open - 4);
    if (may_lie_by_columns(lines, of) || !is_counted(lines, i + 1, index)) return {};
    return {i + 1, name};
  }
  return {};
}

class HotColumns {
 public:
  explicit HotColumns(const Evidence& evidence) : evidence_(evidence), files_(evidence.sources()) {}

  // The line that makes the column which the innermost own line at the node, in a loop, goes through; none: it does
  // not.
  const std::optional<Place>& at(std::uint32_t node) {
    const std::uint32_t location = evidence_.own_location(node);
    const auto [found, is_new] = known_.try_emplace(location);
    if (is_new && location != 0) found->second = column(node, location);
    return found->second;
  }
  // Whether such a line is called with one column after the other.
  bool each_once() const { return each_once_; }

 private:
  std::optional<Place> column(std::uint32_t node, std::uint32_t location) {
    const Place hot = place_of(evidence_.symbols(), location);
    if (hot.line <= 0 || !hot.file.ends_with(".py")) return std::nullopt;
    const Lines& lines = files_.file(hot.file).lines;
    const auto number = static_cast<std::size_t>(hot.line);
    std::vector<Place> calls;
    for (const std::uint32_t caller : evidence_.own_callers(node))
      calls.push_back(place_of(evidence_.symbols(), caller));
    if (const std::optional<Place> given = column_given_to(files_, hot, calls)) {
      each_once_ = true;
      return given;
    }
    if (!in_loop(lines, number)) return std::nullopt;
    if (const Column own = used_at(lines, number); own.line != 0) {
      // Made for each turn, it is gone through once.
      const bool once = indent_of(lines[own.line - 1]) >= indent_of(lines[number - 1]);
      return once ? std::nullopt : std::optional(Place{hot.file, static_cast<std::int64_t>(own.line), hot.function});
    }
    for (const Place& call : calls) {
      if (call.line <= 0 || !call.file.ends_with(".py")) return std::nullopt;
      const Column given = used_at(files_.file(call.file).lines, static_cast<std::size_t>(call.line));
      if (given.line != 0) return Place{call.file, static_cast<std::int64_t>(given.line), call.function};
      break;  // who called that has its own names
    }
    return std::nullopt;
  }

  const Evidence& evidence_;
  symbols::SourceFiles& files_;
  bool each_once_ = false;
  std::map<std::uint32_t, std::optional<Place>> known_;  // by location
};

bool has_large_arrays(const Evidence& evidence) {
  const fold::Columns& self = evidence.lines().self();
  for (std::uint32_t node = 1; node < evidence.lines().nodes().size(); ++node) {
    if (std::max(self.heap[node].largest, self.maps[node].largest) >= kLargeTable) return true;
  }
  return false;
}

std::vector<Finding> look(const Evidence& evidence) {
  HotColumns columns(evidence);
  std::optional<Place> made;
  CpuAt cpu = cpu_at(evidence, [&](std::uint32_t node) {
    if (evidence.activity_name(node) != "numpy") return false;
    const std::optional<Place>& place = columns.at(node);
    if (place && !made) made = place;
    return place && *place == *made;
  });
  if (!made || cpu.share() < kMostlyOneThing || cpu.ns < kLeastActivityNs || !has_large_arrays(evidence)) return {};
  Finding finding;
  finding.rule = kColumnViewsRule.name;
  finding.title = "A column of a large array is gone through again and again";
  finding.seen = fmt::format(
      "{} in numpy, for a column that is a view: its values lie a whole row apart, so that each pass goes through all "
      "of the array.",
      cpu_words(evidence, cpu));
  finding.advice =
      "Copy the column once (numpy.ascontiguousarray(table[:, n])), or keep the table the other way round "
      "(table.T.copy()), so that what is used together lies together.";
  finding.places = {*made};
  for (const Place& place : cpu.places) {
    if (finding.places.size() < 3 && place != *made) finding.places.push_back(place);
  }
  if (columns.each_once()) cpu.take(kOfColumnCalls);
  could_save(finding, evidence, cpu);
  return {finding};
}

}  // namespace
}  // namespace column_views

const Rule kColumnViewsRule{"column-views", "columns that are gone through again and again", no_python_frames,
                            column_views::look};

}  // namespace prof::findings
