#include "report/formats/json_steps.hpp"

#include "report/fold/training/steps.hpp"
#include "report/formats/json_rows.hpp"
#include "report/show/processes.hpp"
#include "report/show/training/training_figures.hpp"
#include "report/show/trees.hpp"

namespace prof::formats {
namespace {

const char* source_name(log::StepSource source) {
  switch (source) {
    case log::StepSource::Asked:
      return "asked";
    case log::StepSource::Profiler:
      return "profiler";
    case log::StepSource::Optimizer:
      return "optimizer";
    case log::StepSource::Range:
      return "range";
    case log::StepSource::None:
      break;
  }
  return "unknown";
}

Json parts_json(const model::StepFigures& figures) {
  Json out;
  for (std::uint32_t i = 0; i < log::kStepParts; ++i) out[log::kStepPartNames[i]] = seconds(figures.parts_ns[i]);
  return out;
}

Json blocked_json(const model::StepFigures& figures) {
  Json out;
  for (std::uint32_t i = 0; i < log::kWaitClasses; ++i) out[log::kWaitClassNames[i]] = seconds(figures.blocked_ns[i]);
  return out;
}

Json outlier_json(const fold::Outlier& outlier) {
  return {{"step", outlier.number},
          {"time_s", seconds(outlier.ns)},
          {"part", fold::to_string(outlier.part)},
          {"surplus_s", seconds(outlier.surplus_ns)},
          {"waited", outlier.waited ? Json(log::kWaitClassNames[static_cast<std::size_t>(*outlier.waited)]) : Json()}};
}

Json record_json(const show::Subject& subject, const model::Process& process, const model::Step& step) {
  const bool one = step.count == 1;
  return {{"step", step.first},
          {"steps", step.count},
          {"begin_s", seconds(show::since_start(subject.run, process, step.begin_monotonic_ns))},
          {"end_s", seconds(show::since_start(subject.run, process, step.end_monotonic_ns))},
          {"time_s", seconds(step.ns)},
          {"cpu_s", seconds(step.cpu_ns)},
          {"process_cpu_s", seconds(step.process_cpu_ns)},
          {"parts_s", parts_json(step.figures)},
          {"blocked_s", blocked_json(step.figures)},
          {"shortest_s", seconds(step.shortest_ns)},
          {"longest_s", seconds(step.longest_ns)},
          {"longest_step", step.longest},
          {"longest_parts_s", one ? Json() : parts_json(step.longest_figures)},
          {"longest_blocked_s", one ? Json() : blocked_json(step.longest_figures)}};
}

Json table_json(const show::Subject& subject, const fold::StepTable& table) {
  const model::Process& process = subject.run.processes[table.process];
  const bool any = table.steady > 0;
  Json outliers = Json::array(), records = Json::array();
  for (const fold::Outlier& outlier : table.outliers) outliers.push_back(outlier_json(outlier));
  for (const model::Step& step : table.steps->records) records.push_back(record_json(subject, process, step));
  return {{"pid", process.pid},
          {"image", process.image},
          {"rank", or_null(process.rank)},
          {"tid", table.steps->tid},
          {"found_by", source_name(table.steps->source)},
          {"name", text_or_null(table.steps->name)},
          {"steps", table.count},
          {"warmup", table.warmup},
          {"dropped", table.steps->dropped},
          {"steady",
           {{"steps", table.steady},
            {"time_s", seconds(table.steady_ns)},
            {"cpu_s", seconds(table.steady_cpu_ns)},
            {"process_cpu_s", seconds(table.steady_process_cpu_ns)},
            {"median_s", any ? Json(table.median_ns / 1e9) : Json()},
            {"shortest_s", any ? seconds(table.shortest_ns) : Json()},
            {"longest_s", any ? seconds(table.longest_ns) : Json()},
            {"trend", or_null(table.trend)},
            {"parts_s", parts_json(table.figures)},
            {"blocked_s", blocked_json(table.figures)}}},
          {"outliers", std::move(outliers)},
          {"period", or_null(table.period)},
          {"records", std::move(records)}};
}

}  // namespace

Json steps_json(const show::Subject& subject) {
  const std::vector<fold::StepTable> tables = fold::step_tables(subject.run, subject.selection);
  if (tables.empty()) return {};
  Json out = Json::array();
  for (const fold::StepTable& table : tables) out.push_back(table_json(subject, table));
  return out;
}

Json actions_json(const show::Subject& subject) {
  const fold::Actions actions = fold::actions(show::function_tree_with_python(subject), subject.run, subject.selection);
  if (actions.rows.empty()) return {};
  return rows_json(actions.rows, show::action_figures(actions, {}), "name calls total_s exact cpu_s blocked_s gpu_s");
}

}  // namespace prof::formats
