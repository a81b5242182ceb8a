#include "report/formats/json.hpp"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <span>
#include <system_error>

#include "report/fold/time/call_counts.hpp"
#include "report/fold/watched.hpp"
#include "report/formats/json_blocking.hpp"
#include "report/formats/json_exact.hpp"
#include "report/formats/json_files.hpp"
#include "report/formats/json_findings.hpp"
#include "report/formats/json_gpu.hpp"
#include "report/formats/json_lines.hpp"
#include "report/formats/json_memory.hpp"
#include "report/formats/json_modules.hpp"
#include "report/formats/json_ops.hpp"
#include "report/formats/json_own.hpp"
#include "report/formats/json_processes.hpp"
#include "report/formats/json_resident.hpp"
#include "report/formats/json_rows.hpp"
#include "report/formats/json_steps.hpp"
#include "report/model/loss_text.hpp"
#include "report/show/measure.hpp"
#include "report/show/time/function_figures.hpp"
#include "report/show/trees.hpp"

namespace prof::formats {
namespace {

using show::SortKey;

constexpr int kSchema = 1;

// ISO 8601 in UTC, so that it means the same to every reader.
Json utc_time(std::uint64_t realtime_ns) {
  const auto seconds_since = static_cast<std::time_t>(realtime_ns / 1'000'000'000);
  std::tm parts{};
  char buffer[64];
  if (realtime_ns == 0 || gmtime_r(&seconds_since, &parts) == nullptr) return {};
  const std::size_t written = std::strftime(buffer, sizeof buffer, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return written > 0 ? Json(std::string(buffer, written)) : Json();
}

Json run_json(const model::Run& run) {
  std::error_code error;
  const bool running = std::any_of(run.processes.begin(), run.processes.end(), [](const model::Process& process) {
    return process.ending == model::Ending::Running;
  });
  return {{"dir", text(std::filesystem::absolute(run.directory, error).lexically_normal().string())},
          {"started", utc_time(run.start_realtime_ns)},
          {"wall_s", seconds(run.wall_ns)},
          {"cpu_s", seconds(run.cpu_ns)},
          {"processes", run.process_count()},
          {"threads", run.thread_count()},
          {"images", run.processes.size()},
          {"running", running},
          {"started_realtime_ns", run.start_realtime_ns},
          {"command", run.processes.empty() ? Json() : text(run.processes.front().command())}};
}

Json loss_json(const model::Run& run) {
  Json out;
  out["samples_dropped"] = model::samples_dropped(run.loss);
  out["stacks_truncated"] = model::stacks_truncated(run.loss);
  out["records_lost"] = model::records_lost(run.loss);
  out["empty_logs"] = run.empty_logs;
  Json reasons = Json::object();
  Json words = Json::array();
  for (std::size_t reason = 0; reason < run.loss.size(); ++reason) {
    if (reason >= static_cast<std::size_t>(log::Loss::Count) && run.loss[reason] == 0) continue;
    reasons[model::loss_name(reason)] = run.loss[reason];
  }
  out["reasons"] = std::move(reasons);
  out["conditions"] = model::condition_names(run.conditions);
  for (const std::string& warning : run.warnings) words.push_back(text(warning));
  out["warnings"] = std::move(words);
  return out;
}

Json memory_figures(const model::MemoryMetric& memory, const fold::CallTree& tree) {
  const bool live_known = tree.live_known();
  return {{"allocations", memory.allocations()},
          {"allocated_bytes", memory.bytes},
          {"live_bytes", live_known ? Json(memory.live_bytes()) : Json()},
          {"peak_bytes", live_known ? Json(memory.peak_bytes) : Json()},
          {"temporary", tree.exact() ? Json(memory.temporary) : Json()}};
}

Json functions_json(const show::Subject& subject, const show::ViewOptions& options, const fold::CallTree& tree,
                    bool heap_known) {
  // What orders other lists does not order this one.
  SortKey key = options.sort.value_or(SortKey::Tottime);
  const bool by_cpu = show::measure_of(key) == model::Measure::CpuTime;
  if (by_cpu && key != SortKey::Cumtime && key != SortKey::Calls && key != SortKey::Name) key = SortKey::Tottime;
  const show::CallCounts calls = fold::call_counts(subject.run, subject.symbols, subject.selection);
  const auto rows = show::functions_in_order(subject, calls, key, options);
  const std::size_t shown = options.rows_of(rows.size(), rows.size());
  return rows_json(std::span(rows).first(shown), show::function_figures(subject, tree, calls, rows, {}),
                   "name file line module language calls tottime_s cumtime_s blocked_s cumblocked_s gpu_s cumgpu_s "
                   "special samples cum_samples heap cum_heap",
                   [&](Json& out, const fold::FunctionRow& row) {
                     out["language"] = to_string(subject.symbols.function(row.function).language);
                     out["heap"] = heap_known ? memory_figures(row.self.heap, tree) : Json();
                     out["cum_heap"] = heap_known ? memory_figures(row.cumulative.heap, tree) : Json();
                   });
}

Json symbols_json(const symbols::Symbols& symbols) {
  Json out = Json::array();
  for (const symbols::ModuleReport& report : symbols.modules()) {
    out.push_back({{"module", text(report.path)},
                   {"build_id", text_or_null(report.build_id)},
                   {"source", symbols::to_string(report.source)},
                   {"symbol_file", text_or_null(report.symbol_file)},
                   {"addresses", report.addresses},
                   {"unresolved", report.unresolved}});
  }
  return out;
}

const char* frames_name(fold::Frames frames) {
  switch (frames) {
    case fold::Frames::Python:
      return "python";
    case fold::Frames::Native:
      return "native";
    case fold::Frames::Mixed:
      break;
  }
  return "mixed";
}

Json selection_json(const show::Subject& subject, const show::ViewOptions& options) {
  Json threads = Json::array();
  for (const std::string& thread : subject.selection.threads) threads.push_back(text(thread));
  return {{"focus", text_or_null(options.focus)},
          {"ignore", text_or_null(options.ignore)},
          {"pids", subject.selection.pids},
          {"ranks", subject.selection.ranks},
          {"threads", std::move(threads)},
          {"frames", frames_name(subject.selection.fold.frames)},
          {"glue", subject.selection.fold.interpreter == fold::InterpreterFrames::Show},
          {"ranges", subject.selection.fold.ranges == fold::Ranges::Show},
          {"tasks", subject.selection.fold.tasks == fold::Tasks::Show},
          {"backward_callers", subject.selection.fold.backward == fold::Backward::BelowCaller},
          {"language", options.language ? Json(symbols::to_string(*options.language)) : Json()}};
}

}  // namespace

std::string json(const show::Subject& subject, const show::ViewOptions& options) {
  const fold::CallTree& tree = show::function_tree(subject);
  const fold::CallTree& lines = show::line_tree(subject);
  Json heap = memory_json(subject, options, lines, fold::MemoryKind::Heap);

  Json out;
  out["schema"] = kSchema;
  out["run"] = run_json(subject.run);
  out["selection"] = selection_json(subject, options);
  out["loss"] = loss_json(subject.run);
  out["overhead"] = {{"agent_cpu_s", seconds(subject.run.totals.agent_ns)},
                     {"watched_cpu_s", seconds(fold::watched(subject.run).ns)},
                     {"log_bytes", subject.run.log_bytes}};
  out["processes"] = processes_json(subject);
  out["functions"] = functions_json(subject, options, tree, !heap.is_null());
  out["lines"] = lines_json(subject, options);
  out["own"] = own_json(subject, options);
  out["heap"] = std::move(heap);
  out["python_heap"] = memory_json(subject, options, lines, fold::MemoryKind::Python);
  out["mappings"] = memory_json(subject, options, lines, fold::MemoryKind::Maps);
  out["copied"] = copied_json(subject, options, lines);
  out["leaks"] = leaks_json(subject, options, lines);
  out["timeline"] = timeline_json(subject);
  out["memory"] = resident_json(subject);
  out["calls"] = calls_json(subject);
  out["line_hits"] = line_hits_json(subject);
  out["imports"] = imports_json(subject);
  out["loading"] = loading_json(tree);
  out["tasks"] = tasks_json(subject);
  out["blocking"] = blocking_json(subject);
  out["blocking_sites"] = blocking_sites_json(subject);
  out["loops"] = loops_json(subject);
  out["ops"] = ops_json(subject);
  out["ops_by_stack"] = ops_by_stack_json(subject);
  out["ops_by_step"] = ops_by_step_json(subject);
  out["modules"] = modules_json(subject);
  out["steps"] = steps_json(subject);
  out["actions"] = actions_json(subject);
  add_gpu_json(out, subject, options);
  add_files_json(out, subject);
  out["findings"] = findings_json(subject);
  out["symbols"] = symbols_json(subject.symbols);

  // Only ASCII leaves: C1 controls and direction marks must not reach a terminal through a JSON document either.
  return out.dump(1, ' ', true, Json::error_handler_t::replace) + '\n';
}

}  // namespace prof::formats
