#include "report/formats/json_lines.hpp"

#include "report/fold/lines.hpp"
#include "report/show/words.hpp"

namespace prof::formats {

Json lines_json(const show::Subject& subject, const show::ViewOptions& options, const fold::CallTree& line_tree) {
  const fold::Lines lines = subject.selection.fold.frames == fold::Frames::Mixed
                                ? fold::lines(line_tree)
                                : fold::lines(subject.run, subject.symbols, subject.selection);
  if (lines.rows.empty()) return {};
  const bool heap_known = show::heap_recorded(subject);
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
                   {"blocked_s", nullptr},
                   {"alloc_bytes", heap_known ? Json(row.allocated_bytes) : Json()},
                   {"copy_bytes", nullptr},
                   {"gpu_s", nullptr}});
  }
  return out;
}

}  // namespace prof::formats
