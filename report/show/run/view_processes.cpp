#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "report/show/captions.hpp"
#include "report/show/figures.hpp"
#include "report/show/names.hpp"
#include "report/show/numbers.hpp"
#include "report/show/processes.hpp"
#include "report/show/view.hpp"

namespace prof::show {
namespace {

using model::Process;

// More lines than these are folded to the processes that matter.
constexpr std::size_t kUsualLines = 40;
constexpr std::size_t kUsualListed = 20;

// Processes in the order of a tree: each before those it made, images of one process one after the other.
class Order {
 public:
  explicit Order(const Subject& subject) : run_(subject.run), below_(run_.processes.size()) {
    std::vector<std::size_t> roots;
    for (std::size_t i = 0; i < run_.processes.size(); ++i) {
      const Process& process = run_.processes[i];
      const auto above = process.previous_image ? process.previous_image : process.parent;
      if (above && *above < below_.size() && *above != i) {
        below_[*above].push_back(i);
      } else {
        roots.push_back(i);
      }
    }
    visited_.assign(below_.size(), false);
    for (const std::size_t root : roots) walk(root);
    // Links that form a ring can only come from a damaged log; its processes are shown all the same.
    for (std::size_t i = 0; i < below_.size(); ++i) walk(i);
  }

  struct Entry {
    std::size_t process;
    std::size_t depth;
  };
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  void walk(std::size_t root) {
    std::vector<Entry> open{{root, 0}};
    while (!open.empty()) {
      const Entry entry = open.back();
      open.pop_back();
      if (visited_[entry.process]) continue;
      visited_[entry.process] = true;
      entries_.push_back(entry);
      const auto& below = below_[entry.process];
      for (auto child = below.rbegin(); child != below.rend(); ++child) {
        const bool image = run_.processes[*child].previous_image == entry.process;
        open.push_back({*child, entry.depth + (image ? 0 : 1)});
      }
    }
  }

  const model::Run& run_;
  std::vector<std::vector<std::size_t>> below_;
  std::vector<bool> visited_;
  std::vector<Entry> entries_;
};

void sort_flat(std::vector<Order::Entry>& entries, const model::Run& run, SortKey key) {
  const auto value = [&](const Order::Entry& entry) -> double {
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
  std::stable_sort(entries.begin(), entries.end(), [&](const Order::Entry& a, const Order::Entry& b) {
    if (key == SortKey::Name) return run.processes[a.process].command() < run.processes[b.process].command();
    return value(a) > value(b);
  });
  for (Order::Entry& entry : entries) entry.depth = 0;
}

// Of a run with very many processes those that matter: the `wanted` with the most CPU time and whoever started them.
// The many short helpers of a build or a shell script would hide them.
void keep_heaviest(std::vector<Order::Entry>& entries, const model::Run& run, std::size_t wanted) {
  if (entries.size() <= wanted) return;
  std::vector<std::size_t> by_cpu;
  for (const Order::Entry& entry : entries) by_cpu.push_back(entry.process);
  std::stable_sort(by_cpu.begin(), by_cpu.end(),
                   [&](std::size_t a, std::size_t b) { return run.processes[a].cpu_ns > run.processes[b].cpu_ns; });
  std::vector<bool> kept(run.processes.size(), false);
  for (std::size_t i = 0; i < wanted; ++i) {
    std::optional<std::size_t> process = by_cpu[i];
    while (process && *process < kept.size() && !kept[*process]) {
      kept[*process] = true;
      process = run.processes[*process].parent;
    }
  }
  entries.erase(
      std::remove_if(entries.begin(), entries.end(), [&](const Order::Entry& entry) { return !kept[entry.process]; }),
      entries.end());
}

Cell amount(std::uint64_t value) { return model::to_signed(value); }

Figures<Order::Entry> process_figures(const model::Run& run, const ViewOptions& options) {
  const bool ranks = std::any_of(run.processes.begin(), run.processes.end(),
                                 [](const Process& process) { return process.rank.has_value(); });
  const bool everything = options.everything, wide = options.wide;
  const Where roomy = shown_if(options.memory_columns);
  // What is said of the process of a row.
  const auto of = [&run](auto said) {
    return [&run, said](const Order::Entry& entry) -> Cell { return said(run.processes[entry.process]); };
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
       [&run, everything, wide](const Order::Entry& entry) {
         return std::string(everything ? 0 : 2 * entry.depth, ' ') +
                command_label(run.processes[entry.process], wide || everything);
       }},
      {data("exe", "exe", Kind::Text), of([](auto& process) { return process.exe; })},
      {data("log", "log", Kind::Text), of([](auto& process) { return process.log_path.string(); })}};
}

}  // namespace

static Sheet processes_view(const Subject& subject, const ViewOptions& options) {
  const model::Run& run = subject.run;
  std::vector<Order::Entry> entries = Order(subject).entries();
  entries.erase(std::remove_if(entries.begin(), entries.end(),
                               [&](const Order::Entry& entry) {
                                 return !subject.selection.includes(run.processes[entry.process]);
                               }),
                entries.end());
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
                                 .sheets = one_sheet<processes_view>};

}  // namespace prof::show
