#include "report/formats/firefox/counters.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>

#include "report/formats/firefox/threads.hpp"
#include "report/show/processes.hpp"

namespace prof::formats {
namespace {

struct Counter {
  std::string name, description;
  const char* color;
  std::vector<std::pair<std::int64_t, std::int64_t>> points;  // ns from the start of the run, bytes
};

std::vector<Counter> counters_of(const show::Subject& subject, const model::Process& process) {
  const auto since = [&](std::uint64_t ns) { return show::since_start(subject.run, process, ns); };
  std::vector<Counter> out;
  Counter rss{"RSS", "Resident memory of the process", "orange", {}};
  Counter heap{"Heap", "Bytes of malloc that are live", "purple", {}};
  for (const model::SeriesPoint& point : process.series) {
    rss.points.emplace_back(since(point.end_monotonic_ns), model::to_signed(point.rss));
    if (show::heap_recorded(process)) heap.points.emplace_back(since(point.end_monotonic_ns), point.heap_live);
  }
  out.push_back(std::move(rss));
  out.push_back(std::move(heap));
  for (const model::DeviceSeries& series : process.device_series) {
    Counter used{fmt::format("GPU {} memory", series.device), "Memory of the GPU in use, by anybody", "green", {}};
    for (const model::DevicePoint& point : series.points) {
      used.points.emplace_back(since(point.end_monotonic_ns), model::to_signed(point.used_bytes));
    }
    out.push_back(std::move(used));
  }
  return out;
}

void write_counter(const Counter& counter, const model::Process& process, std::size_t main_thread, std::size_t order,
                   const Write& write) {
  const auto& points = counter.points;
  write(
      fmt::format("{{\"name\":\"{}\",\"category\":\"Memory\",\"description\":\"{}\",\"pid\":\"{}\","
                  "\"mainThreadIndex\":{},\"samples\":{{",
                  counter.name, counter.description, firefox_pid(process), main_thread));
  write_column(write, "time", points.size(), [&](std::size_t i) { return milliseconds(points[i].first); });
  // By how much more than before.
  write_column(write, "count", points.size(), [&](std::size_t i) {
    return std::to_string(model::saturated_difference(points[i].second, i == 0 ? 0 : points[i - 1].second));
  });
  write(fmt::format(
      "\"length\":{}}},\"display\":{{\"graphType\":\"line-accumulated\",\"unit\":\"bytes\",\"color\":\"{}\","
      "\"markerSchemaLocation\":\"timeline-memory\",\"sortWeight\":{},\"label\":\"{}\",\"tooltipRows\":["
      "{{\"type\":\"value\",\"source\":\"accumulated\",\"format\":{{\"unit\":\"bytes\"}},"
      "\"label\":\"at this time\"}},{{\"type\":\"value\",\"source\":\"count-range\","
      "\"format\":{{\"unit\":\"bytes\"}},\"label\":\"between least and most\"}}]}}}}",
      points.size(), counter.color, order, counter.name));
}

}  // namespace

void write_counters(const show::Subject& subject, const std::vector<std::size_t>& processes,
                    const std::vector<std::size_t>& main_threads, const Write& write) {
  write("[");
  std::size_t order = 0;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const model::Process& process = subject.run.processes[processes[i]];
    for (const Counter& counter : counters_of(subject, process)) {
      if (counter.points.empty()) continue;
      if (order > 0) write(",\n");
      write_counter(counter, process, main_threads[i], order++, write);
    }
  }
  write("]");
}

}  // namespace prof::formats
