#include <fmt/format.h>

#include <algorithm>

#include "report/show/captions.hpp"
#include "report/show/numbers.hpp"
#include "report/show/processes.hpp"
#include "report/show/run/thread_figures.hpp"
#include "report/show/stack_text.hpp"
#include "report/show/table.hpp"
#include "report/show/view.hpp"
#include "report/show/waiting/wall_text.hpp"

namespace prof::show {
namespace {

using Entry = fold::ThreadWall;

void sort_entries(std::vector<Entry>& entries, SortKey key) {
  const auto value = [key](const Entry& entry) {
    const model::Counters& counters = entry.thread->counters;
    switch (key) {
      case SortKey::Blocked:
        return static_cast<std::uint64_t>(entry.split.blocked());
      case SortKey::Wall:
        return static_cast<std::uint64_t>(entry.split.wall_ns);
      case SortKey::Live:
      case SortKey::Peak:
      case SortKey::Allocated:
        return counters.allocated_bytes;
      case SortKey::Calls:
      case SortKey::Allocations:
        return counters.allocations;
      default:
        return entry.thread->cpu_ns;
    }
  };
  std::stable_sort(entries.begin(), entries.end(), [&](const Entry& a, const Entry& b) {
    return key == SortKey::Name ? a.thread->display_name() < b.thread->display_name() : value(a) > value(b);
  });
}

double cpu_of(const std::vector<Entry>& entries) {
  std::uint64_t all = 0;
  for (const Entry& entry : entries) all = model::saturated_sum(all, entry.thread->cpu_ns);
  return static_cast<double>(all);
}

std::string start_function(const Subject& subject, const Entry& entry, bool wide) {
  if (entry.thread->main) return "(main thread)";
  if (!entry.thread->start_routine) return {};
  const auto locations = subject.symbols.locations(entry.process, *entry.thread->start_routine);
  return locations.empty() ? std::string() : location_label(subject.symbols, locations.back(), wide);
}

}  // namespace

Figures<Entry> thread_figures(const Subject& subject, const std::vector<Entry>& entries, const ViewOptions& options) {
  const auto process = [&run = subject.run](const Entry& entry) -> const model::Process& {
    return run.processes[entry.process];
  };
  const bool room = options.memory_columns;
  const bool copies =
      std::any_of(entries.begin(), entries.end(), [&](auto& entry) { return process(entry).copies_counted; });
  using Known = bool (*)(const model::Process&, const model::Thread&);
  constexpr Known kHeap = [](const model::Process& of, const model::Thread&) { return heap_recorded(of); };
  constexpr Known kCopies = [](const model::Process& of, const model::Thread&) { return of.copies_counted; };
  constexpr Known kPythonHeap = [](const model::Process& of, const model::Thread&) { return of.python_counted; };
  constexpr Known kSampled = [](const model::Process& of, const model::Thread& thread) {
    return of.sample_period_ns != 0 && !thread.unsampled;
  };
  const auto counter = [process](std::uint64_t model::Counters::*value, Known known) {
    return [=](auto& entry) {
      return known_if(known(process(entry), *entry.thread), model::to_signed(entry.thread->counters.*value));
    };
  };
  const auto of_python = [process](std::uint64_t model::Thread::*count) {
    return [=](auto& entry) {
      return known_if(process(entry).python.has_value(), model::to_signed(entry.thread->*count));
    };
  };
  return {{{"pid", "pid", Kind::Plain}, [=](auto& entry) { return process(entry).pid; }, kNotInJson},
          {{"tid", "tid", Kind::Plain}, [](auto& entry) { return entry.thread->tid; }},
          {{"wall_ns", "wall", Kind::Time, "", shown_if(room)},
           [](const Entry& entry) {
             const model::Thread& of = *entry.thread;
             return model::to_signed(of.end_monotonic_ns - std::min(of.start_monotonic_ns, of.end_monotonic_ns));
           }},
          {{"cpu_ns", "cpu", Kind::Time}, [](auto& entry) { return model::to_signed(entry.thread->cpu_ns); }},
          {{"cpu_share", "%", Kind::Share, "of all", Where::TableOnly},
           [whole = cpu_of(entries)](auto& entry) { return share(static_cast<double>(entry.thread->cpu_ns), whole); }},
          {{"samples", "samples", Kind::Count}, counter(&model::Counters::cpu_samples, kSampled)},
          {{"allocations", "allocs", Kind::Count}, counter(&model::Counters::allocations, kHeap)},
          {{"allocated_bytes", "allocated", Kind::Bytes}, counter(&model::Counters::allocated_bytes, kHeap)},
          {{"frees", "frees", Kind::Count, "", shown_if(room)}, counter(&model::Counters::frees, kHeap)},
          {data("reallocations", "reallocs", Kind::Count), counter(&model::Counters::reallocations, kHeap)},
          {data("copies", "copies", Kind::Count), counter(&model::Counters::copies, kCopies)},
          {{"copied_bytes", "copied", Kind::Bytes, "", shown_if(copies && room)},
           counter(&model::Counters::copied_bytes, kCopies)},
          {data("python_allocations", "py allocs", Kind::Count),
           counter(&model::Counters::python_allocations, kPythonHeap)},
          {{"agent_ns", "agent", Kind::Time, "", shown_if(room)},
           [](auto& entry) { return model::to_signed(entry.thread->counters.agent_ns); },
           "agent_cpu_s"},
          {{"merged", "ended", Kind::Count, "", shown_if(room)}, [](auto& entry) { return entry.thread->merged; }},
          {{"name", "name", Kind::Text}, [](auto& entry) { return entry.thread->display_name(); }, kNotInJson},
          {{"start_function", "started in", Kind::Text, "", Where::Everywhere, !options.wide},
           [&subject, wide = options.wide](auto& entry) { return start_function(subject, entry, wide); },
           kNotInJson},
          {data("maps", "maps", Kind::Count), counter(&model::Counters::maps, kHeap)},
          {data("mapped_bytes", "mapped", Kind::Bytes), counter(&model::Counters::mapped_bytes, kHeap)},
          {data("unmaps", "unmaps", Kind::Count), counter(&model::Counters::unmaps, kHeap)},
          {data("unmapped_bytes", "unmapped", Kind::Bytes), counter(&model::Counters::unmapped_bytes, kHeap)},
          {data("python_stacks", "py stacks", Kind::Count), of_python(&model::Thread::python_stacks)},
          {data("python_groups", "py groups", Kind::Count), of_python(&model::Thread::python_groups)},
          {data("main", "main", Kind::Flag), [](auto& entry) { return entry.thread->main; }},
          {data("running", "running", Kind::Flag), [](auto& entry) { return entry.thread->running; }}};
}

static Sheet threads_view(const Subject& subject, const ViewOptions& options) {
  std::vector<Entry> entries = fold::thread_walls(subject.run, subject.selection);
  sort_entries(entries, options.sort.value_or(SortKey::Tottime));
  fold::WallSplit all;
  for (const Entry& entry : entries) all += entry.split;

  Sheet sheet;
  sheet.title = "Threads";
  sheet.captions.push_back(
      fmt::format("Exact figures of each thread; % is of {} of CPU time. ended: threads before it whose figures are in "
                  "the same line; "
                  "agent: time in the profiler's own hooks and handlers.",
                  duration(cpu_of(entries))));
  for (std::string& caption : wall_captions(all)) sheet.captions.push_back(std::move(caption));
  for (std::string& caption : filters(subject, options)) sheet.captions.push_back(std::move(caption));
  for (std::string& caption : loss_captions(subject.run)) sheet.captions.push_back(std::move(caption));

  Figures<Entry> figures = thread_figures(subject, entries, options);
  // Behind the columns of CPU time.
  constexpr std::ptrdiff_t kWallColumn = 5;
  const Figures<Entry> parts = figures_of(&Entry::split, wall_figures(all, options.memory_columns));
  figures.insert(figures.begin() + kWallColumn, parts.begin(), parts.end());
  const std::size_t shown = options.rows_of(entries.size(), 30);
  fill(sheet, figures, entries, shown);
  sheet.notes = left_out(shown, entries.size(), "threads");
  return sheet;
}

static std::string threads_text(const Subject& subject, const ViewOptions& options, const Terminal& terminal) {
  const std::string bars = wall_bars(subject, options, terminal);
  return bars + (bars.empty() ? "" : "\n") + table(threads_view(subject, options), terminal);
}

extern const View kThreadsView{
    .name = "threads",
    .help = "threads: CPU, blocked by class, waiting for CPU",
    .topic = Topic::Run,
    .sheets = one_sheet<threads_view>,
    .text = threads_text,
    .sorts = {SortKey::Tottime, SortKey::Blocked, SortKey::Wall, SortKey::Allocated, SortKey::Allocations,
              SortKey::Peak, SortKey::Live, SortKey::Calls, SortKey::Name}};

}  // namespace prof::show
