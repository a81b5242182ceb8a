#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "report/fold/training/steps.hpp"
#include "report/model/text.hpp"
#include "report/show/captions.hpp"
#include "report/show/figures.hpp"
#include "report/show/numbers.hpp"
#include "report/show/processes.hpp"
#include "report/show/training/step_text.hpp"
#include "report/show/view.hpp"

namespace prof::show {
namespace {

using fold::StepTable;

constexpr std::size_t kUsualSteps = 16;
constexpr std::size_t kUsualSlow = 10;

std::int64_t mean(std::int64_t sum, std::int64_t count) { return count > 0 ? sum / count : 0; }

std::vector<log::StepPart> parts_other_last() {
  std::vector<log::StepPart> parts;
  for (std::uint32_t i = 0; i < log::kStepParts; ++i) {
    parts.push_back(static_cast<log::StepPart>((i + 1) % log::kStepParts));
  }
  return parts;
}

// ---- For other programs: a row for each record.

struct StepRow {
  const model::Process* process;
  const model::Step* step;
  std::int64_t warmup;  // steps of it
  bool slow;            // its longest one
};

Figures<StepRow> step_figures(const model::Run& run) {
  Figures<StepRow> figures = {
      {{"pid", "pid", Kind::Plain}, [](auto& row) { return std::int64_t{row.process->pid}; }},
      {{"rank", "rank", Kind::Plain}, [](auto& row) { return maybe(row.process->rank); }},
      {{"step", "step", Kind::Plain}, [](auto& row) { return row.step->first; }},
      {{"steps", "steps", Kind::Plain}, [](auto& row) { return row.step->count; }},
      {{"begin_ns", "begin", Kind::Time},
       [&run](auto& row) { return since_start(run, *row.process, row.step->begin_monotonic_ns); }},
      {{"wall_ns", "wall", Kind::Time}, [](auto& row) { return row.step->ns; }},
      {{"cpu_ns", "cpu", Kind::Time}, [](auto& row) { return row.step->cpu_ns; }},
      {{"process_cpu_ns", "process cpu", Kind::Time}, [](auto& row) { return row.step->process_cpu_ns; }},
      {{"shortest_ns", "shortest", Kind::Time}, [](auto& row) { return row.step->shortest_ns; }},
      {{"longest_ns", "longest", Kind::Time}, [](auto& row) { return row.step->longest_ns; }},
      {{"longest_step", "longest step", Kind::Plain}, [](auto& row) { return row.step->longest; }},
      {{"warmup", "warmup", Kind::Plain}, [](auto& row) { return row.warmup; }},
      {{"slow", "slow", Kind::Plain}, [](auto& row) { return std::int64_t{row.slow ? 1 : 0}; }}};
  for (std::size_t i = 0; i < log::kStepParts; ++i) {
    figures.push_back({{std::string(log::kStepPartNames[i]) + "_ns", log::kStepPartNames[i], Kind::Time},
                       [i](auto& row) { return row.step->figures.parts_ns[i]; }});
  }
  for (std::size_t i = 0; i < log::kWaitClasses; ++i) {
    figures.push_back({{fmt::format("blocked_{}_ns", log::kWaitClassNames[i]), log::kWaitClassNames[i], Kind::Time},
                       [i](auto& row) { return row.step->figures.blocked_ns[i]; }});
  }
  return figures;
}

Sheet all_records(const Subject& subject, const std::vector<StepTable>& tables) {
  std::vector<StepRow> rows;
  for (const StepTable& table : tables) {
    std::set<std::int64_t> slow;
    for (const fold::Outlier& outlier : table.outliers) slow.insert(outlier.number);
    std::int64_t passed = 0;
    for (const model::Step& step : table.steps->records) {
      rows.push_back({&subject.run.processes[table.process], &step,
                      std::clamp<std::int64_t>(table.warmup - passed, 0, step.count), slow.contains(step.longest)});
      passed = model::saturated_sum(passed, step.count);
    }
  }
  Sheet sheet;
  fill(sheet, step_figures(subject.run), rows, rows.size());
  return sheet;
}

// ---- For people.

std::string blocked_text(const StepTable& table) {
  std::vector<std::pair<std::int64_t, std::string>> classes;
  for (std::uint32_t i = 0; i < log::kWaitClasses; ++i) {
    const std::int64_t ns = mean(table.figures.blocked_ns[i], table.steady);
    if (real(ns) >= 0.01 * table.median_ns && ns > 0) {
      classes.emplace_back(ns, fmt::format("{} {}", log::kWaitClassNames[i], duration(real(ns))));
    }
  }
  if (classes.empty()) return {};
  std::stable_sort(classes.begin(), classes.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> texts;
  for (const auto& [ns, text] : classes) texts.push_back(text);
  return fmt::format("; it waited for: {}", fmt::join(texts, ", "));
}

struct PartRow {
  std::string name;
  std::int64_t ns;
};

Figures<PartRow> part_figures(const StepTable& table) {
  return {
      {{"part", "part", Kind::Text}, &PartRow::name},
      {{"each_ns", "a step", Kind::Time}, [steps = table.steady](auto& row) { return mean(row.ns, steps); }},
      {{"share", "%", Kind::Share}, [whole = real(table.steady_ns)](auto& row) { return share(real(row.ns), whole); }},
      {{"total_ns", "total", Kind::Time}, &PartRow::ns}};
}

Sheet parts_sheet(const Subject& subject, const ViewOptions& options, const StepTable& table) {
  const model::Process& process = subject.run.processes[table.process];
  Sheet sheet;
  const std::string rank = process.rank ? fmt::format(" (rank {})", *process.rank) : std::string();
  sheet.title = fmt::format("Steps of pid {}{}: {}", process.pid, rank, command_label(process, options.wide));
  sheet.captions.push_back(fmt::format("By {}, on thread {}.", step_source(*table.steps), table.steps->tid));
  sheet.captions.push_back(fmt::format("Steps: {}.", step_times(table)));
  if (table.steady == 0) return sheet;
  sheet.captions.push_back(
      fmt::format("Of the steady state, {}; a step's CPU time: {} of its thread, {} of all{}.",
                  counted(table.steady, "step", "steps"), duration(real(table.steady_cpu_ns) / real(table.steady)),
                  duration(real(table.steady_process_cpu_ns) / real(table.steady)), blocked_text(table)));
  std::vector<PartRow> rows;
  for (const log::StepPart part : parts_other_last()) {
    if (const std::int64_t ns = table.figures.of(part); ns > 0) rows.push_back({fold::to_string(part), ns});
  }
  const Figures<PartRow> figures = part_figures(table);
  fill(sheet, figures, rows, rows.size());
  sheet.add(cells_of(figures, {"all", table.steady_ns}), Emphasis::Strong);
  for (const std::string& oddity : step_oddities(table)) sheet.notes.push_back(oddity + '.');
  if (table.steps->per > 1) {
    sheet.notes.push_back(
        fmt::format("The log has up to {} steps in one record: of each the longest and the shortest are known, and the "
                    "sums.",
                    table.steps->per));
  }
  if (table.steps->dropped > 0) {
    sheet.notes.push_back(fmt::format("{} left out: of other threads, or outside of the window.",
                                      counted(table.steps->dropped, "step was", "steps were")));
  }
  return sheet;
}

Figures<fold::Outlier> slow_figures(double median_ns) {
  return {
      {{"step", "step", Kind::Count}, &fold::Outlier::number},
      {{"wall_ns", "time", Kind::Time}, &fold::Outlier::ns},
      {{"times", "of median", Kind::Share, "%"}, [median_ns](auto& slow) { return share(real(slow.ns), median_ns); }},
      {{"surplus_ns", "more", Kind::Time}, &fold::Outlier::surplus_ns},
      {{"part", "most of it", Kind::Text}, [](auto& slow) { return std::string(fold::to_string(slow.part)); }},
      {{"waited", "waiting for", Kind::Text}, [](auto& slow) {
         return slow.waited ? Cell(std::string(log::kWaitClassNames[static_cast<std::size_t>(*slow.waited)])) : Cell();
       }}};
}

Sheet slow_sheet(const ViewOptions& options, const StepTable& table) {
  Sheet sheet;
  sheet.title = "Steps that took much longer";
  sheet.captions.emplace_back(
      "Half as long again as the median, and beyond its usual scatter. Most of it: the part of the step that was "
      "longer than in the other steps, and by how much.");
  const std::size_t shown = options.rows_of(table.outliers.size(), kUsualSlow);
  fill(sheet, slow_figures(table.median_ns), table.outliers, shown);
  for (std::string& note : left_out(shown, table.outliers.size(), "steps")) sheet.notes.push_back(std::move(note));
  return sheet;
}

// Neighbours together, so that there are `rows` of them.
std::vector<model::Step> grouped_steps(const std::vector<model::Step>& records, std::size_t rows) {
  std::vector<model::Step> out;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t begin = row * records.size() / rows, end = (row + 1) * records.size() / rows;
    model::Step sum = records[begin];
    for (std::size_t i = begin + 1; i < end; ++i) {
      const model::Step& next = records[i];
      sum.count = model::saturated_sum(sum.count, next.count);
      sum.ns = model::saturated_sum(sum.ns, next.ns);
      sum.cpu_ns = model::saturated_sum(sum.cpu_ns, next.cpu_ns);
      sum.figures += next.figures;
      sum.longest_ns = std::max(sum.longest_ns, next.longest_ns);
    }
    out.push_back(sum);
  }
  return out;
}

// Of steps and of neighbours together. Parts that took next to nothing of every step have no column.
Figures<model::Step> course_figures(const Subject& subject, const StepTable& table) {
  const model::Process& process = subject.run.processes[table.process];
  const std::vector<model::Step>& records = table.steps->records;
  Figures<model::Step> figures = {
      {{"steps", "from step", Kind::Count}, &model::Step::first},
      {{"count", "steps", Kind::Count}, &model::Step::count},
      {{"begin_ns", "at", Kind::EachTime},
       [&](auto& step) { return since_start(subject.run, process, step.begin_monotonic_ns); }},
      {{"mean_ns", "mean", Kind::Time}, [](auto& step) { return mean(step.ns, step.count); }},
      {{"longest_ns", "longest", Kind::Time}, &model::Step::longest_ns},
      {{"cpu_ns", "cpu", Kind::Time}, [](auto& step) { return mean(step.cpu_ns, step.count); }}};
  for (const log::StepPart part : parts_other_last()) {
    const bool there = std::any_of(records.begin(), records.end(), [part](const model::Step& step) {
      return real(step.figures.of(part)) >= 0.01 * real(step.ns) && step.ns > 0;
    });
    if (!there) continue;
    figures.push_back({{fold::to_string(part), fold::to_string(part), Kind::Share, "%"},
                       [part](auto& step) { return share(real(step.figures.of(part)), real(step.ns)); }});
  }
  return figures;
}

Sheet course_sheet(const Subject& subject, const ViewOptions& options, const StepTable& table) {
  const std::vector<model::Step>& records = table.steps->records;
  Sheet sheet;
  sheet.title = "Steps over time";
  sheet.one_time_unit = true;
  const std::vector<model::Step> rows = grouped_steps(records, options.rows_of(records.size(), kUsualSteps));
  fill(sheet, course_figures(subject, table), rows, rows.size());
  return sheet;
}

Sheet nothing(const Subject& subject, const ViewOptions& options) {
  Sheet sheet;
  sheet.title = "Steps";
  sheet.captions.emplace_back(
      "No steps were seen. They are found by optimizers of PyTorch, by torch.profiler's steps, or by a range that "
      "repeats on the main thread; any other loop is told by prof run --step: of a range, or of a function of Python "
      "that is one step.");
  for (std::string& caption : filters(subject, options)) sheet.captions.push_back(std::move(caption));
  return sheet;
}

}  // namespace

// Steps of training: their time, what they are made of, which stand out.
static std::vector<Sheet> steps_view(const Subject& subject, const ViewOptions& options) {
  const std::vector<StepTable> tables = fold::step_tables(subject.run, subject.selection);
  if (options.everything) return {all_records(subject, tables)};
  if (tables.empty()) return {nothing(subject, options)};
  std::vector<Sheet> out;
  for (const StepTable& table : tables) {
    out.push_back(parts_sheet(subject, options, table));
    if (out.size() == 1) {
      for (std::string& caption : filters(subject, options)) out.front().captions.push_back(std::move(caption));
    }
    if (!table.outliers.empty()) out.push_back(slow_sheet(options, table));
    out.push_back(course_sheet(subject, options, table));
  }
  return out;
}

extern const View kStepsView{.name = "steps",
                             .help = "training steps: their time, their parts, which stand out",
                             .topic = Topic::Training,
                             .available = any_process<[](const model::Process& p) { return !p.steps.records.empty(); }>,
                             .sheets = steps_view};

}  // namespace prof::show
