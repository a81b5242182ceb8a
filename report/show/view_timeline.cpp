#include "report/show/numbers.hpp"
#include "report/show/summary_parts.hpp"
#include "report/show/view.hpp"
#include "report/show/words.hpp"

namespace prof::show {

Sheet timeline_view(const Subject& subject, const ViewOptions& options) {
  Sheet sheet;
  sheet.title = "Memory over time";
  sheet.columns = {{"pid", "pid", Kind::Plain},
                   {"time_ns", "time", Kind::Time},
                   {"slot_ns", "slot", Kind::Time, "", Where::CsvOnly},
                   {"heap_live_bytes", "heap", Kind::Bytes},
                   {"heap_high_bytes", "heap most", Kind::Bytes},
                   {"mapped_live_bytes", "mapped", Kind::Bytes},
                   {"python_live_bytes", "python", Kind::Bytes},
                   {"rss_bytes", "rss", Kind::Bytes},
                   {"rss_high_bytes", "rss most", Kind::Bytes},
                   {"cpu_ns", "cpu", Kind::Time}};
  std::size_t all = 0;
  for (const std::size_t i : selected_processes(subject)) all += subject.run.processes[i].series.size();
  const std::size_t shown = options.rows_of(all, all);
  for (const std::size_t i : selected_processes(subject)) {
    const model::Process& process = subject.run.processes[i];
    const bool heap = heap_recorded(process);
    for (const model::SeriesPoint& point : process.series) {
      if (sheet.rows.size() == shown) return sheet;
      sheet.add({std::int64_t{process.pid}, since_start(subject.run, process, point.begin_monotonic_ns),
                 model::to_signed(point.end_monotonic_ns - point.begin_monotonic_ns),
                 heap ? Cell(point.heap_live) : Cell(), heap ? Cell(point.heap_high) : Cell(),
                 heap ? Cell(point.maps_live) : Cell(), process.python_counted ? Cell(point.python_live) : Cell(),
                 model::to_signed(point.rss), model::to_signed(point.rss_high), model::to_signed(point.cpu_ns)});
    }
  }
  return sheet;
}

}  // namespace prof::show
