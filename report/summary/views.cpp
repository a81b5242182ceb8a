#include "report/summary/views.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "report/fold/python/tasks.hpp"
#include "report/show/commands.hpp"
#include "report/show/gpu/gpu_text.hpp"
#include "report/show/trees.hpp"
#include "report/show/waiting/wall_text.hpp"

namespace prof::show {

// Each stands in the file that makes its sheets. In a topic those come first that most people want first.
// clang-format off
#define PROF_VIEWS(ROW) \
  ROW(kSummaryView) ROW(kOwnView) ROW(kFunctionsView) ROW(kLinesView) ROW(kTreeView) ROW(kFlameView) ROW(kLibrariesView) ROW(kCallersView) ROW(kSourceView) \
  ROW(kCallsView) ROW(kLineHitsView) ROW(kImportsView) ROW(kTasksView) ROW(kHeapView) ROW(kLeaksView) ROW(kSizesView) \
  ROW(kTimelineView) ROW(kMemoryView) ROW(kStepsView) ROW(kLoadingView) ROW(kOpsView) ROW(kModulesView) \
  ROW(kActionsView) ROW(kBlockingView) ROW(kFilesView) ROW(kLocksView) ROW(kLoopsView) ROW(kKernelsView) ROW(kIdleView) \
  ROW(kCopiesView) ROW(kApiView) ROW(kGpuMemoryView) ROW(kFlopsView) ROW(kRangesView) ROW(kThreadsView) \
  ROW(kProcessesView) ROW(kFindingsView)
// clang-format on

#define PROF_DECLARED(view) extern const View view;
PROF_VIEWS(PROF_DECLARED)

namespace {

#define PROF_LISTED(view) &view,
constexpr const View* kViews[] = {PROF_VIEWS(PROF_LISTED)};

constexpr std::array<std::pair<Topic, const char*>, 7> kTopics = {{{Topic::Time, "Time"},
                                                                   {Topic::Python, "Python"},
                                                                   {Topic::Training, "Training"},
                                                                   {Topic::Waiting, "Waiting"},
                                                                   {Topic::Gpu, "GPUs"},
                                                                   {Topic::Memory, "Memory"},
                                                                   {Topic::Run, "The run"}}};

// How much a topic has to say: of what a main thread did, waiting and CPU time have their shares; GPUs and training,
// where there are any, are what the run is about.
double weight_of(Topic topic, double blocked) {
  switch (topic) {
    case Topic::Gpu:
      return 3;
    case Topic::Training:
      return 2;
    case Topic::Waiting:
      return blocked;
    case Topic::Time:
      return 1 - blocked;
    case Topic::Python:
      return (1 - blocked) * 0.9;  // with time, but behind it
    case Topic::Memory:
      return 0.2;
    case Topic::Run:
      break;
  }
  return 0;
}

// Whether tasks of an event loop took half of the CPU time of all threads, or kept the main thread for half of its
// life, what it waited for its main task included.
bool mostly_in_tasks(const Subject& subject, std::int64_t main_wall_ns) {
  if (!kTasksView.available(subject)) return false;
  const fold::CallTree& tree = mixed_line_tree(subject);
  const fold::TaskRows rows = fold::tasks(subject.run, tree, subject.selection);
  const model::Metrics& tasks = rows.all;
  const std::int64_t kept_ns =
      model::saturated_sum(model::saturated_sum(tasks.cpu.ns, tasks.wait.blocked_ns()), rows.awaited_ns());
  return (tasks.cpu.ns > 0 && tasks.cpu.ns >= tree.total().cpu.ns / 2) ||
         (kept_ns > 0 && main_wall_ns > 0 && kept_ns >= main_wall_ns / 2);
}

}  // namespace

std::span<const View* const> views() { return kViews; }

const View* view_named(std::string_view name) {
  const auto found = std::find_if(std::begin(kViews), std::end(kViews), [&](const View* v) { return v->name == name; });
  return found == std::end(kViews) ? nullptr : *found;
}

std::string list_of_views() {
  std::string out;
  std::size_t width = 0;
  for (const View* view : kViews) width = std::max(width, view->name.size() + 2);
  for (const auto& [topic, title] : kTopics) {
    out += fmt::format("{}{}\n", out.empty() ? "" : "\n", title);
    for (const View* view : kViews) {
      if (view->topic != topic) continue;
      out += fmt::format("  {:<{}}{}{}\n", view->name, width, view->help,
                         view->with.empty() ? "" : fmt::format("; with {}", view->with));
    }
  }
  return out;
}

std::vector<std::string> next_views(const Subject& subject) {
  const auto main = main_wall(subject);
  const bool known = main && main->split.blocked_known && main->split.wall_ns > 0;
  const double blocked =
      known ? static_cast<double>(main->split.blocked()) / static_cast<double>(main->split.wall_ns) : 0.0;
  auto topics = kTopics;
  std::stable_sort(topics.begin(), topics.end(), [&](const auto& a, const auto& b) {
    return weight_of(a.first, blocked) > weight_of(b.first, blocked);
  });
  const std::string command = report_command(subject.run);
  std::vector<std::string> out, more;
  const bool by_tasks = mostly_in_tasks(subject, known ? main->split.wall_ns : 0);
  if (by_tasks) out.push_back(fmt::format("{} --view {}", command, kTasksView.name));
  for (const auto& [topic, title] : topics) {
    if (topic == Topic::Gpu && !may_use_gpus(subject, mixed_line_tree(subject))) continue;
    std::string names;
    for (const View* view : kViews) {
      if (view->topic != topic || view == &kSummaryView || view == &kFindingsView || view == &kOwnView) continue;
      if (by_tasks && view == &kTasksView) continue;
      if (view->available != nullptr && !view->available(subject)) continue;
      if (view->with.empty())
        names += (names.empty()                          ? ""
                  : names.find('#') == std::string::npos ? "   # or: "
                                                         : ", ") +
                 std::string(view->name);
      else
        more.push_back(fmt::format("{} --view {} {}", command, view->name, view->with));
    }
    if (!names.empty()) out.push_back(fmt::format("{} --view {}", command, names));
  }
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

}  // namespace prof::show
