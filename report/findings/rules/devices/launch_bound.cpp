// Kernels are over before the host has launched the next one.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/findings/places.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/shared/device.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/gpu/gpu.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace launch_bound {
namespace {

// What recording took of the host's time between launches.
std::int64_t recording_launches_ns(const Evidence& evidence) {
  const fold::CallTree& tree = evidence.lines();
  std::int64_t launches = 0, operators = 0;
  for (std::uint32_t node = 1; node < tree.nodes().size(); ++node) {
    if (is_call(tree, node, "Launch")) launches = model::saturated_sum(launches, calls_at(tree, node).calls);
  }
  for (const fold::OperatorRow& row : evidence.operators().rows) operators = model::saturated_sum(operators, row.calls);
  const double ns = kLaunchRecordedNs * real(launches) + kOperatorRecordedNs * real(operators);
  return whole_number(ns);
}

std::vector<Finding> look(const Evidence& evidence) {
  const fold::CallTree& tree = evidence.lines();
  model::DeviceMetric kernels;
  for (const fold::WorkRow& row :
       fold::device_work(evidence.run(), tree, evidence.selection(), fold::WorkKind::Kernels)) {
    kernels += row.work;
  }
  if (kernels.count < kManyKernels || kernels.timed() <= 0) return {};
  const double mean = real(kernels.ns) / real(kernels.timed());
  if (mean > kTinyKernelNs) return {};
  const std::map<std::uint32_t, model::IdleMetric> gaps = gaps_between_launches(evidence);
  const model::IdleMetric idle = fold::sum_of(gaps);
  const DeviceTime device = device_time(evidence);
  const std::int64_t all_ns = std::min(host_ns(idle), device.idle_ns);
  const std::int64_t recording_ns = std::min(recording_launches_ns(evidence), all_ns);
  const std::int64_t its_ns = all_ns - recording_ns;
  if (device.span_ns <= 0 || real(its_ns) < kLaunchBound * real(device.span_ns)) return {};
  const double share = share_of_idle(evidence, its_ns, device);
  if (share < kWorthALine) return {};

  Finding finding;
  finding.rule = kLaunchBoundRule.name;
  finding.title = "The host cannot launch its tiny kernels fast enough";
  std::vector<std::string> parts;
  for (const auto& [ns, words] : {std::pair(idle.launching_ns, "launched"), std::pair(idle.python_ns, "ran Python"),
                                  std::pair(idle.native_ns, "ran other code")}) {
    if (ns > 0) parts.push_back(fmt::format("{} ({})", words, show::duration(real(ns))));
  }
  finding.seen = fmt::format(
      "{} took {} each on average, less than it takes to launch one; the device idled {} ({} % of {}) between one and "
      "the next while the host {}.",
      show::counted(kernels.count, "kernel", "kernels"), show::duration(mean), show::duration(real(all_ns)),
      show::percent(real(all_ns), real(device.span_ns)), device.words(), fmt::join(parts, ", "));
  const auto places =
      by_place<model::IdleMetric>(evidence, [&](std::uint32_t node) -> std::optional<model::IdleMetric> {
        const auto found = gaps.find(node);
        return found != gaps.end() ? std::optional(found->second) : std::nullopt;
      });
  finding.places = top_places(places, host_ns);
  put_backward_last(evidence, finding.places, [&](const Place& place) {
    const auto its = std::find_if(places.begin(), places.end(), [&](const auto& at) { return at.place == place; });
    return its != places.end() ? host_ns(its->figures) : 0;
  });
  if (!finding.places.empty()) {
    std::int64_t first_ns = 0;
    for (const auto& place : places) {
      if (place.place && *place.place == finding.places.front()) first_ns = host_ns(place.figures);
    }
    finding.seen += fmt::format(" {} % of that was before launches of the line named first.",
                                show::percent(real(first_ns), real(host_ns(idle))));
  }
  if (real(recording_ns) >= kWorthSaying * real(all_ns)) {
    finding.seen += fmt::format(" Recording each launch and operator took about {} of it, which is left out.",
                                show::duration(real(recording_ns)));
  }
  finding.advice =
      "Give each kernel more to do (a larger batch, one operation on a whole tensor in place of a loop, foreach or "
      "fused "
      "optimizers), or launch many at once (torch.compile with mode=\"reduce-overhead\", CUDA graphs).";
  could_save(finding, evidence, share);
  return {finding};
}

}  // namespace
}  // namespace launch_bound

const Rule kLaunchBoundRule{"launch-bound", "kernels too small for their launch", no_device_times, launch_bound::look};

}  // namespace prof::findings
