// Device memory goes back to the driver and is asked for again, step after step.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "report/findings/places.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/shared/device.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace driver_allocations {
namespace {

struct Calls {
  model::ApiMetric allocations, frees;
  std::int64_t ns() const { return model::saturated_sum(allocations.ns, frees.ns); }
  Calls& operator+=(const Calls& other) {
    allocations += other.allocations;
    frees += other.frees;
    return *this;
  }
};

// Those of pools, whose names end in Async, do not ask the driver each time.
bool calls_one_of(const symbols::Function& function, std::span<const std::string_view> names) {
  return function.language == symbols::Language::Api && is_one_of(function.name, names);
}

constexpr std::array<std::string_view, 10> kAllocations{
    "cudaMalloc",    "cudaMallocManaged", "cudaMallocPitch", "cudaMallocHost", "cudaHostAlloc",
    "cuMemAlloc_v2", "cuMemAllocManaged", "cuMemCreate",     "cuMemHostAlloc", "cuMemAllocHost_v2"};
constexpr std::array<std::string_view, 5> kFrees{"cudaFree", "cudaFreeHost", "cuMemFree_v2", "cuMemFreeHost",
                                                 "cuMemRelease"};

std::vector<AtPlace<Calls>> calls_of(const Evidence& evidence) {
  const fold::CallTree& tree = evidence.lines();
  return by_place<Calls>(evidence, [&](std::uint32_t node) -> std::optional<Calls> {
    const model::ApiMetric& calls = calls_at(tree, node);
    if (calls.empty()) return std::nullopt;
    if (calls_one_of(tree.function(node), kAllocations)) return Calls{calls, {}};
    if (calls_one_of(tree.function(node), kFrees)) return Calls{{}, calls};
    return std::nullopt;
  });
}

std::vector<Finding> look(const Evidence& evidence) {
  const std::vector<AtPlace<Calls>> places = calls_of(evidence);
  Calls all;
  for (const AtPlace<Calls>& place : places) all += place.figures;
  const double share = evidence.share(all.ns());
  if (share < kWorthALine) return {};
  const std::int64_t steps = evidence.step_count();
  const auto frees = static_cast<double>(all.frees.calls);
  // The first steps find out how much is needed, and allocate: what is never given back was needed.
  const double enough = std::max(kDriverFrees, steps > 0 ? kDriverFreesPerStep * static_cast<double>(steps) : 0);
  if (frees < enough) return {};
  Finding finding;
  finding.rule = kDriverAllocationsRule.name;
  finding.title = "Device memory is taken from the driver and given back over and over";
  finding.seen =
      fmt::format("{} and {} of the driver's{} took {}; freeing waits until the device has nothing to do.",
                  show::counted(all.allocations.calls, "allocation", "allocations"),
                  show::counted(all.frees.calls, "free", "frees"),
                  steps > 0 ? fmt::format(", {:.1f} frees in a step,", frees / static_cast<double>(steps)) : "",
                  show::duration(static_cast<double>(all.ns())));
  finding.advice =
      "Keep buffers for the next step. With PyTorch: leave out torch.cuda.empty_cache(); where memory is so short that "
      "the cache is emptied by itself, use a smaller batch or PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True; where "
      "sizes differ in each step, pad them to a few.";
  finding.places = top_places(places, [](const Calls& its) { return its.ns(); });
  could_save(finding, evidence, share);
  return {finding};
}

}  // namespace
}  // namespace driver_allocations

const Rule kDriverAllocationsRule{"driver-allocations", "allocations from the driver in the steady state", no_cuda,
                                  driver_allocations::look};

}  // namespace prof::findings
