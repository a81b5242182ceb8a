// What a model computed for many batches is kept at once: each result that is added up brings its whole graph along.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "report/findings/places.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/device.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/function_match.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace {

bool calls_module(const symbols::Function& function) {
  static constexpr fold::FunctionAt kCalls[] = {{"/torch/nn/modules/module.py", ""}};
  return fold::is_any(function, kCalls);
}

// What models allocated that were called from one line of the user's own.
struct OfCaller {
  std::int64_t bytes = 0, peak_bytes = 0, allocations = 0;
  std::int64_t contexts = 0;
  // How often each context was there, on average.
  double times() const { return contexts > 0 ? real(allocations) / real(contexts) : 0; }
};

std::map<std::uint32_t, OfCaller> by_caller(const Evidence& evidence) {
  const fold::CallTree& lines = evidence.lines();
  const auto& nodes = lines.nodes();
  // By node, the location of the own line that called the outermost module on the way to it.
  std::vector<std::uint32_t> caller(nodes.size()), own(nodes.size());
  const std::vector<bool> device = in_device_libraries(lines);
  std::map<std::uint32_t, OfCaller> out;
  for (std::uint32_t node = 1; node < nodes.size(); ++node) {
    const std::uint32_t parent = nodes[node].parent;
    own[node] = evidence.own().function(lines.function_id(node)) ? nodes[node].location : own[parent];
    caller[node] = caller[parent] != 0 ? caller[parent] : calls_module(lines.function(node)) ? own[parent] : 0;
    const model::MemoryMetric& heap = lines.self().heap[node];
    if (caller[node] == 0 || device[node] || heap.empty()) continue;
    OfCaller& sum = out[caller[node]];
    sum.bytes = model::saturated_sum(sum.bytes, heap.bytes);
    sum.peak_bytes = model::saturated_sum(sum.peak_bytes, heap.peak_bytes);
    sum.allocations = model::saturated_sum(sum.allocations, heap.allocations());
    ++sum.contexts;
  }
  return out;
}

const char* cannot(const Evidence& evidence) {
  if (const char* why = no_python_frames(evidence)) return why;
  return evidence.lines().live_known() ? nullptr : "what lived at the peak is not known of single threads";
}

std::vector<Finding> look(const Evidence& evidence) {
  const std::int64_t all = evidence.lines().total().heap.peak_bytes;
  const OfCaller* most = nullptr;
  std::uint32_t location = 0;
  const std::map<std::uint32_t, OfCaller> callers = by_caller(evidence);
  for (const auto& [at, one] : callers) {
    if (most != nullptr && one.peak_bytes <= most->peak_bytes) continue;
    most = &one;
    location = at;
  }
  if (most == nullptr || most->bytes <= 0) return {};
  const double kept = real(most->peak_bytes) / real(most->bytes);
  if (most->peak_bytes < kKeptGraphs || real(most->peak_bytes) < kKeptOfPeak * real(all)) return {};
  if (kept < kKeptOfAllocated || most->times() < kKeptTimes) return {};
  Finding finding;
  finding.rule = kKeptGraphsRule.name;
  finding.title = "What the model computed for many batches is kept at once";
  finding.seen = fmt::format(
      "Of what the model allocated when it was called here, {} lived at the peak: {} % of all that it ever allocated.",
      show::bytes(real(most->peak_bytes)), show::percent(kept, 1));
  finding.advice =
      "A loss or an output that is added up or put in a list keeps all that it was computed from: take .item() or "
      ".detach() of it, and evaluate under torch.no_grad().";
  finding.places = {place_of(evidence.symbols(), location)};
  // All but what one call needs.
  finding.saves_bytes = static_cast<std::int64_t>(real(most->peak_bytes) * (1 - 1 / (kept * most->times())));
  return {finding};
}

}  // namespace

const Rule kKeptGraphsRule{"kept-graphs", "graphs of many batches that are kept", cannot, look};

}  // namespace prof::findings
