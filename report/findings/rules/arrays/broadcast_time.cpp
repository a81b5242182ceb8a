// Arrays that are broadcast against each other make one of all pairs, which is reduced at once: most of the time goes
// to writing and reading it.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/shared/pair_arrays.hpp"
#include "report/findings/statement_lines.hpp"
#include "report/findings/thresholds.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace broadcast_time {
namespace {

// What a statement asks for, and what autograd computes of it in the backward pass.
struct Step {
  std::string_view written;
  const char* backward;
};
constexpr Step kSteps[] = {{" - ", "SubBackward0"},   {" + ", "AddBackward0"},     {" * ", "MulBackward0"},
                           {".pow(", "PowBackward0"}, {"**", "PowBackward0"},      {".abs(", "AbsBackward0"},
                           {"abs(", "AbsBackward0"},  {".square(", "PowBackward0"}};

// The time of these in the backward pass.
std::int64_t backward_ns(const Evidence& evidence, const std::string& statement) {
  std::vector<std::string> names;
  for (const Step& step : kSteps) {
    if (statement.find(step.written) != std::string::npos)
      names.push_back(std::string("autograd::engine::evaluate_function: ") + step.backward);
  }
  std::int64_t ns = 0;
  for (const fold::OperatorRow& row : evidence.operators().rows) {
    const bool is_long = row.calls > 0 && row.total_ns / row.calls >= kLongOperatorNs;
    if (is_long && std::find(names.begin(), names.end(), row.name) != names.end())
      ns = model::saturated_sum(ns, row.total_ns);
  }
  return ns;
}

// The lines that do so, of which each makes large arrays.
class PairLines {
 public:
  explicit PairLines(const Evidence& evidence) : evidence_(evidence), files_(evidence.sources()) {
    const fold::Columns& self = evidence.lines().self();
    for (std::uint32_t node = 1; node < evidence.lines().nodes().size(); ++node) {
      std::int64_t largest = self.heap.has(node) ? self.heap[node].largest : 0;
      if (self.maps.has(node)) largest = std::max(largest, self.maps[node].largest);
      if (largest < kLargeArray) continue;
      if (const std::uint32_t location = evidence.own_location(node)) large_[location] = true;
    }
  }

  const std::string& at(std::uint32_t node) {
    static const std::string kNone;
    const std::uint32_t location = evidence_.own_location(node);
    if (location == 0 || !large_.contains(location)) return kNone;
    const auto [found, is_new] = statements_.try_emplace(location);
    if (is_new) {
      const symbols::Function& function = evidence_.symbols().function(evidence_.symbols().location(location).function);
      const Place place = place_of(evidence_.symbols(), location);
      if (function.language == symbols::Language::Python && place.line > 0) {
        std::string statement = statement_around(files_.file(place.file).lines, static_cast<std::size_t>(place.line));
        if (reduced_axes(statement) >= 2) found->second = std::move(statement);
      }
    }
    return found->second;
  }
  const std::map<std::uint32_t, std::string>& statements() const { return statements_; }

 private:
  const Evidence& evidence_;
  symbols::SourceFiles& files_;
  std::map<std::uint32_t, bool> large_;  // by location
  std::map<std::uint32_t, std::string> statements_;
};

std::vector<Finding> look(const Evidence& evidence) {
  PairLines lines(evidence);
  const CpuAt cpu = cpu_at(evidence, [&](std::uint32_t node) { return !lines.at(node).empty(); });
  if (cpu.ns < kLeastActivityNs || cpu.places.empty()) return {};
  std::int64_t later = 0;
  for (const auto& [location, statement] : lines.statements()) {
    if (!statement.empty()) later = std::max(later, backward_ns(evidence, statement));
  }
  const double share = std::min(1.0, share_of_steps(evidence, cpu) + evidence.share(later));
  if (share < kMostlyOneThing) return {};
  Finding finding;
  finding.rule = kBroadcastTimeRule.name;
  finding.title = "Arrays of all pairs are made to be reduced at once";
  finding.seen = fmt::format("{} in lines that broadcast arrays against each other", cpu_words(evidence, cpu));
  if (later > 0) finding.seen += fmt::format(", and {} in their backward pass", show::duration(real(later)));
  finding.seen += ": each element of the large array is written and read several times.";
  finding.advice = kPairArraysAdvice;
  finding.places = cpu.places;
  could_save(finding, evidence, share);
  return {finding};
}

}  // namespace
}  // namespace broadcast_time

const Rule kBroadcastTimeRule{"broadcast-time", "arrays of all pairs that take much of the time", no_python_frames,
                              broadcast_time::look};

}  // namespace prof::findings
