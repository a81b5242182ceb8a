#include <fmt/format.h>

#include <algorithm>

#include "report/show/captions.hpp"
#include "report/show/numbers.hpp"
#include "report/show/processes.hpp"
#include "report/show/stack_text.hpp"
#include "report/show/table.hpp"
#include "report/show/view.hpp"
#include "report/show/waiting/wall_words.hpp"

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

std::string start_function(const Subject& subject, const Entry& entry, bool wide) {
  if (entry.thread->main) return "(main thread)";
  if (!entry.thread->start_routine) return {};
  const auto locations = subject.symbols.locations(entry.process, *entry.thread->start_routine);
  return locations.empty() ? std::string() : location_label(subject.symbols, locations.back(), wide);
}

}  // namespace

Sheet threads_view(const Subject& subject, const ViewOptions& options) {
  std::vector<Entry> entries = fold::thread_walls(subject.run, subject.selection);
  sort_entries(entries, options.sort.value_or(SortKey::Tottime));
  std::uint64_t all_cpu = 0;
  fold::WallSplit all;
  for (const Entry& entry : entries) {
    all_cpu = model::saturated_sum(all_cpu, entry.thread->cpu_ns);
    all += entry.split;
  }
  const auto whole = static_cast<double>(all_cpu);

  Sheet sheet;
  sheet.title = "Threads";
  sheet.captions.push_back(
      fmt::format("Exact figures of each thread; % is of {} of CPU time. ended: threads before it whose figures are in "
                  "the same line; "
                  "agent: time in the profiler's own hooks and handlers.",
                  duration(whole)));
  for (std::string& caption : wall_captions(all)) sheet.captions.push_back(std::move(caption));
  for (std::string& caption : filters(subject, options)) sheet.captions.push_back(std::move(caption));
  for (std::string& caption : loss_captions(subject.run)) sheet.captions.push_back(std::move(caption));

  const bool copies = std::any_of(entries.begin(), entries.end(), [&](const Entry& entry) {
    return subject.run.processes[entry.process].copies_counted;
  });
  const Where copied = copies && options.memory_columns ? Where::Everywhere : Where::CsvOnly;
  const Where roomy = options.memory_columns ? Where::Everywhere : Where::CsvOnly;
  sheet.columns = {{"pid", "pid", Kind::Plain},
                   {"tid", "tid", Kind::Plain},
                   {"wall_ns", "wall", Kind::Time, "", roomy},
                   {"cpu_ns", "cpu", Kind::Time},
                   {"cpu_share", "%", Kind::Share, "of all", Where::TableOnly},
                   {"samples", "samples", Kind::Count},
                   {"allocations", "allocs", Kind::Count},
                   {"allocated_bytes", "allocated", Kind::Bytes},
                   {"frees", "frees", Kind::Count, "", roomy},
                   {"reallocations", "reallocs", Kind::Count, "", Where::CsvOnly},
                   {"copies", "copies", Kind::Count, "", Where::CsvOnly},
                   {"copied_bytes", "copied", Kind::Bytes, "", copied},
                   {"python_allocations", "py allocs", Kind::Count, "", Where::CsvOnly},
                   {"agent_ns", "agent", Kind::Time, "", roomy},
                   {"merged", "ended", Kind::Count, "", roomy},
                   {"name", "name", Kind::Text},
                   {"start_function", "started in", Kind::Text, "", Where::Everywhere, !options.wide}};
  // Behind the columns of CPU time.
  constexpr std::ptrdiff_t kWallColumn = 5;
  const std::vector<Column> wall_parts = wall_columns(all, options.memory_columns);
  sheet.columns.insert(sheet.columns.begin() + kWallColumn, wall_parts.begin(), wall_parts.end());
  const std::size_t shown = options.rows_of(entries.size(), 30);
  for (std::size_t i = 0; i < shown; ++i) {
    const model::Process& process = subject.run.processes[entries[i].process];
    const model::Thread& thread = *entries[i].thread;
    const auto amount = [](std::uint64_t value) { return Cell(model::to_signed(value)); };
    const bool heap_known = heap_recorded(process);
    const auto heap = [&](std::uint64_t value) { return heap_known ? amount(value) : Cell(); };
    const bool sampled = process.sample_period_ns != 0 && !thread.unsampled;
    const std::uint64_t wall = thread.end_monotonic_ns - std::min(thread.start_monotonic_ns, thread.end_monotonic_ns);
    std::vector<Cell> cells{std::int64_t{process.pid},
                            std::int64_t{thread.tid},
                            amount(wall),
                            amount(thread.cpu_ns),
                            share(static_cast<double>(thread.cpu_ns), whole),
                            sampled ? amount(thread.counters.cpu_samples) : Cell(),
                            heap(thread.counters.allocations),
                            heap(thread.counters.allocated_bytes),
                            heap(thread.counters.frees),
                            heap(thread.counters.reallocations),
                            process.copies_counted ? amount(thread.counters.copies) : Cell(),
                            process.copies_counted ? amount(thread.counters.copied_bytes) : Cell(),
                            process.python_counted ? amount(thread.counters.python_allocations) : Cell(),
                            amount(thread.counters.agent_ns),
                            std::int64_t{thread.merged},
                            Cell(thread.display_name()),
                            Cell(start_function(subject, entries[i], options.wide))};
    const std::vector<Cell> parts = wall_cells(entries[i].split);
    cells.insert(cells.begin() + kWallColumn, parts.begin(), parts.end());
    sheet.add(std::move(cells));
  }
  sheet.notes = left_out(shown, entries.size(), "threads");
  return sheet;
}

static std::string threads_text(const Subject& subject, const ViewOptions& options, const Terminal& terminal) {
  const std::string bars = wall_bars(subject, options, terminal);
  return bars + (bars.empty() ? "" : "\n") + table(threads_view(subject, options), terminal);
}

extern const View kThreadsView{.name = "threads",
                               .help = "threads: CPU, blocked by class, run queue",
                               .topic = Topic::Run,
                               .sheets = one_sheet<threads_view>,
                               .text = threads_text};

}  // namespace prof::show
