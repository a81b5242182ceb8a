#include <fmt/format.h>

#include "report/formats/sqlite/tables.hpp"

namespace prof::formats {
namespace {

constexpr const char* kIndexes = R"(
CREATE INDEX threads_process ON threads(process);
CREATE INDEX locations_function ON locations(function);
CREATE INDEX nodes_parent ON nodes(parent);
CREATE INDEX nodes_location ON nodes(location);
CREATE INDEX nodes_process ON nodes(process);
CREATE INDEX thread_metrics_node ON thread_metrics(node);
CREATE INDEX functions_name ON functions(short_name);
)";

constexpr const char* kTraceIndexes = R"(
CREATE INDEX trace_events_start ON trace_events(process, start_ns);
CREATE INDEX trace_events_correlation ON trace_events(process, correlation);
CREATE INDEX trace_events_name ON trace_events(name);
)";

// What the context of a node is: the function and line that run there, and what was measured.
constexpr const char* kCallTree = R"(
CREATE VIEW call_tree AS
SELECT n.id AS node, n.process, n.parent, n.depth, f.short_name AS function, l.file, l.line, f.module, f.language,
  m.tottime_ns, t.cumtime_ns, m.blocked_ns, t.cumblocked_ns, m.allocated_bytes, t.cum_allocated_bytes, m.peak_bytes,
  t.cum_peak_bytes, m.gpu_ns, t.cum_gpu_ns
FROM nodes n JOIN locations l ON l.id = n.location JOIN functions f ON f.id = l.function
LEFT JOIN metrics m ON m.node = n.id LEFT JOIN totals t ON t.node = n.id;

CREATE VIEW stacks AS
SELECT n.id AS node, n.process, (
  WITH RECURSIVE up(parent, name, level) AS (
    SELECT n.parent, f.short_name, 0 FROM locations l JOIN functions f ON f.id = l.function WHERE l.id = n.location
    UNION ALL
    SELECT p.parent, f.short_name, up.level + 1
    FROM up JOIN nodes p ON p.id = up.parent JOIN locations l ON l.id = p.location JOIN functions f ON f.id = l.function)
  SELECT group_concat(name, ';') FROM (SELECT name FROM up ORDER BY level DESC)) AS stack
FROM nodes n WHERE n.location IS NOT NULL;

CREATE VIEW lines_by_tottime AS
SELECT l.file, l.line, f.short_name AS function, f.language, sum(m.tottime_ns) AS tottime_ns, sum(m.samples) AS samples,
  sum(m.blocked_ns) AS blocked_ns, sum(m.allocations) AS allocations, sum(m.allocated_bytes) AS allocated_bytes,
  sum(m.live_bytes) AS live_bytes, sum(m.peak_bytes) AS peak_bytes, sum(m.gpu_ns) AS gpu_ns
FROM metrics m JOIN nodes n ON n.id = m.node JOIN locations l ON l.id = n.location JOIN functions f ON f.id = l.function
GROUP BY l.id ORDER BY tottime_ns DESC;
)";

// Functions by one of their measures: the view's name, the columns of the measure itself and of what was called.
struct Ranking {
  const char *name, *self, *cumulative;
};
constexpr Ranking kRankings[] = {{"functions_by_tottime", "tottime_ns", "cumtime_ns"},
                                 {"functions_by_wall", "wall_ns", "cumwall_ns"},
                                 {"functions_by_blocked", "blocked_ns", "cumblocked_ns"},
                                 {"functions_by_allocated", "allocated_bytes", "cum_allocated_bytes"},
                                 {"functions_by_live", "live_bytes", "cum_live_bytes"},
                                 {"functions_by_peak", "peak_bytes", "cum_peak_bytes"},
                                 {"functions_by_gpu", "gpu_ns", "cum_gpu_ns"}};

}  // namespace

void add_indexes_and_views(Database& database, bool traced) {
  database.run(kIndexes);
  if (traced) database.run(kTraceIndexes);
  database.run(kCallTree);
  for (const Ranking& of : kRankings) {
    database.run(fmt::format(
        "CREATE VIEW {0} AS SELECT f.short_name AS function, f.file, f.line, f.module, f.language, m.{1}, m.{2}, "
        "1.0 * m.{1} / (SELECT sum({1}) FROM function_metrics) AS share, f.id, f.name "
        "FROM function_metrics m JOIN functions f ON f.id = m.function WHERE m.{2} > 0 ORDER BY m.{1} DESC, m.{2} DESC",
        of.name, of.self, of.cumulative));
  }
}

}  // namespace prof::formats
