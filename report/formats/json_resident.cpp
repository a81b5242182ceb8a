#include "report/formats/json_resident.hpp"

#include <algorithm>

#include "report/fold/memory/leaks.hpp"
#include "report/fold/memory/resident.hpp"
#include "report/formats/json_memory.hpp"
#include "report/show/processes.hpp"
#include "report/show/trees.hpp"

namespace prof::formats {
namespace {

Json point_json(const show::Subject& subject, const model::Process& process, const model::SeriesPoint& point) {
  const bool heap = show::heap_recorded(process);
  return {{"time_s", seconds(show::since_start(subject.run, process, point.begin_monotonic_ns))},
          {"heap_live_bytes", heap ? Json(point.heap_live) : Json()},
          {"heap_high_bytes", heap ? Json(point.heap_high) : Json()},
          {"mapped_live_bytes", heap ? Json(point.maps_live) : Json()},
          {"python_live_bytes", process.python_counted ? Json(point.python_live) : Json()},
          {"rss_bytes", point.rss},
          {"rss_high_bytes", point.rss_high},
          {"rss_file_bytes", point.rss_file != 0 ? Json(point.rss_file) : Json()},
          {"cpu_s", seconds(point.cpu_ns)}};
}

Json moment_json(const show::Subject& subject, const model::Process& process,
                 const std::optional<model::ResidentMemory>& memory) {
  if (!memory) return {};
  const fold::Resident resident = fold::explain(*memory);
  Json parts = Json::object();
  for (const fold::ResidentRow& row : resident.rows) {
    if (fold::is_share(row.kind) || row.kind == fold::ResidentKind::Residual) {
      parts[fold::to_string(row.kind)] = {{"rss_bytes", row.rss}};
      continue;
    }
    parts[fold::to_string(row.kind)] = {{"rss_bytes", row.rss},
                                        {"pss_bytes", or_null(row.pss)},
                                        {"uss_bytes", or_null(row.uss)},
                                        {"size_bytes", or_null(row.size)}};
  }
  const bool heap = show::heap_recorded(process);
  return {{"time_s", seconds(show::since_start(subject.run, process, memory->monotonic_ns))},
          {"rss_bytes", memory->rss},
          {"pss_bytes", memory->pss},
          {"uss_bytes", memory->uss},
          {"swap_bytes", memory->swap},
          {"mappings", memory->mappings},
          {"heap_live_bytes", heap ? Json(memory->heap_live) : Json()},
          {"mapped_live_bytes", heap ? Json(memory->maps_live) : Json()},
          {"python_live_bytes", process.python_counted ? Json(memory->python_live) : Json()},
          {"not_resident_bytes", heap ? Json(resident.not_resident) : Json()},
          {"parts", std::move(parts)}};
}

Json leak_json(const show::Subject& subject, const show::ViewOptions& options, const fold::Leak& leak) {
  Json site;
  if (leak.frame < leak.stack.size()) site = frame_json(subject.symbols, leak.stack[leak.frame]);
  Json step;
  if (options.steps) step = static_cast<double>(leak.trend.grown) / static_cast<double>(*options.steps);
  return {{"pid", subject.run.processes.at(leak.process).pid},
          {"kind", fold::to_string(leak.kind)},
          {"site", std::move(site)},
          {"stack", stack_json(subject.symbols, leak.stack)},
          {"contexts", leak.contexts},
          {"rate_bytes_per_s", leak.trend.per_s},
          {"rate_error_bytes_per_s", leak.trend.error_per_s},
          {"step_bytes", std::move(step)},
          {"confidence", leak.trend.confidence},
          {"grown_bytes", leak.trend.grown},
          {"grown_s", leak.trend.seconds},
          {"live_bytes", leak.held_bytes},
          {"interval_s", seconds(leak.interval_ns)},
          {"values", leak.values}};
}

}  // namespace

Json timeline_json(const show::Subject& subject) {
  Json out = Json::array();
  for (const std::size_t i : show::selected_processes(subject)) {
    const model::Process& process = subject.run.processes[i];
    if (process.series.empty()) continue;
    Json points = Json::array();
    for (const model::SeriesPoint& point : process.series) points.push_back(point_json(subject, process, point));
    const model::SeriesPoint& first = process.series.front();
    out.push_back({{"pid", process.pid},
                   {"process", i},
                   {"slot_s", seconds(first.end_monotonic_ns - first.begin_monotonic_ns)},
                   {"points", std::move(points)}});
  }
  return out.empty() ? Json() : out;
}

Json resident_json(const show::Subject& subject) {
  Json out = Json::array();
  for (const std::size_t i : show::selected_processes(subject)) {
    const model::Process& process = subject.run.processes[i];
    if (!process.memory_last && !process.memory_high) continue;
    out.push_back({{"pid", process.pid},
                   {"process", i},
                   {"last", moment_json(subject, process, process.memory_last)},
                   {"high", moment_json(subject, process, process.memory_high)}});
  }
  return out.empty() ? Json() : out;
}

Json leaks_json(const show::Subject& subject, const show::ViewOptions& options) {
  const fold::Leaks& leaks = show::leaks(subject);
  if (leaks.known != fold::LeaksKnown::Yes) return {};
  Json out = Json::array();
  const std::size_t shown = options.rows_of(leaks.rows.size(), leaks.rows.size());
  for (std::size_t i = 0; i < shown; ++i) out.push_back(leak_json(subject, options, leaks.rows[i]));
  return out;
}

}  // namespace prof::formats
