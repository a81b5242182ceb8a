// Kernels are over before the host has launched the next one.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>
#include <vector>

#include "report/findings/places.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/device.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/gpu/gpu.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace {

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
  const model::IdleMetric& idle = tree.total().gpu.get().idle;
  const std::int64_t host_ns =
      model::saturated_sum(idle.launching_ns, model::saturated_sum(idle.python_ns, idle.native_ns));
  const DeviceTime device = device_time(evidence);
  if (device.span_ns <= 0 || real(host_ns) < kLaunchBound * real(device.span_ns)) return {};

  Finding finding;
  finding.rule = kLaunchBoundRule.name;
  finding.title = "The host cannot launch its tiny kernels fast enough";
  std::vector<std::string> parts;
  for (const auto& [ns, words] : {std::pair(idle.launching_ns, "launched"), std::pair(idle.python_ns, "ran Python"),
                                  std::pair(idle.native_ns, "ran other code")}) {
    if (ns > 0) parts.push_back(fmt::format("{} ({})", words, show::duration(real(ns))));
  }
  finding.seen = fmt::format(
      "{} took {} each on average, less than it takes to launch one; the device idled {} ({} % of its time) while the "
      "host {}.",
      show::counted(kernels.count, "kernel", "kernels"), show::duration(mean), show::duration(real(host_ns)),
      show::percent(real(host_ns), real(device.span_ns)), fmt::join(parts, ", "));
  finding.advice =
      "Give each kernel more to do (a larger batch, one operation on a whole tensor in place of a loop, foreach or "
      "fused "
      "optimizers), or launch many at once (torch.compile with mode=\"reduce-overhead\", CUDA graphs).";
  finding.places =
      top_places(by_place<model::DeviceMetric>(evidence,
                                               [&](std::uint32_t node) -> std::optional<model::DeviceMetric> {
                                                 const auto& work = tree.self().gpu[node].work;
                                                 const bool kernel = work.count > 0 && work.bytes == 0;
                                                 return kernel ? std::optional(work) : std::nullopt;
                                               }),
                 [](const model::DeviceMetric& work) { return work.count; });
  could_save(finding, evidence,
             share_of_idle(evidence, host_ns, model::saturated_difference(device.span_ns, device.idle_ns)));
  return {finding};
}

}  // namespace

const Rule kLaunchBoundRule{"launch-bound", "kernels too small for their launch", no_device_times, look};

}  // namespace prof::findings
