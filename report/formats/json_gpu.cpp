#include "report/formats/json_gpu.hpp"

#include <algorithm>

#include "report/fold/gpu/flops.hpp"
#include "report/fold/gpu/gpu.hpp"
#include "report/fold/line_tree.hpp"
#include "report/formats/json_memory.hpp"
#include "report/show/gpu/gpu_errors.hpp"
#include "report/show/processes.hpp"

namespace prof::formats {
namespace {

Json place_json(const symbols::Symbols& symbols, std::uint32_t location) {
  return location == fold::kNobody ? Json() : frame_json(symbols, location);
}

Json real_seconds(const std::optional<double>& ns) { return ns ? Json(*ns / 1e9) : Json(); }
Json seconds_or_null(const std::optional<std::int64_t>& ns) { return ns ? seconds(*ns) : Json(); }

// The times of a list: what the contract names of each.
void add_times(Json& out, std::int64_t total_ns, std::int64_t timed, const model::Extremes& each,
               const std::optional<double>& median_ns) {
  out["total_s"] = seconds(total_ns);
  out["avg_s"] = timed > 0 ? Json(static_cast<double>(total_ns) / static_cast<double>(timed) / 1e9) : Json();
  out["med_s"] = real_seconds(median_ns);
  out["min_s"] = seconds_or_null(each.min_ns);
  out["max_s"] = seconds_or_null(each.max_ns);
}

Json api_json(const show::Subject& subject, const fold::CallTree& tree) {
  Json out = Json::array();
  for (const fold::ApiRow& row : fold::api_calls(subject.run, tree, subject.selection)) {
    const symbols::Function& function = subject.symbols.function(row.function);
    Json item;
    item["name"] = text(function.name);
    item["library"] = text(function.module);
    item["calls"] = row.calls.calls;
    add_times(item, row.calls.ns, row.calls.calls, row.calls.each, row.median_ns);
    item["bytes"] = row.calls.bytes;
    item["flops"] = row.calls.flops;
    item["failed"] = row.calls.failed;
    const bool failed = row.calls.failed > 0;
    item["last_error"] = failed ? Json(row.calls.last_error) : Json();
    item["last_error_name"] = failed ? text(show::error_name(function.module, row.calls.last_error)) : Json();
    out.push_back(std::move(item));
  }
  return out;
}

Json launched_by(const show::Subject& subject, const fold::WorkRow& row) {
  Json out = Json::array();
  for (const fold::Launcher& launcher : row.launched_by) {
    out.push_back({{"site", place_json(subject.symbols, launcher.location)}, {"total_s", seconds(launcher.ns)}});
  }
  return out;
}

Json work_json(const show::Subject& subject, const fold::CallTree& tree, fold::WorkKind kind) {
  Json out = Json::array();
  for (const fold::WorkRow& row : fold::device_work(subject.run, tree, subject.selection, kind)) {
    Json item;
    if (kind == fold::WorkKind::Kernels) {
      item["name"] = text(subject.symbols.function(row.function).name);
    } else {
      item["kind"] = text(row.name.name);
      item["memory"] = text_or_null(row.name.group);
    }
    item["device"] = row.device;
    item["calls"] = row.work.count;
    add_times(item, row.work.ns, row.work.timed(), row.work.each, row.median_ns);
    if (kind == fold::WorkKind::Copies) item["bytes"] = row.work.bytes;
    item["untimed"] = row.work.untimed;
    item["launched_by"] = launched_by(subject, row);
    out.push_back(std::move(item));
  }
  return out;
}

Json streams_json(const show::Subject& subject) {
  Json out = Json::array();
  for (const fold::StreamRow& row : fold::streams(subject.run, subject.selection)) {
    out.push_back({{"device", row.device},
                   {"pid", row.pid},
                   {"stream", text(row.name)},
                   {"context", text_or_null(row.context)},
                   {"kernels", row.kernels.count},
                   {"kernels_s", seconds(row.kernels.ns)},
                   {"copies", row.copies.count},
                   {"copies_s", seconds(row.copies.ns)},
                   {"copied_bytes", row.copies.bytes}});
  }
  return out;
}

template <typename Number>
Json known(Number value) {
  return value != 0 ? Json(value) : Json();
}

Json device_points(const show::Subject& subject, const model::Process& process, const model::DeviceSeries& series) {
  Json points = Json::array();
  for (const model::DevicePoint& point : series.points) {
    points.push_back({{"time_s", seconds(show::since_start(subject.run, process, point.begin_monotonic_ns))},
                      {"used_bytes", known(point.used_bytes)},
                      {"own_bytes", or_null(point.own_bytes)},
                      {"segments_live_bytes", point.segments_live},
                      {"tensors_live_bytes", point.tensors_live},
                      {"busy", point.busy_percent ? Json(*point.busy_percent / 100.0) : Json()},
                      {"memory_busy", point.memory_busy_percent ? Json(*point.memory_busy_percent / 100.0) : Json()},
                      {"power_w", point.power_mw ? Json(*point.power_mw / 1e3) : Json()},
                      {"energy_j", point.energy_mj ? Json(static_cast<double>(*point.energy_mj) / 1e3) : Json()},
                      {"temperature_c", or_null(point.temperature_c)},
                      {"clock_mhz", or_null(point.clock_mhz)},
                      {"memory_clock_mhz", or_null(point.memory_clock_mhz)}});
  }
  return {{"pid", process.pid},
          {"device", series.device},
          {"slot_s", seconds(series.points.front().end_monotonic_ns - series.points.front().begin_monotonic_ns)},
          {"points", std::move(points)}};
}

Json devices_json(const std::vector<fold::DeviceRow>& rows) {
  Json out = Json::array();
  for (const fold::DeviceRow& row : rows) {
    const model::Device& device = row.device;
    const bool spanned = row.span_ns > 0;
    Json capability;
    if (device.compute_major != 0) {
      capability = std::to_string(device.compute_major) + '.' + std::to_string(device.compute_minor);
    }
    out.push_back({{"device", device.index},
                   {"name", text_or_null(device.name)},
                   {"uuid", text_or_null(device.uuid)},
                   {"compute_capability", std::move(capability)},
                   {"multiprocessors", known(device.multiprocessors)},
                   {"clock_mhz", known(device.clock_khz / 1000)},
                   {"memory_clock_mhz", known(device.memory_clock_khz / 1000)},
                   {"memory_bus_bits", known(device.memory_bus_bits)},
                   {"memory_bytes", known(device.memory_bytes)},
                   {"processes", row.processes},
                   {"span_s", spanned ? seconds(row.span_ns) : Json()},
                   {"busy_s", spanned ? seconds(row.busy_ns) : Json()},
                   {"kernels", row.kernels.count},
                   {"kernels_s", seconds(row.kernels.ns)},
                   {"copies", row.copies.count},
                   {"copies_s", seconds(row.copies.ns)},
                   {"copied_bytes", row.copies.bytes}});
  }
  return out;
}

Json device_memory_json(const show::Subject& subject, const show::ViewOptions& options, const fold::CallTree& tree,
                        const std::vector<fold::DeviceRow>& rows) {
  Json by_device = Json::array();
  for (const fold::DeviceRow& row : rows) {
    const model::Device& device = row.device;
    const bool framework = device.tensors_peak > 0 || device.reserved_peak > 0;
    const auto of_framework = [&](std::int64_t value) { return framework ? Json(value) : Json(); };
    by_device.push_back({{"device", device.index},
                         {"memory_bytes", known(device.memory_bytes)},
                         {"segments_live_bytes", device.segments_live},
                         {"segments_peak_bytes", device.segments_peak},
                         {"tensors_live_bytes", of_framework(device.tensors_live)},
                         {"tensors_peak_bytes", of_framework(device.tensors_peak)},
                         {"reserved_live_bytes", of_framework(device.reserved_live)},
                         {"reserved_peak_bytes", of_framework(device.reserved_peak)},
                         {"used_peak_bytes", or_null(row.used_peak_bytes)},
                         {"others_peak_bytes", or_null(row.others_peak_bytes)}});
  }
  Json timeline = Json::array();
  for (const model::Process& process : subject.run.processes) {
    if (!subject.selection.includes(process)) continue;
    for (const model::DeviceSeries& series : process.device_series) {
      timeline.push_back(device_points(subject, process, series));
    }
  }
  Json out;
  out["devices"] = std::move(by_device);
  for (const auto& [key, kind] :
       {std::pair("segments", fold::MemoryKind::Segments), {"tensors", fold::MemoryKind::Tensors}}) {
    const model::MemoryMetric& all = fold::memory_of(tree.total(), kind);
    const auto level = [&](std::int64_t value) { return tree.live_known() ? Json(value) : Json(); };
    Json list{{"allocations", all.allocations()},
              {"allocated_bytes", all.bytes},
              {"live_bytes", level(all.live_bytes())},
              {"peak_bytes", level(all.peak_bytes)}};
    add_sites(list, subject, options, tree, kind);
    out[key] = all.empty() ? Json() : std::move(list);
  }
  out["timeline"] = timeline.empty() ? Json() : std::move(timeline);
  return out;
}

Json ranges_json(const show::Subject& subject, const fold::CallTree& tree) {
  Json out = Json::array();
  const bool heap = show::heap_recorded(subject);
  for (const fold::RangeRow& row : fold::ranges(subject.run, tree, subject.selection)) {
    const symbols::Function& function = subject.symbols.function(row.function);
    const auto inside = [&](bool recorded, Json value) { return recorded && !row.open ? std::move(value) : Json(); };
    Json item;
    item["name"] = text(function.name);
    item["domain"] = function.module == "range" ? Json() : text(function.module);
    item["nested"] = !row.open;
    item["count"] = row.range.count;
    add_times(item, row.range.ns, row.range.count, row.range.each, std::nullopt);
    item.erase("med_s");
    const model::GpuMetrics& gpu = row.inside.gpu.get();
    item["cpu_s"] = inside(true, seconds(row.inside.cpu.ns));
    item["gpu_s"] = inside(tree.device_known(), seconds(gpu.work.ns));
    item["gpu_work"] = inside(tree.device_known(), gpu.work.count);
    item["allocated_bytes"] = inside(heap, row.inside.heap.bytes);
    item["tensor_bytes"] = inside(tree.cuda_known(), gpu.tensors.bytes);
    item["flops"] = inside(tree.cuda_known(), gpu.api.flops);
    out.push_back(std::move(item));
  }
  return out.empty() ? Json() : out;
}

Json flops_json(const show::Subject& subject, const fold::CallTree& tree) {
  Json out = Json::array();
  for (const fold::FlopRow& row : fold::flops(subject.run, tree, subject.selection)) {
    const symbols::Function& function = subject.symbols.function(row.function);
    out.push_back({{"name", text(function.name)},
                   {"library", text(function.module)},
                   {"site", place_json(subject.symbols, row.location)},
                   {"calls", row.calls.calls},
                   {"flops", row.calls.flops},
                   {"gpu_s", row.work.empty() ? Json() : seconds(row.work.ns)},
                   {"flops_per_s", or_null(row.flops_per_s)},
                   {"precision", row.precision ? Json(fold::to_string(*row.precision)) : Json()},
                   {"peak_share", or_null(row.peak_share)}});
  }
  return out;
}

Json idle_figures(const model::IdleMetric& idle) {
  return {{"gaps", idle.gaps},
          {"total_s", seconds(idle.ns)},
          {"max_s", seconds(idle.max_ns)},
          {"synchronising_s", seconds(idle.synchronising_ns)},
          {"waiting_s", seconds(idle.waiting_ns)},
          {"launching_s", seconds(idle.launching_ns)},
          {"python_s", seconds(idle.python_ns)},
          {"native_s", seconds(idle.native_ns)}};
}

Json idle_json(const show::Subject& subject, const fold::CallTree& tree) {
  Json out = idle_figures(tree.total().gpu.get().idle);
  Json sites = Json::array();
  for (const fold::IdleRow& row : fold::idle_sites(tree)) {
    Json site = idle_figures(row.idle);
    site["site"] = place_json(subject.symbols, row.location);
    sites.push_back(std::move(site));
  }
  out["sites"] = std::move(sites);
  return out;
}

}  // namespace

void add_gpu_json(Json& out, const show::Subject& subject, const show::ViewOptions& options,
                  const fold::CallTree& lines) {
  std::optional<fold::CallTree> own;
  const fold::CallTree& tree = fold::line_tree(subject.run, subject.symbols, subject.selection, lines, own);
  const std::vector<fold::DeviceRow> devices = fold::devices(subject.run, subject.selection);
  const bool cuda = tree.cuda_known(), work = tree.device_known();
  out["api"] = cuda ? api_json(subject, tree) : Json();
  out["kernels"] = work ? work_json(subject, tree, fold::WorkKind::Kernels) : Json();
  out["copies"] = work ? work_json(subject, tree, fold::WorkKind::Copies) : Json();
  out["streams"] = work ? streams_json(subject) : Json();
  out["devices"] = devices.empty() ? Json() : devices_json(devices);
  out["device_memory"] = cuda ? device_memory_json(subject, options, lines, devices) : Json();
  out["ranges"] = ranges_json(subject, tree);
  out["flops"] = cuda ? flops_json(subject, tree) : Json();
  out["idle"] = work ? idle_json(subject, tree) : Json();
}

}  // namespace prof::formats
