#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "report/fold/line_tree.hpp"
#include "report/fold/training/device_steps.hpp"
#include "report/show/captions.hpp"
#include "report/show/gpu/gpu_figures.hpp"
#include "report/show/gpu/gpu_text.hpp"
#include "report/show/names.hpp"
#include "report/show/numbers.hpp"
#include "report/show/stack_text.hpp"
#include "report/show/trees.hpp"
#include "report/show/view.hpp"

namespace prof::show {
namespace {

using fold::IdleRow;

constexpr std::size_t kUsualGaps = 20;

double sort_value(const IdleRow& row, SortKey key) {
  switch (key) {
    case SortKey::Calls:
      return static_cast<double>(row.idle.gaps);
    case SortKey::Average:
      return static_cast<double>(row.idle.ns) / static_cast<double>(std::max<std::int64_t>(1, row.idle.gaps));
    default:
      return static_cast<double>(row.within_ns);
  }
}

// "GPU 0: idle 4.50 s (37.5 %) of 12.0 s from its first to its last work."
std::vector<std::string> by_device(const Subject& subject) {
  std::vector<std::string> out;
  for (const fold::DeviceInSteps& device : fold::devices_in_steps(subject.run, subject.selection)) {
    const fold::DeviceRow& row = device.row;
    if (row.span_ns <= 0) continue;
    const auto span = static_cast<double>(row.span_ns);
    if (row.at_work > 1) {
      out.push_back(fmt::format(
          "{}: at work for {} processes, {} added up in {} from its first to its last work; each sees its own gaps.",
          device_name(row.device), row.at_work, duration(static_cast<double>(row.busy_ns)), duration(span)));
      continue;
    }
    const double idle = std::max(0.0, span - static_cast<double>(row.busy_ns));
    if (idle == 0) {
      out.push_back(fmt::format("{}: never idle in the {} from its first to its last work.", device_name(row.device),
                                duration(span)));
      continue;
    }
    out.push_back(fmt::format("{}: idle {} ({} %) of {} from its first to its last work.", device_name(row.device),
                              duration(idle), percent(idle, span), duration(span)));
    if (device.steps_ns <= 0) continue;
    const auto steps = static_cast<double>(device.steps_ns), of_steps = static_cast<double>(device.idle_ns());
    out.back() += fmt::format(" In its {} of steady steps it idled {} ({} %) at least.", duration(steps),
                              duration(of_steps), percent(of_steps, steps));
  }
  return out;
}

// "15.0 ms of gaps, in which the thread that ended them was synchronising with the GPU 80.3 %, launching 19.7 %."
std::string causes(const model::IdleMetric& all) {
  const std::pair<std::int64_t, const char*> causes[] = {{all.synchronising_ns, "synchronising with the GPU"},
                                                         {all.waiting_ns, "waiting for data or another thread"},
                                                         {all.launching_ns, "launching"},
                                                         {all.python_ns, "running Python"},
                                                         {all.native_ns, "running other code"}};
  std::vector<std::string> parts;
  for (const auto& [ns, words] : causes) {
    if (ns <= 0) continue;
    parts.push_back(fmt::format("{} {} %", words, percent(static_cast<double>(ns), static_cast<double>(all.ns))));
  }
  const std::string gaps = duration(static_cast<double>(all.ns)) + " of gaps";
  if (parts.empty()) return gaps + '.';
  return fmt::format("{}, in which the thread that ended them was {}.", gaps, fmt::join(parts, ", "));
}

// What the gaps lack of the idle time of a program that had no time to say more.
std::optional<std::string> untold(const Subject& subject, const model::IdleMetric& all) {
  const fold::Selection& selection = subject.selection;
  if (selection.focus || selection.ignore || selection.by_thread()) return std::nullopt;
  const auto& processes = subject.run.processes;
  if (std::none_of(processes.begin(), processes.end(), [&](const model::Process& process) {
        return selection.includes(process) &&
               (process.ending == model::Ending::Killed || process.ending == model::Ending::Running);
      })) {
    return std::nullopt;
  }
  std::int64_t idle = 0;
  for (const fold::DeviceRow& row : fold::devices(subject.run, selection)) {
    if (row.at_work > 1) return std::nullopt;
    idle = model::saturated_sum(idle, std::max<std::int64_t>(0, model::saturated_difference(row.span_ns, row.busy_ns)));
  }
  const auto rest = static_cast<double>(model::saturated_difference(idle, all.ns));
  if (rest < 0.01 * static_cast<double>(idle) || rest <= 0) return std::nullopt;
  return fmt::format("{} more is not told by place: it lies in the last two seconds of what was killed or still runs.",
                     duration(rest));
}

}  // namespace

Figures<model::IdleMetric> idle_figures() {
  using model::IdleMetric;
  return {{{"total_ns", "idle", Kind::Time}, &IdleMetric::ns},
          {{"gaps", "gaps", Kind::Count}, &IdleMetric::gaps},
          {{"max_ns", "longest", Kind::Time}, &IdleMetric::max_ns},
          {{"synchronising_ns", "sync", Kind::Time}, &IdleMetric::synchronising_ns},
          {{"waiting_ns", "waiting", Kind::Time}, &IdleMetric::waiting_ns},
          {{"launching_ns", "launch", Kind::Time}, &IdleMetric::launching_ns},
          {{"python_ns", "python", Kind::Time}, &IdleMetric::python_ns},
          {{"native_ns", "native", Kind::Time}, &IdleMetric::native_ns}};
}

// Time in which GPUs had nothing to do, by the place that they waited for.
static Sheet idle_view(const Subject& subject, const ViewOptions& options) {
  const fold::CallTree& tree = mixed_line_tree(subject);
  const fold::StepLimits steps = fold::step_limits(subject.run, subject.selection);
  std::vector<IdleRow> rows = fold::idle_sites(tree, steps);
  const auto name = [&](const IdleRow& row) { return place_name(subject.symbols, row.location, options.wide); };
  const SortKey key = options.sort.value_or(SortKey::Total);
  std::stable_sort(rows.begin(), rows.end(), [&](const IdleRow& a, const IdleRow& b) {
    if (key == SortKey::Name) return name(a) < name(b);
    return sort_value(a, key) > sort_value(b, key);
  });
  const model::IdleMetric& all = tree.total().gpu.get().idle;
  const auto whole = static_cast<double>(steps.any() ? fold::sum_of(fold::idle_within(tree, steps)).ns : all.ns);

  Sheet sheet;
  sheet.title = "Idle time of GPUs, by the place that they waited for";
  if (const auto why = why_no_cuda(subject)) {
    sheet.captions.push_back(*why);
  } else {
    for (std::string& text : by_device(subject)) sheet.captions.push_back(std::move(text));
    if (!rows.empty()) {
      sheet.captions.push_back(causes(all));
      sheet.captions.emplace_back(
          "A gap is charged to the line whose launch ended it. sync: it waited for the GPU; waiting: it was blocked; "
          "launch: it was in CUDA, or the launch was under way (launch-bound); python, native: it ran.");
    }
    if (steps.any() && !rows.empty()) {
      sheet.captions.push_back(
          fmt::format("in steps: gaps no longer than a step of the steady state ({}), without those of contexts that "
                      "are no part of "
                      "each step where it is more than the steps took; the others lie before, between or after them.",
                      duration(static_cast<double>(steps.longest_ns))));
    }
    std::vector<std::string> why_not = why_no_devices(subject);
    if (const auto more = untold(subject, all); more && why_not.empty()) sheet.captions.push_back(*more);
    if (rows.empty() && why_not.empty()) sheet.captions.emplace_back("No gap between two works of a GPU was recorded.");
    for (std::string& reason : why_not) sheet.captions.push_back(std::move(reason));
  }
  for (std::string& caption : gpu_captions(subject, options)) sheet.captions.push_back(std::move(caption));
  sheet.one_time_unit = true;
  Figures<IdleRow> figures{{{"share", "%", Kind::Share, "of all", Where::TableOnly},
                            [&](const IdleRow& row) { return share(static_cast<double>(row.within_ns), whole); }}};
  if (steps.any()) figures.push_back({{"steps_ns", "in steps", Kind::Time}, &IdleRow::within_ns});
  append(figures, figures_of(&IdleRow::idle, idle_figures()));
  figures.push_back({{"site", "waited for", Kind::Text, "", Where::Everywhere, !options.wide}, name});
  const std::size_t shown = options.rows_of(rows.size(), kUsualGaps);
  fill(sheet, figures, rows, shown);
  sheet.notes = left_out(shown, rows.size(), "places");
  return sheet;
}

extern const View kIdleView{.name = "idle",
                            .help = "time in which GPUs had nothing to do, and what they waited for",
                            .topic = Topic::Gpu,
                            .available = any_process<[](const model::Process& p) { return model::saw_cuda(p); }>,
                            .sheets = one_sheet<idle_view>,
                            .sorts = kCallKeys};

}  // namespace prof::show
