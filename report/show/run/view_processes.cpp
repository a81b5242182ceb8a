#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "report/show/captions.hpp"
#include "report/show/figures.hpp"
#include "report/show/names.hpp"
#include "report/show/numbers.hpp"
#include "report/show/processes.hpp"
#include "report/show/run/process_tree.hpp"
#include "report/show/view.hpp"

namespace prof::show {
namespace {

using model::Process;

// More lines than these are folded to the processes that matter.
constexpr std::size_t kUsualLines = 40;
constexpr std::size_t kUsualListed = 20;

void sort_flat(std::vector<ProcessRow>& entries, const model::Run& run, SortKey key) {
  const auto value = [&](const ProcessRow& entry) -> double {
    const Process& process = run.processes[entry.process];
    switch (key) {
      case SortKey::Live:
      case SortKey::Peak:
        return static_cast<double>(process.heap_peak_bytes);
      case SortKey::Allocated:
        return static_cast<double>(process.totals.allocated_bytes);
      case SortKey::Calls:
      case SortKey::Allocations:
        return static_cast<double>(process.totals.allocations);
      default:
        return static_cast<double>(process.cpu_ns);
    }
  };
  std::stable_sort(entries.begin(), entries.end(), [&](const ProcessRow& a, const ProcessRow& b) {
    if (key == SortKey::Name) return run.processes[a.process].command() < run.processes[b.process].command();
    return value(a) > value(b);
  });
  for (ProcessRow& entry : entries) entry.depth = 0;
}

Cell amount(std::uint64_t value) { return model::to_signed(value); }

Figures<ProcessRow> process_figures(const model::Run& run, const ViewOptions& options) {
  const bool ranks = std::any_of(run.processes.begin(), run.processes.end(),
                                 [](const Process& process) { return process.rank.has_value(); });
  const bool everything = options.everything, wide = options.wide;
  const Where roomy = shown_if(options.memory_columns);
  // What is said of the process of a row.
  const auto of = [&run](auto said) {
    return [&run, said](const ProcessRow& entry) -> Cell { return said(run.processes[entry.process]); };
  };
  return {
      {{"pid", "pid", Kind::Plain}, of([](auto& process) { return std::int64_t{process.pid}; })},
      {data("parent_pid", "parent", Kind::Plain), of([&run](auto& process) {
         return std::int64_t{process.parent ? run.processes[*process.parent].pid : process.ppid};
       })},
      {data("image", "image", Kind::Plain), of([](auto& process) { return std::int64_t{process.image}; })},
      {{"rank", "rank", Kind::Plain, "", shown_if(ranks)}, of([](auto& process) { return maybe(process.rank); })},
      {{"start_ns", "start", Kind::Time, "", roomy}, of([&run](auto& process) {
         return model::saturated_difference(model::to_signed(process.start_realtime_ns),
                                            model::to_signed(run.start_realtime_ns));
       })},
      {{"wall_ns", "wall", Kind::Time}, of([](auto& process) { return amount(process.wall_ns()); })},
      {{"cpu_ns", "cpu", Kind::Time}, of([](auto& process) { return amount(process.cpu_ns); })},
      {{"cpu_share", "%", Kind::Share, "of all", Where::TableOnly}, of([&run](auto& process) {
         return share(static_cast<double>(process.cpu_ns), static_cast<double>(run.cpu_ns));
       })},
      {{"threads", "threads", Kind::Count, "", roomy},
       of([](auto& process) { return amount(process.thread_count()); })},
      {{"peak_rss_bytes", "peak rss", Kind::Bytes}, of([](auto& process) { return maybe(process.peak_rss_bytes); })},
      {{"allocations", "allocs", Kind::Count, "", roomy},
       of([](auto& process) { return known_if(heap_recorded(process), amount(process.totals.allocations)); })},
      {{"allocated_bytes", "allocated", Kind::Bytes, "", roomy},
       of([](auto& process) { return known_if(heap_recorded(process), amount(process.totals.allocated_bytes)); })},
      {{"heap_peak_bytes", "heap peak", Kind::Bytes},
       of([](auto& process) { return known_if(heap_recorded(process), process.heap_peak_bytes); })},
      {{"end", "end", Kind::Text}, of([](auto& process) { return ending(process); })},
      {data("exit_code", "exit code", Kind::Plain), of([](auto& process) { return maybe(process.exit_code); })},
      {{"command", "command", Kind::Text, "", Where::Everywhere, !wide},
       [&run, everything, wide](const ProcessRow& entry) {
         return std::string(everything ? 0 : 2 * entry.depth, ' ') +
                command_label(run.processes[entry.process], wide || everything);
       }},
      {data("exe", "exe", Kind::Text), of([](auto& process) { return process.exe; })},
      {data("log", "log", Kind::Text), of([](auto& process) { return process.log_path.string(); })}};
}

}  // namespace

static Sheet processes_view(const Subject& subject, const ViewOptions& options) {
  const model::Run& run = subject.run;
  std::vector<ProcessRow> entries = process_tree(subject);
  if (options.sort) sort_flat(entries, run, *options.sort);

  Sheet sheet;
  sheet.title = "Processes";
  sheet.captions.push_back(
      fmt::format("One line for each process image (an exec starts a new one){}. Times, allocations and allocated "
                  "bytes are exact; % is "
                  "of {} of CPU time; heap peak: {}.",
                  options.sort ? "" : ", each below its parent", duration(static_cast<double>(run.cpu_ns)),
                  heap_sampling(subject)));
  for (std::string& caption : filters(subject, options)) sheet.captions.push_back(std::move(caption));
  for (std::string& caption : loss_captions(run)) sheet.captions.push_back(std::move(caption));

  const std::size_t all = entries.size();
  const bool folded = !options.sort && !options.limit && !options.everything && all > kUsualLines;
  if (folded) keep_heaviest(entries, run, kUsualListed);
  const std::size_t shown = folded ? entries.size() : options.rows_of(all, kUsualLines);
  fill(sheet, process_figures(run, options), entries, shown);
  sheet.notes = left_out(shown, all, "process images");
  if (folded) sheet.notes.push_back("Left out are those with the least CPU time.");
  return sheet;
}

static bool holds_several_processes(const Subject& subject) { return selected_processes(subject).size() > 1; }

extern const View kProcessesView{.name = "processes",
                                 .help = "processes: CPU, wall time, memory, how they ended",
                                 .topic = Topic::Run,
                                 .available = holds_several_processes,
                                 .sheets = one_sheet<processes_view>,
                                 .sorts = {SortKey::Tottime, SortKey::Peak, SortKey::Live, SortKey::Allocated,
                                           SortKey::Allocations, SortKey::Calls, SortKey::Name}};

}  // namespace prof::show
