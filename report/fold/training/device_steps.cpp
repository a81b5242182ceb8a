#include "report/fold/training/device_steps.hpp"

#include <algorithm>

#include "report/model/text.hpp"

namespace prof::fold {
namespace {

// The device as a process had it; null: it did no work for that process.
const model::Device* worked_for(const model::Process& process, const model::Device& device) {
  const auto found = std::find_if(process.devices.begin(), process.devices.end(), [&](const model::Device& its) {
    return its.uuid == device.uuid && (!its.uuid.empty() || its.index == device.index);
  });
  return found != process.devices.end() && found->first_monotonic_ns > 0 ? &*found : nullptr;
}

std::int64_t overlap_ns(const StepTable& table, const model::Device& device) {
  std::int64_t out = 0;
  for (const model::Step& step : table.steps->records) {
    if (step.first <= table.warmup) continue;
    const std::uint64_t begin = std::max(step.begin_monotonic_ns, device.first_monotonic_ns);
    const std::uint64_t end = std::min(step.end_monotonic_ns, device.last_monotonic_ns);
    if (begin < end) out = model::saturated_sum(out, model::to_signed(end - begin));
  }
  return out;
}

}  // namespace

std::vector<DeviceInSteps> devices_in_steps(const model::Run& run, const Selection& selection) {
  const std::vector<StepTable> tables = step_tables(run, selection);
  std::vector<DeviceInSteps> out;
  for (DeviceRow& row : devices(run, selection)) {
    DeviceInSteps its{.row = std::move(row)};
    for (const StepTable& table : tables) {
      const model::Device* device = worked_for(run.processes[table.process], its.row.device);
      if (device == nullptr || table.count <= 0) continue;
      const std::int64_t steps_ns = overlap_ns(table, *device);
      const double steady = static_cast<double>(table.steady) / static_cast<double>(table.count);
      const double busy = steady * static_cast<double>(device->busy_ns);
      its.steps_ns = model::saturated_sum(its.steps_ns, steps_ns);
      its.busy_ns = model::saturated_sum(its.busy_ns, std::clamp<std::int64_t>(whole_number(busy), 0, steps_ns));
    }
    out.push_back(std::move(its));
  }
  return out;
}

StepLimits step_limits(const model::Run& run, const Selection& selection) {
  // A loop may go without a first or a last gap.
  constexpr double kEach = 0.9;
  StepLimits out;
  std::int64_t longest = 0, steps = 0, all = 0;
  for (const StepTable& table : step_tables(run, selection)) {
    longest = std::max(longest, table.longest_ns);
    steps = model::saturated_sum(steps, table.steady);
  }
  for (const DeviceInSteps& device : devices_in_steps(run, selection)) all = model::saturated_sum(all, device.steps_ns);
  if (longest <= 0 || all <= 0) return out;
  out.longest_ns = longest;
  out.all_ns = all;
  out.each = whole_number(kEach * static_cast<double>(steps));
  return out;
}

}  // namespace prof::fold
