#include <algorithm>

#include "report/fold/python/tasks.hpp"
#include "report/model/text.hpp"
#include "report/show/captions.hpp"
#include "report/show/numbers.hpp"
#include "report/show/processes.hpp"
#include "report/show/python/python_figures.hpp"
#include "report/show/terminal.hpp"
#include "report/show/trees.hpp"
#include "report/show/view.hpp"

namespace prof::show {
namespace {

using fold::TaskRow;

constexpr std::size_t kUsualTasks = 30;

double sort_value(const TaskRow& row, SortKey key) {
  switch (key) {
    case SortKey::Blocked:
      return static_cast<double>(model::saturated_sum(row.inside.wait.blocked_ns(), row.awaited_ns));
    case SortKey::Wall:
      return sort_value(row, SortKey::Blocked) + static_cast<double>(row.inside.cpu.ns);
    case SortKey::Calls:
      return static_cast<double>(row.inside.wait.calls());
    case SortKey::Allocated:
      return static_cast<double>(row.inside.heap.bytes);
    case SortKey::Allocations:
      return static_cast<double>(row.inside.heap.allocations());
    default:
      return static_cast<double>(row.inside.cpu.ns);
  }
}

// Its coroutine's name; empty: not known.
std::string coroutine_name(const Subject& subject, const TaskRow& row) {
  const symbols::Function& task = subject.symbols.function(row.function);
  if (task.language != symbols::Language::Task) return task.name;
  return task.module == "task" ? std::string() : task.module;
}

std::string coroutine_of(const Subject& subject, const TaskRow& row, bool wide) {
  if (row.coroutine == TaskRow::kUnknown) return coroutine_name(subject, row);
  const symbols::Function& at = subject.symbols.function(row.coroutine);
  return coroutine_name(subject, row) + " (" + std::string(wide ? at.file : base_name(at.file)) + ':' +
         std::to_string(at.line) + ')';
}

Sheet tasks_view(const Subject& subject, const ViewOptions& options) {
  const fold::CallTree& tree = mixed_line_tree(subject);
  fold::TaskRows tasks = fold::tasks(subject.run, tree, subject.selection);
  // A task that only waits holds up the loop as one that computes does.
  const SortKey key = options.sort.value_or(SortKey::Wall);
  std::stable_sort(tasks.rows.begin(), tasks.rows.end(), [&](const TaskRow& a, const TaskRow& b) {
    if (key == SortKey::Name)
      return subject.symbols.function(a.function).name < subject.symbols.function(b.function).name;
    return sort_value(a, key) > sort_value(b, key);
  });
  Sheet sheet;
  sheet.title = "Tasks";
  if (tasks.rows.empty()) {
    sheet.captions.emplace_back(
        "No task was seen: the program runs no event loop of asyncio and no greenlets, or none that can be read.");
  } else {
    sheet.captions.push_back(cpu_sampling(subject) + '.');
    sheet.captions.push_back(
        "All that a thread did for each task of asyncio, and in each greenlet; % is of the " +
        duration(static_cast<double>(tree.total().cpu.ns)) + " of all threads, of which tasks took " +
        duration(static_cast<double>(tasks.all.cpu.ns)) +
        ". Tasks without a name of their own are called as their coroutine, greenlets as the function with which they "
        "began; those of one name are one.");
    if (tasks.awaited_ns() > 0)
      sheet.captions.emplace_back(
          "awaits: the loop had nothing to do and waited, which its main task awaited; of other tasks it is not "
          "known.");
  }
  for (std::string& caption : filters(subject, options)) sheet.captions.push_back(std::move(caption));
  for (std::string& caption : loss_captions(subject.run)) sheet.captions.push_back(std::move(caption));
  const std::size_t shown = options.rows_of(tasks.rows.size(), kUsualTasks);
  fill(sheet, task_figures(subject, tree, options), tasks.rows, shown);
  sheet.notes = left_out(shown, tasks.rows.size(), "tasks");
  return sheet;
}

}  // namespace

Figures<TaskRow> task_figures(const Subject& subject, const fold::CallTree& tree, const ViewOptions& options) {
  const bool heap = heap_recorded(subject), waits = tree.waits_known();
  const bool awaits = waits && fold::tasks(subject.run, tree, subject.selection).awaited_ns() > 0;
  const bool holds = std::any_of(subject.run.processes.begin(), subject.run.processes.end(),
                                 [](const model::Process& process) { return !process.tree.holds.empty(); });
  const auto function = [&subject](const TaskRow& row) -> const symbols::Function& {
    return subject.symbols.function(row.function);
  };
  const auto coroutine = [&subject](const TaskRow& row) {
    return row.coroutine == TaskRow::kUnknown ? nullptr : &subject.symbols.function(row.coroutine);
  };
  return {{{"cpu_ns", "CPU", Kind::Time}, [](auto& row) { return row.inside.cpu.ns; }},
          {{"cpu_share", "%", Kind::Share, "of all", Where::TableOnly},
           [whole = static_cast<double>(tree.total().cpu.ns)](auto& row) {
             return share(static_cast<double>(row.inside.cpu.ns), whole);
           }},
          {{"samples", "samples", Kind::Count}, [](auto& row) { return row.inside.cpu.samples; }},
          {{"blocked_ns", "blocked", Kind::Time, "", shown_if(waits)},
           [=](auto& row) { return known_if(waits, row.inside.wait.blocked_ns()); }},
          {{"awaited_ns", "awaits", Kind::Time, "", shown_if(awaits)},
           [=](auto& row) { return known_if(waits, row.awaited_ns); }},
          {{"blocking_calls", "waits", Kind::Count, "", shown_if(waits)},
           [=](auto& row) { return known_if(waits, row.inside.wait.calls()); }},
          {{"longest_hold_ns", "held loop", Kind::EachTime, "longest", shown_if(holds)},
           [=](auto& row) { return known_if(waits && row.inside.holds.count > 0, row.inside.holds.max_ns); }},
          {{"allocations", "allocs", Kind::Count, "", shown_if(heap)},
           [=](auto& row) { return known_if(heap, row.inside.heap.allocations()); }},
          {{"allocated_bytes", "allocated", Kind::Bytes, "", shown_if(heap)},
           [=](auto& row) { return known_if(heap, row.inside.heap.bytes); }},
          {{"name", "task", Kind::Text, "", Where::Everywhere, !options.wide},
           [=](auto& row) { return function(row).name; }},
          {{"at", "coroutine", Kind::Text, "", Where::TableOnly, !options.wide},
           [&subject, wide = options.wide](auto& row) { return coroutine_of(subject, row, wide); }},
          {data("coroutine", "coroutine", Kind::Text), [&subject](auto& row) { return coroutine_name(subject, row); }},
          {data("file", "file", Kind::Text),
           [=](auto& row) { return coroutine(row) != nullptr ? Cell(coroutine(row)->file) : Cell(); }},
          {data("line", "line", Kind::Plain), [=](auto& row) {
             return known_if(coroutine(row) != nullptr, coroutine(row) != nullptr ? coroutine(row)->line : 0);
           }}};
}

extern const View kTasksView{.name = "tasks",
                             .help = "tasks of asyncio and greenlets, and what each took",
                             .topic = Topic::Python,
                             .available = any_process<[](const model::Process& p) {
                               return std::any_of(p.names.begin(), p.names.end(), [](const model::Name& name) {
                                 return name.kind == log::NameKind::Task;
                               });
                             }>,
                             .sheets = one_sheet<tasks_view>,
                             .sorts = {SortKey::Wall, SortKey::Tottime, SortKey::Blocked, SortKey::Calls,
                                       SortKey::Allocated, SortKey::Allocations, SortKey::Name}};

}  // namespace prof::show
