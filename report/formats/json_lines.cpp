#include "report/formats/json_lines.hpp"

#include <span>

#include "report/formats/json_rows.hpp"
#include "report/show/time/line_figures.hpp"
#include "report/show/trees.hpp"

namespace prof::formats {

Json lines_json(const show::Subject& subject, const show::ViewOptions& options) {
  const fold::Lines& lines = show::line_rows(subject);
  if (lines.rows.empty()) return {};
  const std::size_t shown = options.rows_of(lines.rows.size(), lines.rows.size());
  return rows_json(std::span(lines.rows).first(shown), show::line_figures(subject, lines, {}),
                   "file line function language cpu_python_s cpu_native_s cumtime_s samples blocked_s cumblocked_s "
                   "alloc_bytes copy_bytes allocations live_bytes peak_bytes temporary cum_alloc_bytes cum_live_bytes "
                   "cum_peak_bytes python_live_bytes python_peak_bytes gpu_s cumgpu_s gpu_idle_s");
}

}  // namespace prof::formats
