#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "report/fold/training/steps.hpp"
#include "report/model/text.hpp"
#include "report/show/captions.hpp"
#include "report/show/numbers.hpp"
#include "report/show/processes.hpp"
#include "report/show/training/step_words.hpp"
#include "report/show/view.hpp"

namespace prof::show {
namespace {

using fold::StepTable;

constexpr std::size_t kUsualSteps = 16;
constexpr std::size_t kUsualSlow = 10;

std::int64_t mean(std::int64_t sum, std::int64_t count) { return count > 0 ? sum / count : 0; }

// ---- For other programs: a row for each record.

Sheet all_records(const Subject& subject, const std::vector<StepTable>& tables) {
  Sheet sheet;
  sheet.columns = {{"pid", "pid", Kind::Plain},
                   {"rank", "rank", Kind::Plain},
                   {"step", "step", Kind::Plain},
                   {"steps", "steps", Kind::Plain},
                   {"begin_ns", "begin", Kind::Time},
                   {"wall_ns", "wall", Kind::Time},
                   {"cpu_ns", "cpu", Kind::Time},
                   {"process_cpu_ns", "process cpu", Kind::Time},
                   {"shortest_ns", "shortest", Kind::Time},
                   {"longest_ns", "longest", Kind::Time},
                   {"longest_step", "longest step", Kind::Plain},
                   {"warmup", "warmup", Kind::Plain},
                   {"slow", "slow", Kind::Plain}};
  for (const char* part : log::kStepPartNames) {
    sheet.columns.push_back({std::string(part) + "_ns", part, Kind::Time});
  }
  for (const char* what : log::kWaitClassNames) {
    sheet.columns.push_back({fmt::format("blocked_{}_ns", what), what, Kind::Time});
  }
  for (const StepTable& table : tables) {
    const model::Process& process = subject.run.processes[table.process];
    std::set<std::int64_t> slow;
    for (const fold::Outlier& outlier : table.outliers) slow.insert(outlier.number);
    std::int64_t passed = 0;
    for (const model::Step& step : table.steps->records) {
      const std::int64_t warm = std::clamp<std::int64_t>(table.warmup - passed, 0, step.count);
      passed = model::saturated_sum(passed, step.count);
      std::vector<Cell> cells = {std::int64_t{process.pid},
                                 process.rank ? Cell(std::int64_t{*process.rank}) : Cell(),
                                 step.first,
                                 step.count,
                                 since_start(subject.run, process, step.begin_monotonic_ns),
                                 step.ns,
                                 step.cpu_ns,
                                 step.process_cpu_ns,
                                 step.shortest_ns,
                                 step.longest_ns,
                                 step.longest,
                                 warm,
                                 std::int64_t{slow.contains(step.longest) ? 1 : 0}};
      for (const std::int64_t ns : step.figures.parts_ns) cells.emplace_back(ns);
      for (const std::int64_t ns : step.figures.blocked_ns) cells.emplace_back(ns);
      sheet.add(std::move(cells));
    }
  }
  return sheet;
}

// ---- For people.

std::string blocked_words(const StepTable& table) {
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
                  duration(real(table.steady_process_cpu_ns) / real(table.steady)), blocked_words(table)));
  sheet.columns = {{"part", "part", Kind::Text},
                   {"each_ns", "a step", Kind::Time},
                   {"share", "%", Kind::Share},
                   {"total_ns", "total", Kind::Time}};
  for (std::uint32_t i = 0; i < log::kStepParts; ++i) {
    const auto part = static_cast<log::StepPart>((i + 1) % log::kStepParts);  // other last
    const std::int64_t ns = table.figures.of(part);
    if (ns > 0) {
      sheet.add(
          {std::string(fold::to_string(part)), mean(ns, table.steady), share(real(ns), real(table.steady_ns)), ns});
    }
  }
  sheet.add({std::string("all"), mean(table.steady_ns, table.steady), share(1, 1), table.steady_ns}, Emphasis::Strong);
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

Sheet slow_sheet(const ViewOptions& options, const StepTable& table) {
  Sheet sheet;
  sheet.title = "Steps that took much longer";
  sheet.captions.emplace_back(
      "Half as long again as the median, and beyond its usual scatter. Most of it: the part of the step that was "
      "longer than in the other steps, and by how much.");
  sheet.columns = {{"step", "step", Kind::Count},       {"wall_ns", "time", Kind::Time},
                   {"times", "of median", Kind::Share}, {"surplus_ns", "more", Kind::Time},
                   {"part", "most of it", Kind::Text},  {"waited", "waiting for", Kind::Text}};
  sheet.columns[2].unit = "%";
  const std::size_t shown = options.rows_of(table.outliers.size(), kUsualSlow);
  for (std::size_t i = 0; i < shown; ++i) {
    const fold::Outlier& slow = table.outliers[i];
    sheet.add({slow.number, slow.ns, share(real(slow.ns), table.median_ns), slow.surplus_ns,
               std::string(fold::to_string(slow.part)),
               slow.waited ? Cell(std::string(log::kWaitClassNames[static_cast<std::size_t>(*slow.waited)])) : Cell()});
  }
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

Sheet course_sheet(const Subject& subject, const ViewOptions& options, const StepTable& table) {
  const model::Process& process = subject.run.processes[table.process];
  const std::vector<model::Step>& records = table.steps->records;
  Sheet sheet;
  sheet.title = "Steps over time";
  sheet.columns = {{"steps", "from step", Kind::Count},   {"count", "steps", Kind::Count},
                   {"begin_ns", "at", Kind::EachTime},    {"mean_ns", "mean", Kind::Time},
                   {"longest_ns", "longest", Kind::Time}, {"cpu_ns", "cpu", Kind::Time}};
  sheet.one_time_unit = true;
  std::vector<log::StepPart> parts;
  for (std::uint32_t i = 0; i < log::kStepParts; ++i) {
    const auto part = static_cast<log::StepPart>((i + 1) % log::kStepParts);
    const bool there = std::any_of(records.begin(), records.end(), [part](const model::Step& step) {
      return real(step.figures.of(part)) >= 0.01 * real(step.ns) && step.ns > 0;
    });
    if (!there) continue;
    parts.push_back(part);
    sheet.columns.push_back({fold::to_string(part), fold::to_string(part), Kind::Share, "%"});
  }
  for (const model::Step& step : grouped_steps(records, options.rows_of(records.size(), kUsualSteps))) {
    std::vector<Cell> cells = {step.first,
                               step.count,
                               since_start(subject.run, process, step.begin_monotonic_ns),
                               mean(step.ns, step.count),
                               step.longest_ns,
                               mean(step.cpu_ns, step.count)};
    for (const log::StepPart part : parts) cells.push_back(share(real(step.figures.of(part)), real(step.ns)));
    sheet.add(std::move(cells));
  }
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
