#include <vector>

#include "report/show/figures.hpp"
#include "report/show/numbers.hpp"
#include "report/show/processes.hpp"
#include "report/show/run/timeline_plot.hpp"
#include "report/show/view.hpp"

namespace prof::show {

namespace {

// Of a process, or of a GPU that it followed.
struct TimelineRow {
  const model::Process* process;
  const model::SeriesPoint* host;  // null: of a GPU
  std::uint32_t device;            // of `gpu`
  const model::DevicePoint* gpu;   // null: of the process
};

Figures<TimelineRow> timeline_figures(const model::Run& run) {
  const auto slot = [](auto said) {
    return [said](const TimelineRow& row) -> Cell {
      return row.host != nullptr ? said(*row.process, *row.host) : said(*row.process, *row.gpu);
    };
  };
  // A figure of one kind of row is unknown in the other one.
  const auto host = [](auto said) {
    return [said](const TimelineRow& row) -> Cell { return row.host != nullptr ? Cell(said(*row.host)) : Cell(); };
  };
  const auto if_heap = [](auto member) {
    return [member](const TimelineRow& row) {
      return row.host != nullptr ? known_if(heap_recorded(*row.process), row.host->*member) : Cell();
    };
  };
  const auto gpu = [](auto said) {
    return [said](const TimelineRow& row) -> Cell { return row.gpu != nullptr ? Cell(said(*row.gpu)) : Cell(); };
  };
  const auto gpu_maybe = [](auto member) {
    return [member](const TimelineRow& row) {
      if (row.gpu == nullptr) return Cell();
      const auto& value = row.gpu->*member;
      return value ? Cell(model::to_signed(*value)) : Cell();
    };
  };
  using P = model::DevicePoint;
  return {
      {{"pid", "pid", Kind::Plain}, [](auto& row) { return std::int64_t{row.process->pid}; }},
      {{"time_ns", "time", Kind::Time},
       slot([&run](auto& process, auto& point) { return since_start(run, process, point.begin_monotonic_ns); })},
      {data("slot_ns", "slot", Kind::Time),
       slot([](auto&, auto& point) { return model::to_signed(point.end_monotonic_ns - point.begin_monotonic_ns); })},
      {{"heap_live_bytes", "heap", Kind::Bytes}, if_heap(&model::SeriesPoint::heap_live)},
      {{"heap_high_bytes", "heap most", Kind::Bytes}, if_heap(&model::SeriesPoint::heap_high)},
      {{"mapped_live_bytes", "mapped", Kind::Bytes}, if_heap(&model::SeriesPoint::maps_live)},
      {{"python_live_bytes", "python", Kind::Bytes},
       [](auto& row) {
         return row.host != nullptr ? known_if(row.process->python_counted, row.host->python_live) : Cell();
       }},
      {{"rss_bytes", "rss", Kind::Bytes}, host([](auto& point) { return model::to_signed(point.rss); })},
      {{"rss_high_bytes", "rss most", Kind::Bytes}, host([](auto& point) { return model::to_signed(point.rss_high); })},
      {{"rss_file_bytes", "files", Kind::Bytes},
       [](auto& row) {
         return row.host != nullptr ? known_if(row.host->rss_file != 0, model::to_signed(row.host->rss_file)) : Cell();
       }},
      {{"cpu_ns", "cpu", Kind::Time}, host([](auto& point) { return model::to_signed(point.cpu_ns); })},
      {{"device", "GPU", Kind::Plain},
       [](auto& row) { return known_if(row.gpu != nullptr, std::int64_t{row.device}); }},
      {{"gpu_used_bytes", "GPU used", Kind::Bytes},
       gpu([](auto& point) { return model::to_signed(point.used_bytes); })},
      {{"gpu_own_bytes", "GPU own", Kind::Bytes}, gpu_maybe(&P::own_bytes)},
      {{"segments_live_bytes", "segments", Kind::Bytes}, gpu([](auto& point) { return point.segments_live; })},
      {{"tensors_live_bytes", "tensors", Kind::Bytes}, gpu([](auto& point) { return point.tensors_live; })},
      {{"gpu_busy_percent", "GPU busy", Kind::Count}, gpu_maybe(&P::busy_percent)},
      {{"gpu_memory_busy_percent", "memory busy", Kind::Count}, gpu_maybe(&P::memory_busy_percent)},
      {{"gpu_power_mw", "power", Kind::Count}, gpu_maybe(&P::power_mw)},
      {{"gpu_energy_mj", "energy", Kind::Count}, gpu_maybe(&P::energy_mj)},
      {{"gpu_temperature_c", "degrees C", Kind::Count}, gpu_maybe(&P::temperature_c)},
      {{"gpu_clock_mhz", "clock", Kind::Count}, gpu_maybe(&P::clock_mhz)},
      {{"gpu_memory_clock_mhz", "memory clock", Kind::Count}, gpu_maybe(&P::memory_clock_mhz)}};
}

}  // namespace

// The memory of each process over time, point by point; for people see timeline_plot.hpp.
static Sheet timeline_view(const Subject& subject, const ViewOptions& options) {
  std::vector<TimelineRow> rows;
  for (const std::size_t i : selected_processes(subject)) {
    const model::Process& process = subject.run.processes[i];
    for (const model::SeriesPoint& point : process.series) rows.push_back({&process, &point, 0, nullptr});
    for (const model::DeviceSeries& series : process.device_series) {
      for (const model::DevicePoint& point : series.points) rows.push_back({&process, nullptr, series.device, &point});
    }
  }
  Sheet sheet;
  sheet.title = "Memory over time";
  fill(sheet, timeline_figures(subject.run), rows, options.rows_of(rows.size(), rows.size()));
  return sheet;
}

extern const View kTimelineView{.name = "timeline",
                                .help = "memory over time",
                                .topic = Topic::Memory,
                                .available = any_process<[](const model::Process& p) { return !p.series.empty(); }>,
                                .sheets = one_sheet<timeline_view>,
                                .text = timeline_plot};

}  // namespace prof::show
