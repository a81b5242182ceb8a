#include <algorithm>
#include <map>
#include <utility>

#include "report/fold/gpu/gpu.hpp"

namespace prof::fold {
namespace {

struct Devices {
  struct Entry {
    DeviceRow row;
    std::uint64_t first = UINT64_MAX, last = 0;  // CLOCK_MONOTONIC
  };
  // By the driver's id, and by index where that is not known.
  std::map<std::pair<std::string, std::uint32_t>, Entry> by_id;

  Entry& entry(const model::Process& process, std::uint32_t index) {
    const auto found = std::find_if(process.devices.begin(), process.devices.end(),
                                    [index](const model::Device& device) { return device.index == index; });
    const bool told = found != process.devices.end() && !found->uuid.empty();
    const auto [at, is_new] = by_id.try_emplace(told ? std::pair(found->uuid, 0U) : std::pair(std::string(), index));
    if (is_new) {
      at->second.row.device.index = index;
      if (found != process.devices.end()) at->second.row.device = levels_of_none(*found);
    }
    return at->second;
  }

  static model::Device levels_of_none(model::Device device) {
    device.segments_live = device.segments_peak = device.tensors_live = device.tensors_peak = 0;
    device.reserved_live = device.reserved_peak = 0;
    return device;
  }
};

void add_levels(model::Device& to, const model::Device& from) {
  to.segments_live = model::saturated_sum(to.segments_live, from.segments_live);
  to.tensors_live = model::saturated_sum(to.tensors_live, from.tensors_live);
  to.reserved_live = model::saturated_sum(to.reserved_live, from.reserved_live);
  to.segments_peak = std::max(to.segments_peak, from.segments_peak);
  to.tensors_peak = std::max(to.tensors_peak, from.tensors_peak);
  to.reserved_peak = std::max(to.reserved_peak, from.reserved_peak);
}

void add_series(DeviceRow& to, const model::DeviceSeries& series) {
  for (const model::DevicePoint& point : series.points) {
    if (point.used_bytes == 0) continue;
    to.used_peak_bytes = std::max(to.used_peak_bytes.value_or(0), point.used_bytes);
    const auto beyond = [&](std::int64_t own) {
      return std::max<std::int64_t>(0, model::saturated_difference(model::to_signed(point.used_bytes), own));
    };
    const std::int64_t others = beyond(point.segments_live);
    to.others_peak_bytes = std::max(to.others_peak_bytes.value_or(0), others);
    if (!point.own_bytes) continue;
    const std::int64_t foreign = beyond(std::max(point.segments_live, model::to_signed(*point.own_bytes)));
    to.foreign_peak_bytes = std::max(to.foreign_peak_bytes.value_or(0), foreign);
  }
}

}  // namespace

std::vector<DeviceRow> devices(const model::Run& run, const Selection& selection) {
  Devices all;
  for (const model::Process& process : run.processes) {
    if (!selection.includes(process)) continue;
    for (const model::Device& device : process.devices) {
      Devices::Entry& to = all.entry(process, device.index);
      ++to.row.processes;
      add_levels(to.row.device, device);
      if (device.first_monotonic_ns == 0) continue;
      ++to.row.at_work;
      to.first = std::min(to.first, device.first_monotonic_ns);
      to.last = std::max(to.last, device.last_monotonic_ns);
      to.row.busy_ns = model::saturated_sum(to.row.busy_ns, model::to_signed(device.busy_ns));
    }
    for (const model::DeviceSeries& series : process.device_series) {
      add_series(all.entry(process, series.device).row, series);
    }
    for (const auto& row : process.tree.device) {
      const model::Frame& frame = process.tree.frames[process.tree.nodes[row.node].frame];
      if (frame.kind != model::Frame::Kind::Named || frame.name == model::kNoName) continue;
      DeviceRow& to = all.entry(process, frame.number).row;
      (process.names[frame.name].kind == log::NameKind::Kernel ? to.kernels : to.copies) += row.metric;
    }
  }
  std::vector<DeviceRow> out;
  for (auto& [id, entry] : all.by_id) {
    if (entry.first < entry.last) entry.row.span_ns = model::to_signed(entry.last - entry.first);
    out.push_back(std::move(entry.row));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const DeviceRow& a, const DeviceRow& b) { return a.device.index < b.device.index; });
  return out;
}

}  // namespace prof::fold
