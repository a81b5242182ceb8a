#include "report/formats/json_lines.hpp"

#include "report/fold/time/lines.hpp"
#include "report/show/processes.hpp"

namespace prof::formats {

Json lines_json(const show::Subject& subject, const show::ViewOptions& options, const fold::CallTree& line_tree) {
  const fold::Lines lines = subject.selection.fold.frames == fold::Frames::Mixed
                                ? fold::lines(line_tree)
                                : fold::lines(subject.run, subject.symbols, subject.selection);
  if (lines.rows.empty()) return {};
  const bool heap_known = show::heap_recorded(subject);
  const auto level = [&](std::int64_t value) { return heap_known && lines.live_known ? Json(value) : Json(); };
  const auto python = [&](std::int64_t value) { return lines.python_known ? level(value) : Json(); };
  const auto gpu = [&](std::int64_t ns) { return lines.device_known ? seconds(ns) : Json(); };
  Json out = Json::array();
  const std::size_t shown = options.rows_of(lines.rows.size(), lines.rows.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const fold::SourceLine& row = lines.rows[i];
    out.push_back({{"file", text(row.file)},
                   {"line", row.line},
                   {"function", text(subject.symbols.function(row.function).name)},
                   {"language", to_string(row.language)},
                   {"cpu_python_s", seconds(row.python_ns)},
                   {"cpu_native_s", seconds(row.native_ns)},
                   {"cumtime_s", seconds(row.cumulative_ns)},
                   {"samples", row.samples},
                   {"blocked_s", blocked(row.wait, lines.waits_known)},
                   {"cumblocked_s", blocked(row.cum_wait, lines.waits_known)},
                   {"alloc_bytes", heap_known ? Json(row.memory.bytes) : Json()},
                   {"copy_bytes", lines.copies_known ? Json(row.copied_bytes) : Json()},
                   {"allocations", heap_known ? Json(row.memory.allocations()) : Json()},
                   {"live_bytes", level(row.memory.live_bytes())},
                   {"peak_bytes", level(row.memory.peak_bytes)},
                   {"temporary", lines.exact ? Json(row.memory.temporary) : Json()},
                   {"cum_alloc_bytes", heap_known ? Json(row.cum_memory.bytes) : Json()},
                   {"cum_live_bytes", level(row.cum_memory.live_bytes())},
                   {"cum_peak_bytes", level(row.cum_memory.peak_bytes)},
                   {"python_live_bytes", python(row.python_memory.live_bytes())},
                   {"python_peak_bytes", python(row.python_memory.peak_bytes)},
                   {"gpu_s", gpu(row.gpu_ns)},
                   {"cumgpu_s", gpu(row.cum_gpu_ns)},
                   {"gpu_idle_s", gpu(row.gpu_idle_ns)}});
  }
  return out;
}

}  // namespace prof::formats
