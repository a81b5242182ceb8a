// What a model computed for many batches is kept at once: each result that is added up brings its whole graph along.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "report/findings/evaluation.hpp"
#include "report/findings/model_call.hpp"
#include "report/findings/places.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/shared/device.hpp"
#include "report/findings/rules/shared/resident_rise.hpp"
#include "report/findings/thresholds.hpp"
#include "report/findings/when.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace kept_graphs {
namespace {

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

// The `for` line of the function through which the node was called, by the text: none where it was called elsewhere.
bool in_loop_of(const Evidence& evidence, symbols::SourceFiles& files, std::uint32_t node, std::uint32_t function) {
  for (; node != 0; node = evidence.lines().nodes()[node].parent) {
    if (evidence.lines().function_id(node) != function) continue;
    const Place place = place_of(evidence.symbols(), evidence.lines().nodes()[node].location);
    const std::string line = files.line(place.file, static_cast<std::uint32_t>(place.line));
    return std::string_view(line).substr(std::min(line.find_first_not_of(' '), line.size())).starts_with("for ");
  }
  return false;
}

// What the loop that called the model was given and still lived at the peak: each batch that a graph was made of. In
// bytes, of lines of the user's own that the loop asks for the next one; at most as much as the model's.
std::int64_t batches_kept(const Evidence& evidence, std::uint32_t caller, const OfCaller& model) {
  const fold::CallTree& lines = evidence.lines();
  const std::uint32_t function = evidence.symbols().location(caller).function;
  symbols::SourceFiles& files = evidence.sources();
  std::map<std::uint32_t, OfCaller> by_line;
  for (std::uint32_t node = 1; node < lines.nodes().size(); ++node) {
    const model::MemoryMetric& heap = lines.self().heap[node];
    const std::uint32_t own = heap.peak_bytes > 0 ? evidence.own_location(node) : 0;
    if (own == 0 || evidence.symbols().location(own).function == function) continue;
    if (below(lines, node, calls_module) || !in_loop_of(evidence, files, node, function)) continue;
    OfCaller& sum = by_line[own];
    sum.bytes = model::saturated_sum(sum.bytes, heap.bytes);
    sum.peak_bytes = model::saturated_sum(sum.peak_bytes, heap.peak_bytes);
    sum.allocations = model::saturated_sum(sum.allocations, heap.allocations());
    ++sum.contexts;
  }
  std::int64_t out = 0;
  for (const auto& [line, sum] : by_line) {
    const bool kept = real(sum.peak_bytes) >= kKeptOfAllocated * real(sum.bytes) && sum.times() >= kKeptTimes;
    if (kept && sum.peak_bytes <= model.peak_bytes) out = model::saturated_sum(out, sum.peak_bytes);
  }
  return std::min(out, model.peak_bytes);
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
      "When memory was fullest, the program still held {} of what the model computes here: {} % of all that it "
      "allocated here in the whole run.",
      show::bytes(real(most->peak_bytes)), show::percent(kept, 1));
  finding.advice =
      "A loss or an output that is added up or put in a list keeps all that it was computed from: take .item() or "
      ".detach() of it, and evaluate under torch.no_grad().";
  finding.places = {place_of(evidence.symbols(), location)};
  symbols::SourceFiles& files = evidence.sources();
  const Place& at = finding.places.front();
  if (at.line > 0 && without_gradients(files.file(at.file).lines, static_cast<std::size_t>(at.line)))
    finding.advice =
        "Gradients are off, so that no graph is kept: a part of a result (out[:, 0]) is a view that keeps the whole, "
        "and .clone() of it does not; whole results take less in another type (.half()) or as what is made of them.";
  // All but what one call needs.
  finding.saves_bytes = whole_number(real(most->peak_bytes) * (1 - 1 / (kept * most->times())));
  if (const std::int64_t batches = batches_kept(evidence, location, *most); batches > 0) {
    finding.seen += fmt::format(" With the batches that it was computed from: {} more.", show::bytes(real(batches)));
    finding.saves_bytes = model::saturated_sum(finding.saves_bytes, batches);
  }
  finding.when = at_heap_peak(evidence);
  const std::optional<ThreadOf> program = program_thread(evidence);
  const double rise = program ? resident_rise(evidence.run().processes[program->process], finding.saves_bytes) : 1;
  if (rise > 1) {
    finding.saves_bytes = whole_number(rise * real(finding.saves_bytes));
    finding.seen += fmt::format(
        " It cost more than that, {} of RSS: freed memory lies between the blocks that are kept, in pieces too small "
        "to be used again.",
        show::bytes(real(finding.saves_bytes)));
  }
  return {finding};
}

}  // namespace
}  // namespace kept_graphs

const Rule kKeptGraphsRule{"kept-graphs", "graphs of many batches that are kept", kept_graphs::cannot,
                           kept_graphs::look};

}  // namespace prof::findings
