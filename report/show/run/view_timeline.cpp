#include "report/show/numbers.hpp"
#include "report/show/processes.hpp"
#include "report/show/run/timeline_plot.hpp"
#include "report/show/view.hpp"

namespace prof::show {

namespace {

// A row for each point of each GPU that the process followed. False when there are `most` rows.
bool add_gpus(Sheet& sheet, const Subject& subject, const model::Process& process, std::size_t most) {
  const auto known = [](const auto& value) { return value ? Cell(model::to_signed(*value)) : Cell(); };
  for (const model::DeviceSeries& series : process.device_series) {
    for (const model::DevicePoint& point : series.points) {
      if (sheet.rows.size() == most) return false;
      std::vector<Cell> cells{std::int64_t{process.pid}, since_start(subject.run, process, point.begin_monotonic_ns),
                              model::to_signed(point.end_monotonic_ns - point.begin_monotonic_ns)};
      cells.resize(10);  // of the host
      cells.insert(
          cells.end(),
          {std::int64_t{series.device}, model::to_signed(point.used_bytes), known(point.own_bytes), point.segments_live,
           point.tensors_live, known(point.busy_percent), known(point.memory_busy_percent), known(point.power_mw),
           known(point.energy_mj), known(point.temperature_c), known(point.clock_mhz), known(point.memory_clock_mhz)});
      sheet.add(std::move(cells));
    }
  }
  return true;
}

}  // namespace

// The memory of each process over time, point by point; for people see timeline_plot.hpp.
static Sheet timeline_view(const Subject& subject, const ViewOptions& options) {
  Sheet sheet;
  sheet.title = "Memory over time";
  sheet.columns = {{"pid", "pid", Kind::Plain},
                   {"time_ns", "time", Kind::Time},
                   {"slot_ns", "slot", Kind::Time, "", Where::DataOnly},
                   {"heap_live_bytes", "heap", Kind::Bytes},
                   {"heap_high_bytes", "heap most", Kind::Bytes},
                   {"mapped_live_bytes", "mapped", Kind::Bytes},
                   {"python_live_bytes", "python", Kind::Bytes},
                   {"rss_bytes", "rss", Kind::Bytes},
                   {"rss_high_bytes", "rss most", Kind::Bytes},
                   {"cpu_ns", "cpu", Kind::Time},
                   {"device", "GPU", Kind::Plain},
                   {"gpu_used_bytes", "GPU used", Kind::Bytes},
                   {"gpu_own_bytes", "GPU own", Kind::Bytes},
                   {"segments_live_bytes", "segments", Kind::Bytes},
                   {"tensors_live_bytes", "tensors", Kind::Bytes},
                   {"gpu_busy_percent", "GPU busy", Kind::Count},
                   {"gpu_memory_busy_percent", "memory busy", Kind::Count},
                   {"gpu_power_mw", "power", Kind::Count},
                   {"gpu_energy_mj", "energy", Kind::Count},
                   {"gpu_temperature_c", "degrees C", Kind::Count},
                   {"gpu_clock_mhz", "clock", Kind::Count},
                   {"gpu_memory_clock_mhz", "memory clock", Kind::Count}};
  const std::size_t of_gpus = 12;
  std::size_t all = 0;
  for (const std::size_t i : selected_processes(subject)) {
    all += subject.run.processes[i].series.size();
    for (const model::DeviceSeries& series : subject.run.processes[i].device_series) all += series.points.size();
  }
  const std::size_t shown = options.rows_of(all, all);
  for (const std::size_t i : selected_processes(subject)) {
    const model::Process& process = subject.run.processes[i];
    const bool heap = heap_recorded(process);
    for (const model::SeriesPoint& point : process.series) {
      if (sheet.rows.size() == shown) return sheet;
      Row& row =
          sheet.add({std::int64_t{process.pid}, since_start(subject.run, process, point.begin_monotonic_ns),
                     model::to_signed(point.end_monotonic_ns - point.begin_monotonic_ns),
                     heap ? Cell(point.heap_live) : Cell(), heap ? Cell(point.heap_high) : Cell(),
                     heap ? Cell(point.maps_live) : Cell(), process.python_counted ? Cell(point.python_live) : Cell(),
                     model::to_signed(point.rss), model::to_signed(point.rss_high), model::to_signed(point.cpu_ns)});
      row.cells.resize(row.cells.size() + of_gpus);
    }
    if (!add_gpus(sheet, subject, process, shown)) return sheet;
  }
  return sheet;
}

extern const View kTimelineView{.name = "timeline",
                                .help = "memory over time",
                                .topic = Topic::Memory,
                                .available = any_process<[](const model::Process& p) { return !p.series.empty(); }>,
                                .sheets = one_sheet<timeline_view>,
                                .text = timeline_plot};

}  // namespace prof::show
