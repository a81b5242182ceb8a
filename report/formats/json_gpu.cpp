#include "report/formats/json_gpu.hpp"

#include "report/fold/training/device_steps.hpp"
#include "report/formats/json_memory.hpp"
#include "report/formats/json_rows.hpp"
#include "report/show/gpu/gpu_figures.hpp"
#include "report/show/processes.hpp"
#include "report/show/trees.hpp"

namespace prof::formats {
namespace {

Json launched_by(const show::Subject& subject, const fold::WorkRow& row) {
  Json out = Json::array();
  for (const fold::Launcher& launcher : row.launched_by) {
    out.push_back({{"site", place_json(subject.symbols, launcher.location)}, {"total_s", seconds(launcher.ns)}});
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

}  // namespace

Json api_json(const show::Subject& subject) {
  const fold::CallTree& tree = show::mixed_line_tree(subject);
  if (!tree.cuda_known()) return {};
  const std::vector<fold::ApiRow> rows = fold::api_calls(subject.run, tree, subject.selection);
  return rows_json(rows, show::api_figures(subject, rows, {}),
                   "name library calls total_s avg_s med_s min_s max_s bytes flops failed last_error last_error_name");
}

Json kernels_json(const show::Subject& subject) {
  const fold::CallTree& tree = show::mixed_line_tree(subject);
  if (!tree.device_known()) return {};
  const auto rows = fold::device_work(subject.run, tree, subject.selection, fold::WorkKind::Kernels);
  return rows_json(rows, show::kernel_figures(subject, rows, {}),
                   "name device calls total_s avg_s med_s min_s max_s untimed launched_by",
                   [&](Json& out, const fold::WorkRow& row) { out["launched_by"] = launched_by(subject, row); });
}

Json copies_json(const show::Subject& subject) {
  const fold::CallTree& tree = show::mixed_line_tree(subject);
  if (!tree.device_known()) return {};
  const auto rows = fold::device_work(subject.run, tree, subject.selection, fold::WorkKind::Copies);
  return rows_json(rows, show::copy_figures(subject, rows, {}),
                   "kind memory device calls total_s avg_s med_s min_s max_s bytes untimed launched_by",
                   [&](Json& out, const fold::WorkRow& row) { out["launched_by"] = launched_by(subject, row); });
}

Json streams_json(const show::Subject& subject) {
  if (!show::mixed_line_tree(subject).device_known()) return {};
  const std::vector<fold::StreamRow> rows = fold::streams(subject.run, subject.selection);
  return rows_json(rows, show::stream_figures(rows),
                   "device pid stream context kernels kernels_s copies copies_s copied_bytes");
}

Json devices_json(const show::Subject& subject) {
  const std::vector<fold::DeviceRow> rows = fold::devices(subject.run, subject.selection);
  if (rows.empty()) return {};
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

Json device_memory_json(const show::Subject& subject, const show::ViewOptions& options) {
  if (!show::mixed_line_tree(subject).cuda_known()) return {};
  const fold::CallTree& tree = show::line_tree(subject);
  const std::vector<fold::DeviceRow> rows = fold::devices(subject.run, subject.selection);
  Json timeline = Json::array();
  for (const model::Process& process : subject.run.processes) {
    if (!subject.selection.includes(process)) continue;
    for (const model::DeviceSeries& series : process.device_series) {
      timeline.push_back(device_points(subject, process, series));
    }
  }
  Json out;
  out["devices"] =
      rows_json(rows, show::device_memory_figures(rows, {}),
                "device memory_bytes segments_live_bytes segments_peak_bytes tensors_live_bytes tensors_peak_bytes "
                "reserved_live_bytes reserved_peak_bytes used_peak_bytes others_peak_bytes");
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

Json ranges_json(const show::Subject& subject) {
  const fold::CallTree& tree = show::mixed_line_tree(subject);
  const std::vector<fold::RangeRow> rows = fold::ranges(subject.run, tree, subject.selection);
  if (rows.empty()) return {};
  return rows_json(rows, show::range_figures(subject, tree, {}),
                   "name domain nested count total_s avg_s min_s max_s cpu_s gpu_s gpu_work allocated_bytes "
                   "tensor_bytes flops");
}

Json flops_json(const show::Subject& subject) {
  const fold::CallTree& tree = show::mixed_line_tree(subject);
  if (!tree.cuda_known()) return {};
  const std::vector<fold::FlopRow> rows = fold::flops(subject.run, tree, subject.selection);
  return rows_json(
      rows, show::flop_figures(subject, tree, rows, {}),
      "name library site calls flops gpu_s flops_per_s precision peak_share",
      [&](Json& out, const fold::FlopRow& row) { out["site"] = place_json(subject.symbols, row.location); });
}

Json idle_json(const show::Subject& subject) {
  const fold::CallTree& tree = show::mixed_line_tree(subject);
  if (!tree.device_known()) return {};
  constexpr const char* kFigures = "gaps total_s max_s synchronising_s waiting_s launching_s python_s native_s steps_s";
  const show::Figures<model::IdleMetric> figures = show::idle_figures();
  const fold::StepLimits steps = fold::step_limits(subject.run, subject.selection);
  const auto in_steps = [&](std::int64_t ns) { return steps.any() ? Json(seconds(ns)) : Json(); };
  Json out = members(kFigures);
  add_figures(out, figures, tree.total().gpu.get().idle);
  out["steps_s"] = in_steps(fold::sum_of(fold::idle_within(tree, steps)).ns);
  out["sites"] = rows_json(fold::idle_sites(tree, steps), show::figures_of(&fold::IdleRow::idle, figures), kFigures,
                           [&](Json& site, const fold::IdleRow& row) {
                             site["steps_s"] = in_steps(row.within_ns);
                             site["site"] = place_json(subject.symbols, row.location);
                           });
  return out;
}

}  // namespace prof::formats
