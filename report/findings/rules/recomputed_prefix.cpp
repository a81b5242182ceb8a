// A model that writes a sequence computes all of it anew for each piece that it adds.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "report/findings/growing_blocks.hpp"
#include "report/findings/model_call.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/function_match.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace recomputed_prefix {
namespace {

// Operators whose results have a row for each position that a layer is given. What attention multiplies (bmm) grows
// with a cache, too.
constexpr symbols::Language kOperator = symbols::Language::Operator;
constexpr fold::FunctionAt kByPosition[] = {{"", "aten::linear", kOperator},
                                            {"", "aten::addmm", kOperator},
                                            {"", "aten::native_layer_norm", kOperator},
                                            {"", "aten::_transformer_encoder_layer_fwd", kOperator}};
constexpr fold::FunctionAt kModules[] = {{"/torch/nn/modules/module.py", ""}};

// How often the operators of one of these names were called.
std::int64_t calls_of(const Evidence& evidence, std::initializer_list<std::string_view> names) {
  std::int64_t calls = 0;
  for (const fold::OperatorRow& row : evidence.operators().rows) {
    if (std::find(names.begin(), names.end(), row.name) != names.end()) calls = model::saturated_sum(calls, row.calls);
  }
  return calls;
}

// Whether pieces are chosen and put behind the others, again and again.
bool writes_sequences(const Evidence& evidence) {
  return calls_of(evidence, {"aten::cat"}) >= kManyGrown &&
         calls_of(evidence, {"aten::multinomial", "aten::argmax", "aten::topk", "aten::max"}) >= kManyGrown;
}

// Whether a function of the program puts pieces behind each other, by its source; true where that is not at hand.
bool puts_behind(symbols::SourceFiles& files, const symbols::Function& function) {
  constexpr std::string_view kPuts[] = {"cat(", "concat", "append(", "stack(", "pad("};
  const symbols::SourceFile& file = files.file(function.file);
  if (!file.readable || function.line == 0 || function.line > file.lines.size()) return true;
  const std::uint32_t last = symbols::last_line_of_function(file.lines, function.line, function.line);
  for (std::uint32_t line = function.line; line <= last && line <= file.lines.size(); ++line) {
    const std::string_view code = code_of(file.lines[line - 1], "#");
    if (std::any_of(std::begin(kPuts), std::end(kPuts),
                    [&](std::string_view call) { return code.find(call) != std::string_view::npos; }))
      return true;
  }
  return false;
}

// Whether the function that calls the model, or the one that calls that, does: as a loop that writes has to.
bool writes(const Evidence& evidence, symbols::SourceFiles& files, std::uint32_t node, const Place& call) {
  std::uint32_t seen = 0, last = UINT32_MAX;
  bool inside = false;
  for (; node != 0 && seen < 2; node = evidence.lines().nodes()[node].parent) {
    const std::uint32_t id = evidence.lines().function_id(node);
    if (!evidence.own().function(id) || id == last) continue;
    inside |= place_of(evidence.symbols(), evidence.lines().nodes()[node].location) == call;
    if (!inside) continue;
    last = id;
    ++seen;
    if (puts_behind(files, evidence.symbols().function(id))) return true;
  }
  return false;
}

const char* cannot(const Evidence& evidence) {
  if (const char* why = no_python_frames(evidence)) return why;
  return evidence.operators().rows.empty() ? "no operators of PyTorch were seen" : nullptr;
}

// With a cache, layers are given the new positions alone.
std::vector<Finding> look(const Evidence& evidence) {
  const std::optional<ThreadOf> thread = program_thread(evidence);
  if (!thread || !writes_sequences(evidence)) return {};
  const fold::CallTree& lines = evidence.lines();
  const auto below_any = [&](std::span<const fold::FunctionAt> functions) {
    return all_below(lines, [&](const symbols::Function& function) { return fold::is_any(function, functions); });
  };
  const std::vector<bool> by_position = below_any(kByPosition), in_modules = below_any(kModules);
  symbols::SourceFiles files(evidence.run());
  std::vector<Place> calls;
  const auto is_one = [&](const std::optional<Place>& place) {
    return place && std::find(calls.begin(), calls.end(), *place) != calls.end();
  };
  for (std::uint32_t node = 1; node < lines.nodes().size(); ++node) {
    if (!by_position[node]) continue;
    if (!grow_evenly(lines.self().heap[node]) && !grow_evenly(lines.self().gpu[node].tensors)) continue;
    const std::optional<Place> place = model_call(evidence, node);
    if (place && !is_one(place) && writes(evidence, files, node, *place)) calls.push_back(*place);
  }
  if (calls.empty()) return {};
  std::int64_t ns = 0;
  TimeByPlace places(evidence);
  const double waits_with = queue_factor(evidence, *thread);
  for (const LineTime& time : line_times(evidence, *thread)) {
    if (!in_modules[time.node]) continue;
    const std::optional<Place> place = model_call(evidence, time.node);
    if (!is_one(place)) continue;
    const auto here = model::saturated_sum(static_cast<std::int64_t>(waits_with * real(time.cpu_ns)), time.blocked_ns);
    ns = model::saturated_sum(ns, here);
    places.add(*place, here);
  }
  const double share = share_of_life(evidence, *thread, ns);
  if (share < kActivity || ns < kLeastActivityNs) return {};
  Finding finding;
  finding.rule = kRecomputedPrefixRule.name;
  finding.title = "A model computes its whole input anew for each piece that it adds";
  finding.seen =
      fmt::format("What its layers returned grew from call to call. {} ({} % of the run's time) went by in it.",
                  show::duration(real(ns)), show::percent(share, 1));
  finding.advice =
      "Keep the keys and values of earlier positions, and give the model the new ones alone (use_cache=True and "
      "past_key_values of transformers; of your own layers, what they computed for each position).";
  finding.places = places.top();
  could_save(finding, evidence, share);
  return {finding};
}

}  // namespace
}  // namespace recomputed_prefix

const Rule kRecomputedPrefixRule{"recomputed-prefix", "sequences computed anew for each piece",
                                 recomputed_prefix::cannot, recomputed_prefix::look};

}  // namespace prof::findings
