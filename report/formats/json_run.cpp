#include "report/formats/json_run.hpp"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <system_error>

#include "report/fold/watched.hpp"
#include "report/model/loss_text.hpp"

namespace prof::formats {
namespace {

// ISO 8601 in UTC, so that it means the same to every reader.
Json utc_time(std::uint64_t realtime_ns) {
  const auto seconds_since = static_cast<std::time_t>(realtime_ns / 1'000'000'000);
  std::tm parts{};
  char buffer[64];
  if (realtime_ns == 0 || gmtime_r(&seconds_since, &parts) == nullptr) return {};
  const std::size_t written = std::strftime(buffer, sizeof buffer, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return written > 0 ? Json(std::string(buffer, written)) : Json();
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

}  // namespace

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
          {"team_callers", subject.selection.fold.teams == fold::Teams::BelowCaller},
          {"language", options.language ? Json(symbols::to_string(*options.language)) : Json()}};
}

Json overhead_json(const model::Run& run) {
  return {{"agent_cpu_s", seconds(run.totals.agent_ns)},
          {"watched_cpu_s", seconds(fold::watched(run).ns)},
          {"log_bytes", run.log_bytes}};
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

}  // namespace prof::formats
