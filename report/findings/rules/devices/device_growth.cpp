// Device memory that grows from step to step: tensors of each step that somebody keeps.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "report/findings/places.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/shared/device.hpp"
#include "report/findings/thresholds.hpp"
#include "report/findings/when.hpp"
#include "report/fold/function_match.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace device_growth {
namespace {

// What is made once and meant to stay: parameters on their way to the device, the state of optimizers.
bool makes_what_stays(const symbols::Function& function) {
  static constexpr fold::FunctionAt kState[] = {{"/torch/optim/", ""}};
  return moves_model(function) || fold::is_any(function, kState);
}

bool calls_model(const symbols::Function& function) {
  static constexpr fold::FunctionAt kCalls[] = {{"/torch/nn/modules/module.py", "_call_impl"},
                                                {"/torch/nn/modules/module.py", "_wrapped_call_impl"}};
  return fold::is_any(function, kCalls);
}

// How the level of a process's tensors rose over the steady state of its steps.
struct Rise {
  std::int64_t bytes = 0;
  bool followed = false;  // from one part of the steps to the next; else from before them to after them
};

Rise rise_over(const model::DeviceSeries& series, std::uint64_t begin, std::uint64_t end) {
  std::vector<std::int64_t> inside;
  std::optional<std::int64_t> before, after;
  for (const model::DevicePoint& point : series.points) {
    if (point.begin_monotonic_ns >= begin && point.end_monotonic_ns <= end) inside.push_back(point.tensors_live);
    if (point.begin_monotonic_ns <= begin) before = point.tensors_live;
    if (point.begin_monotonic_ns <= end && point.end_monotonic_ns > begin)
      after = std::max(after.value_or(0), point.tensors_live);
  }
  if (inside.size() < kFollowedPoints) return {before && after ? *after - *before : 0, false};
  // What a step needs comes and goes; what stays is in the lowest of many levels.
  const auto third = static_cast<std::ptrdiff_t>(inside.size() / 3);
  const auto lowest = [](auto from, auto to) { return *std::min_element(from, to); };
  const std::int64_t first = lowest(inside.begin(), inside.begin() + third);
  const std::int64_t second = lowest(inside.begin() + third, inside.end() - third);
  const std::int64_t last = lowest(inside.end() - third, inside.end());
  const std::int64_t all = model::saturated_difference(last, first);
  const bool still = real(model::saturated_difference(last, second)) >= kStillGrows * real(all);
  return {still ? all : 0, true};
}

// Of the process with the most steps, on all devices on which it rose.
Rise rise_of(const Evidence& evidence) {
  const fold::StepTable& table = evidence.steps().front();
  const Span steady = steady_span(table);
  Rise out;
  for (const model::DeviceSeries& series : evidence.run().processes[table.process].device_series) {
    const Rise rise = rise_over(series, steady.begin_monotonic_ns, steady.end_monotonic_ns);
    if (rise.bytes <= 0) continue;
    out.bytes = model::saturated_sum(out.bytes, rise.bytes);
    out.followed |= rise.followed;
  }
  return out;
}

// Tensors that each step allocates, and of which those of many steps lived at the peak.
std::vector<AtPlace<model::MemoryMetric>> kept(const Evidence& evidence, bool followed) {
  const fold::CallTree& tree = evidence.lines();
  const double steps = real(evidence.steps().front().count), all_steps = real(evidence.step_count());
  return by_place<model::MemoryMetric>(evidence, [&](std::uint32_t node) -> std::optional<model::MemoryMetric> {
    const model::MemoryMetric& its = tree.self().gpu[node].tensors;
    if (its.peak_bytes <= 0 || real(its.allocations()) < kEachStep * all_steps) return std::nullopt;
    // Those of several processes are added up, here and there.
    if (real(its.peak_bytes) * steps < kStepsKept * real(its.bytes)) return std::nullopt;
    if (below(tree, node, makes_what_stays)) return std::nullopt;
    // Batches that were all made before the steps look the same, as long as nobody knows when.
    if (!followed && !below(tree, node, calls_model)) return std::nullopt;
    return its;
  });
}

const char* cannot(const Evidence& evidence) {
  if (const char* why = no_cuda(evidence)) return why;
  if (!evidence.has_steps()) return "no steps were seen";
  const bool known = std::any_of(evidence.run().processes.begin(), evidence.run().processes.end(),
                                 [](const model::Process& process) { return !process.device_series.empty(); });
  if (!known || evidence.lines().total().gpu.get().tensors.empty()) return "no allocator reported its tensors";
  return nullptr;
}

std::vector<Finding> look(const Evidence& evidence) {
  const std::int64_t steps = evidence.steps().front().count;
  if (real(steps) < 2 * kStepsKept) return {};
  const Rise rise = rise_of(evidence);
  if (rise.bytes < kDeviceGrowth) return {};
  const std::vector<AtPlace<model::MemoryMetric>> places = kept(evidence, rise.followed);
  model::MemoryMetric all;
  for (const AtPlace<model::MemoryMetric>& place : places) all += place.figures;
  const std::int64_t peak = evidence.lines().total().gpu.get().tensors.peak_bytes;
  if (all.peak_bytes < kDeviceGrowth || real(all.peak_bytes) < kGrownOfPeak * real(peak)) return {};
  if (real(rise.bytes) < kGrowthSeen * real(all.peak_bytes) / real(std::max<std::size_t>(1, evidence.steps().size())))
    return {};
  Finding finding;
  finding.rule = kDeviceGrowthRule.name;
  finding.title = "Tensors of each step stay in device memory";
  const double each = real(all.peak_bytes) / real(evidence.step_count());
  finding.seen =
      fmt::format("Of what each of {} allocates there, {} stays on average: {} lived at the peak, {} % of all tensors.",
                  show::counted(steps, "step", "steps"), show::bytes(each), show::bytes(real(all.peak_bytes)),
                  show::percent(real(all.peak_bytes), real(peak)));
  finding.advice =
      "Look for what keeps them: a loss or an output that is put in a list or added up keeps all that it was computed "
      "from, so keep its detach() or item(); evaluate under torch.no_grad(); clear lists, or move what is to stay to "
      "the host.";
  finding.places = top_places(places, [](const model::MemoryMetric& its) { return its.peak_bytes; });
  finding.saves_bytes = model::saturated_difference(all.peak_bytes, whole_number(each));
  finding.when = {steady_span(evidence.steps().front())};
  return {finding};
}

}  // namespace
}  // namespace device_growth

const Rule kDeviceGrowthRule{"device-memory-grows", "device memory that grows from step to step", device_growth::cannot,
                             device_growth::look};

}  // namespace prof::findings
