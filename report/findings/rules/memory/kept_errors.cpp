// Exceptions that are kept: each keeps its traceback, that the frames of the functions it came through, and these all
// that was in their variables.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "report/findings/keeper_python.hpp"
#include "report/findings/places.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/findings/when.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace kept_errors {
namespace {

// What is known of a function of the user's own.
struct OfFunction {
  std::size_t keeps = 0;   // the line that puts an exception into a container; 0: none
  std::size_t raises = 0;  // the last line that raises something; 0: none
};

class Functions {
 public:
  explicit Functions(const Evidence& evidence) : evidence_(evidence), files_(evidence.sources()) {}

  const OfFunction& of(std::uint32_t id) {
    const auto [found, is_new] = known_.try_emplace(id);
    OfFunction& its = found->second;
    const symbols::Function& function = evidence_.symbols().function(id);
    if (!is_new || function.language != symbols::Language::Python || function.line == 0) return its;
    const Lines& lines = files_.file(function.file).lines;
    const std::size_t keeps = keeping_exceptions(lines);
    lines_below(lines, function.line, [&](std::string_view code, std::size_t number) {
      if (code.starts_with("raise ") && !code.starts_with("raise NotImpl")) its.raises = number;
      if (number == keeps) its.keeps = keeps;
      return true;
    });
    return its;
  }

 private:
  const Evidence& evidence_;
  symbols::SourceFiles& files_;
  std::map<std::uint32_t, OfFunction> known_;
};

struct Kept {
  std::int64_t peak_bytes = 0, largest = 0;
  std::map<std::uint32_t, std::int64_t> by_location;  // own lines that allocated it
};

// The innermost node of own code whose frame holds what was allocated at `node`: what a comprehension makes, its
// function does. 0: there is none.
std::uint32_t holding_frame(const Evidence& evidence, std::uint32_t node) {
  const fold::CallTree& tree = evidence.lines();
  for (; node != 0; node = tree.nodes()[node].parent) {
    if (evidence.own().function(tree.function_id(node)) && !tree.function(node).name.ends_with("comp>")) return node;
  }
  return 0;
}

std::vector<Finding> look(const Evidence& evidence) {
  const fold::CallTree& tree = evidence.lines();
  Functions functions(evidence);
  std::map<std::uint32_t, Kept> by_keeper;  // by function
  std::int64_t all = 0;
  for (std::uint32_t node = 1; node < tree.nodes().size(); ++node) {
    const model::MemoryMetric& heap = tree.self().heap[node];
    if (heap.peak_bytes <= 0) continue;
    all = model::saturated_sum(all, heap.peak_bytes);
    // What all calls keep is a result.
    if (real(heap.peak_bytes) > kKeptOfCalls * real(heap.bytes)) continue;
    const std::uint32_t location = evidence.own_location(node);
    if (location == 0) continue;
    std::uint32_t at = holding_frame(evidence, node);
    const std::uint32_t raising = tree.function_id(at);
    // What is made behind the last raise no exception refers to.
    if (at == 0 || evidence.symbols().location(location).line >= functions.of(raising).raises) continue;
    for (at = tree.nodes()[at].parent; at != 0; at = tree.nodes()[at].parent) {
      const std::uint32_t keeper = tree.function_id(at);
      if (keeper == raising || !evidence.own().function(keeper) || functions.of(keeper).keeps == 0) continue;
      Kept& kept = by_keeper[keeper];
      kept.peak_bytes = model::saturated_sum(kept.peak_bytes, heap.peak_bytes);
      kept.largest = std::max(kept.largest, heap.largest);
      std::int64_t& its = kept.by_location[location];
      its = model::saturated_sum(its, heap.peak_bytes);
      break;
    }
  }
  const auto most = std::max_element(by_keeper.begin(), by_keeper.end(), [](const auto& a, const auto& b) {
    return a.second.peak_bytes < b.second.peak_bytes;
  });
  if (most == by_keeper.end() || most->second.peak_bytes < kKeptErrors ||
      real(most->second.peak_bytes) < kKeptErrorsOfPeak * real(all) ||
      real(most->second.peak_bytes) < kManyKeptErrors * real(most->second.largest))
    return {};
  const symbols::Function& keeper = evidence.symbols().function(most->first);
  Finding finding;
  finding.rule = kKeptErrorsRule.name;
  finding.title = "Exceptions are kept, and with them what was in the variables when they were raised";
  finding.seen = fmt::format("{} of the {} that lived at the peak were allocated in functions that raise what is kept.",
                             show::bytes(real(most->second.peak_bytes)), show::bytes(real(all)));
  finding.advice =
      "Keep what is needed of it (str(error)), or drop its traceback first (error.with_traceback(None)): it refers to "
      "all frames between here and the raise.";
  finding.places = {{keeper.file, static_cast<std::int64_t>(functions.of(most->first).keeps), keeper.name}};
  std::vector<std::pair<std::int64_t, std::uint32_t>> made;
  for (const auto& [location, bytes] : most->second.by_location) made.emplace_back(bytes, location);
  std::sort(made.rbegin(), made.rend());
  for (std::size_t i = 0; i < std::min<std::size_t>(made.size(), 2); ++i)
    finding.places.push_back(place_of(evidence.symbols(), made[i].second));
  finding.saves_bytes = most->second.peak_bytes;
  finding.when = at_heap_peak(evidence);
  return {finding};
}

const char* cannot(const Evidence& evidence) {
  if (const char* why = no_python_frames(evidence)) return why;
  return evidence.lines().live_known() ? nullptr : "what lived at the peak is not known of single threads";
}

}  // namespace
}  // namespace kept_errors

const Rule kKeptErrorsRule{"kept-errors", "exceptions that are kept with what they refer to", kept_errors::cannot,
                           kept_errors::look};

}  // namespace prof::findings
