#include "report/formats/json_blocking.hpp"

#include "report/formats/json_memory.hpp"
#include "report/formats/json_rows.hpp"
#include "report/show/trees.hpp"
#include "report/show/waiting/waiting_figures.hpp"

namespace prof::formats {

Json blocking_json(const show::Subject& subject) {
  const fold::CallTree& tree = show::mixed_line_tree(subject);
  if (!tree.waits_known()) return {};
  const std::vector<fold::WaitRow> rows = fold::wait_calls(subject.run, tree, subject.selection);
  return rows_json(rows, show::blocking_figures(subject, rows, {}),
                   "call class calls total_s avg_s med_s min_s max_s stddev_s bytes failed last_errno last_errno_name "
                   "uncontended open nested_s cpu_s");
}

Json blocking_sites_json(const show::Subject& subject) {
  const fold::CallTree& tree = show::mixed_line_tree(subject);
  if (!tree.waits_known()) return {};
  std::vector<fold::WaitPlace> rows = fold::wait_places(tree);
  std::erase_if(rows, [](const fold::WaitPlace& row) { return row.wait.blocked_ns() <= 0; });
  return rows_json(
      rows, show::blocking_site_figures(subject, 0, {}), "site class calls blocked_s",
      [&](Json& out, const fold::WaitPlace& row) { out["site"] = place_json(subject.symbols, row.location); });
}

Json loops_json(const show::Subject& subject) {
  const fold::CallTree& tree = show::mixed_line_tree(subject);
  if (!fold::turns_known(subject.run)) return {};
  const std::vector<fold::Hold> rows = fold::holds(tree);
  return rows_json(rows, show::hold_figures(subject, rows, tree, {}),
                   "site own task count total_s avg_s max_s events busy_s",
                   [&](Json& out, const fold::Hold& row) { out["site"] = place_json(subject.symbols, row.location); });
}

Json split_json(const fold::WallSplit& split) {
  Json classes = Json::object();
  for (std::uint32_t i = 0; i < log::kWaitClasses; ++i) classes[log::kWaitClassNames[i]] = seconds(split.blocked_ns[i]);
  return {{"wall_s", seconds(split.wall_ns)},
          {"cpu_s", seconds(split.cpu_ns)},
          {"blocked_s", split.blocked_known ? seconds(split.blocked()) : Json()},
          {"blocked", split.blocked_known ? std::move(classes) : Json()},
          {"run_queue_s", split.run_queue_known ? seconds(split.run_queue_ns) : Json()},
          {"residual_s", seconds(split.residual_ns)},
          {"scaled", split.scaled}};
}

Json use_json(const model::ThreadUse& use) {
  return {{"minor_faults", or_null(use.minor_faults)},
          {"major_faults", or_null(use.major_faults)},
          {"voluntary_switches", or_null(use.voluntary_switches)},
          {"involuntary_switches", or_null(use.involuntary_switches)},
          {"storage_read_bytes", or_null(use.storage_read_bytes)},
          {"storage_written_bytes", or_null(use.storage_written_bytes)},
          {"storage_delay_s", use.storage_delay_ns ? seconds(*use.storage_delay_ns) : Json()},
          {"system_s", use.system_ns ? seconds(*use.system_ns) : Json()}};
}

}  // namespace prof::formats
