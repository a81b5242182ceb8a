// Columns of a data frame hold an object of Python for each of their values.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "report/findings/places.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/thresholds.hpp"
#include "report/findings/when.hpp"
#include "report/fold/function_match.hpp"
#include "report/fold/memory/program_memory.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace object_columns {
namespace {

// What makes Python objects of a frame that has none, because it is asked to: of whole rows, too, for apply(axis=1).
constexpr fold::FunctionAt kTakesOut[] = {{"/pandas/core/", "to_dict"},  {"/pandas/core/", "tolist"},
                                          {"/pandas/core/", "to_list"},  {"/pandas/core/", "itertuples"},
                                          {"/pandas/core/", "iterrows"}, {"/pandas/core/", "to_records"},
                                          {"/pandas/core/", "to_numpy"}, {"/pandas/core/apply.py", ""}};

// Of the process that had most.
std::int64_t highest_rss(const Evidence& evidence) {
  std::int64_t out = 0;
  for (const model::Process& process : evidence.run().processes) {
    if (evidence.selection().includes(process))
      out = std::max(out, model::to_signed(process.peak_rss_bytes.value_or(0)));
  }
  return out;
}

const char* cannot(const Evidence& evidence) {
  if (const char* why = no_python_frames(evidence)) return why;
  return evidence.lines().live_known() ? nullptr : "what lived at the peak is not known of single threads";
}

std::vector<Finding> look(const Evidence& evidence) {
  const fold::CallTree& lines = evidence.lines();
  // By own line: where pandas keeps values as they are, next to nothing of what it allocates is the interpreter's.
  std::vector<std::int64_t> objects(evidence.symbols().location_count());
  for (std::uint32_t node = 1; node < lines.nodes().size(); ++node) {
    const std::int64_t held = fold::objects_memory(lines, node).peak_bytes;
    if (held <= 0 || evidence.activity_name(node) != "pandas") continue;
    if (below(lines, node, [](const symbols::Function& function) { return fold::is_any(function, kTakesOut); }))
      continue;
    std::int64_t& bytes = objects[evidence.own_location(node)];
    bytes = model::saturated_sum(bytes, held);
  }
  std::uint32_t most = 0;
  for (std::uint32_t i = 1; i < objects.size(); ++i) {
    if (objects[i] > (most != 0 ? objects[most] : 0)) most = i;
  }
  const std::int64_t whole = highest_rss(evidence);
  if (most == 0 || objects[most] < kPeakCopy || real(objects[most]) < kObjectsOfPeak * real(whole)) return {};
  Finding finding;
  finding.rule = kObjectColumnsRule.name;
  finding.title = "Columns hold an object of Python for each value";
  finding.seen = fmt::format(
      "What pandas made here was {} of small objects at the peak: text, as a rule, of some 80 bytes for each value.",
      show::bytes(real(objects[most])));
  finding.advice =
      "astype('category') for text of which there are few kinds (work on its categories, not on the rows), "
      "'string[pyarrow]' for other text, numbers and dates as such (to_numeric, to_datetime).";
  finding.places = {place_of(evidence.symbols(), most)};
  finding.saves_bytes = objects[most];
  finding.when = at_heap_peak(evidence);
  return {finding};
}

}  // namespace
}  // namespace object_columns

const Rule kObjectColumnsRule{"object-columns", "columns of Python objects in data frames", object_columns::cannot,
                              object_columns::look};

}  // namespace prof::findings
