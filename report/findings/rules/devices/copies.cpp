// Copies between host and device that could be faster, or fewer.
#include <fmt/format.h>

#include <algorithm>

#include "report/findings/places.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/shared/device.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace copies {
namespace {

template <typename Figures>
Figures sum_of(const std::vector<AtPlace<Figures>>& places) {
  Figures all;
  for (const AtPlace<Figures>& place : places) all += place.figures;
  return all;
}

std::vector<AtPlace<model::DeviceMetric>> pageable(const Evidence& evidence) {
  const fold::CallTree& tree = evidence.lines();
  const std::string to_device = symbols::copy_label({log::NameKind::Copy, "HtoD", "pageable"});
  const std::string to_host = symbols::copy_label({log::NameKind::Copy, "DtoH", "pageable"});
  return by_place<model::DeviceMetric>(evidence, [&](std::uint32_t node) -> std::optional<model::DeviceMetric> {
    const model::DeviceMetric& work = tree.self().gpu[node].work;
    if (work.count <= 0 || work.bytes / work.count < kStagedBytes) return std::nullopt;
    if (below(tree, node, moves_model)) return std::nullopt;
    const std::string& name = tree.function(node).name;
    return name == to_device || name == to_host ? std::optional(work) : std::nullopt;
  });
}

std::vector<Finding> look_for_pageable(const Evidence& evidence) {
  auto places = pageable(evidence);
  // What is copied more rarely is no batch: data and parameters on their way to the device before the steps, results.
  const double enough = kEachStep * real(evidence.step_count());
  std::erase_if(places, [&](const auto& place) { return real(place.figures.count) < enough; });
  const auto all = sum_of(places);
  const double share = evidence.share(all.ns);
  if (share < kWorthALine) return {};
  Finding finding;
  finding.rule = kPageableCopiesRule.name;
  finding.title = "Copies from and to pageable memory";
  finding.seen = fmt::format(
      "{} of {} on average between a device and memory that is not pinned took {}, at {:.1f} GB/s; the host waits for "
      "them, and no kernel of their stream runs meanwhile.",
      show::counted(all.count, "copy", "copies"), show::bytes(real(all.bytes) / real(all.count)),
      show::duration(real(all.ns)), all.ns > 0 ? real(all.bytes) / real(all.ns) : 0);
  finding.advice =
      "Pin the memory (DataLoader: pin_memory=True; a buffer of one's own: pin_memory(), cudaMallocHost) and copy with "
      "non_blocking=True, so that the copy runs beside kernels.";
  finding.places = top_places(places, [](const model::DeviceMetric& its) { return its.ns; });
  could_save(finding, evidence, share);
  return {finding};
}

// A value that is fetched is told of as a synchronisation: that it is small is not what costs.
bool fetches_value(const symbols::Function& function) {
  return function.name.find("_local_scalar_dense") != std::string::npos;
}

std::vector<AtPlace<model::ApiMetric>> tiny(const Evidence& evidence) {
  const fold::CallTree& tree = evidence.lines();
  return by_place<model::ApiMetric>(evidence, [&](std::uint32_t node) -> std::optional<model::ApiMetric> {
    const model::ApiMetric& calls = calls_at(tree, node);
    // Of calls that were seen by CUPTI alone it is not known what they copy.
    if (calls.calls <= 0 || calls.bytes <= 0 || !is_call(tree, node, "Memcpy")) return std::nullopt;
    if (calls.bytes / calls.calls >= kStagedBytes || below(tree, node, fetches_value)) return std::nullopt;
    if (below(tree, node, moves_model)) return std::nullopt;
    return calls;
  });
}

std::vector<Finding> look_for_tiny(const Evidence& evidence) {
  const auto places = tiny(evidence);
  const auto all = sum_of(places);
  const double share = evidence.share(all.ns);
  if (share < kWorthALine) return {};
  const std::int64_t steps = evidence.step_count();
  const double each = steps > 0 ? real(all.calls) / real(steps) : real(all.calls);
  if (each < (steps > 0 ? kManyCopiesPerStep : kManyCopies)) return {};
  Finding finding;
  finding.rule = kTinyCopiesRule.name;
  finding.title = "Many tiny copies";
  finding.seen =
      fmt::format("{}{} of {} on average took the host {}, {} each: what they move is next to nothing.",
                  show::counted(all.calls, "copy", "copies"), steps > 0 ? fmt::format(" ({:.0f} in a step)", each) : "",
                  show::bytes(real(all.bytes) / real(all.calls)), show::duration(real(all.ns)),
                  show::duration(real(all.ns) / real(all.calls)));
  finding.advice =
      "Gather the values on one side and copy them at once (torch.stack, one structure), or make them where they are "
      "used (device=... of the factory functions).";
  finding.places = top_places(places, [](const model::ApiMetric& its) { return its.calls; });
  could_save(finding, evidence, share);
  return {finding};
}

}  // namespace
}  // namespace copies

const Rule kPageableCopiesRule{"pageable-copies", "copies from and to memory that is not pinned", no_device_times,
                               copies::look_for_pageable};
const Rule kTinyCopiesRule{"tiny-copies", "many tiny copies", no_cuda, copies::look_for_tiny};

}  // namespace prof::findings
