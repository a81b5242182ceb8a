// A model is asked for a few numbers at a time, so that most of the time is what each operator costs.
#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "report/findings/model_call.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/function_match.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace small_tensors {
namespace {

constexpr std::size_t kMostPlaces = 3;

struct Products {
  std::int64_t calls = 0, ns = 0;
  std::int64_t short_ns = 0, all_ns = 0;  // in operators that are short on average, and in all
  bool on_device = false;
  double mean_ns() const { return calls > 0 ? static_cast<double>(ns) / static_cast<double>(calls) : 0; }
  double in_short() const { return all_ns > 0 ? static_cast<double>(short_ns) / static_cast<double>(all_ns) : 0; }
};

Products products(const Evidence& evidence) {
  Products out;
  for (const fold::OperatorRow& row : evidence.operators().rows) {
    out.on_device |= row.gpu_ns > 0;
    if (row.kind != "scope" && row.calls > 0) {
      out.all_ns = model::saturated_sum(out.all_ns, row.self_ns);
      const double mean = static_cast<double>(row.self_ns) / static_cast<double>(row.calls);
      if (mean <= kTinyOperatorNs) out.short_ns = model::saturated_sum(out.short_ns, row.self_ns);
    }
    // Other operators may be short whatever the size of their input: views, checks.
    if (row.kind != "forward" || !is_product(row.name)) continue;
    out.calls = model::saturated_sum(out.calls, row.calls);
    out.ns = model::saturated_sum(out.ns, row.each_ns);
  }
  return out;
}

// Files and functions of those that call backward().
using Functions = std::set<std::pair<std::string, std::string>>;

std::pair<std::string, std::string> function_of(const Place& place) { return {place.file, place.function}; }

Functions training(const Evidence& evidence) {
  static constexpr fold::FunctionAt kBackward[] = {{"/torch/_tensor.py", "backward"}, {"/torch/tensor.py", "backward"}};
  Functions out;
  for (const std::uint32_t node : evidence.timed()) {
    if (!below(evidence.lines(), node, [](const symbols::Function& f) { return fold::is_any(f, kBackward); })) continue;
    if (const auto place = model_call(evidence, node)) out.insert(function_of(*place));
  }
  return out;
}

// The time in the model, and in the lines that call it with what Python does around its operators; of those that train
// and those that do not the ones with more of it. A loop over single samples beside the training is what can be
// changed.
CpuAt time_of_calls(const Evidence& evidence, TimeByPlace& callers) {
  const Functions trains = training(evidence);
  const auto time = [&](const auto& counts) {
    TimeByPlace calls(evidence);
    for (const std::uint32_t node : evidence.timed()) {
      if (!in_pytorch(evidence, node)) continue;
      const auto place = model_call(evidence, node);
      if (place && counts(*place)) calls.add(*place, evidence.lines().self().cpu[node].ns);
    }
    CpuAt cpu = cpu_at(evidence, [&](std::uint32_t node) {
      const std::optional<Place> place = model_call(evidence, node);
      return place && calls.at(*place) > 0;
    });
    return std::pair(std::move(cpu), std::move(calls));
  };
  auto [others, by_others] = time([&](const Place& place) { return !trains.contains(function_of(place)); });
  auto [all, by_all] = time([](const Place&) { return true; });
  const bool most = !trains.empty() && others.ns >= all.ns / 2;
  callers = std::move(most ? by_others : by_all);
  return most ? others : all;
}

const char* cannot(const Evidence& evidence) {
  if (const char* why = no_python_frames(evidence)) return why;
  return evidence.operators().rows.empty() ? "no operators of PyTorch were seen" : nullptr;
}

std::vector<Finding> look(const Evidence& evidence) {
  const Products all = products(evidence);
  if (all.on_device || all.calls < kManyProducts || all.mean_ns() > kSmallProductNs) return {};
  if (all.in_short() < kMostlyTiny) return {};
  TimeByPlace callers(evidence);
  const CpuAt cpu = time_of_calls(evidence, callers);
  if (cpu.share() < kActivity || cpu.ns < kLeastActivityNs) return {};
  Finding finding;
  finding.rule = kSmallTensorsRule.name;
  finding.title = "PyTorch is called for a few numbers at a time";
  finding.seen = fmt::format(
      "{} products of matrices took {} each: hardly more than a call costs. {} of CPU time{} went by in it, {} % of "
      "all.",
      show::grouped(all.calls), show::duration(all.mean_ns()), show::duration(static_cast<double>(cpu.ns)),
      stretched_words(evidence, cpu.ns), show::percent(cpu.share(), 1));
  finding.advice =
      "Give the model many rows in one call: a batch of samples (torch.stack, batch_size=) in place of one after the "
      "other. Where there is only one at a time: torch.jit.script, torch.compile or numpy.";
  finding.places = callers.top();
  // And where the time is claimed that goes by in the model's own lines.
  for (const Place& place : cpu.places) {
    if (finding.places.size() < kMostPlaces) finding.places.push_back(place);
  }
  could_save_of_steps(finding, evidence, cpu);
  return {finding};
}

}  // namespace
}  // namespace small_tensors

const Rule kSmallTensorsRule{"small-tensors", "calls of PyTorch for a few numbers", small_tensors::cannot,
                             small_tensors::look};

}  // namespace prof::findings
