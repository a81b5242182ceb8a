#include <fmt/format.h>

#include <algorithm>

#include "report/fold/memory/resident.hpp"
#include "report/show/captions.hpp"
#include "report/show/figures.hpp"
#include "report/show/numbers.hpp"
#include "report/show/processes.hpp"
#include "report/show/view.hpp"

namespace prof::show {
namespace {

using fold::ResidentKind;
using model::Process;

constexpr std::size_t kUsualProcesses = 3;

const char* name_of(ResidentKind kind) {
  switch (kind) {
    case ResidentKind::Allocator:
      return "malloc: brk, arenas, large blocks";
    case ResidentKind::HeapLive:
      return "  live blocks";
    case ResidentKind::Overhead:
      return "  allocator overhead";
    case ResidentKind::Mapped:
      return "mapped by the program";
    case ResidentKind::JavaHeap:
      return "Java heap";
    case ResidentKind::Shared:
      return "shared memory";
    case ResidentKind::MainStack:
      return "main stack";
    case ResidentKind::Stacks:
      return "thread stacks";
    case ResidentKind::Code:
      return "code";
    case ResidentKind::FileData:
      return "file data";
    case ResidentKind::Agent:
      return "the profiler";
    case ResidentKind::Residual:
      break;
  }
  return "residual";
}

struct Moment {
  const char* name;   // in CSV
  const char* words;  // in titles
  const std::optional<model::ResidentMemory> Process::*memory;
};
constexpr double kMuchMore = 1.1;  // than at the look, from which on it is worth a word
// The highest is the highest of those looks: the kernel's own figure, which the first screen has, may lie between two.
constexpr Moment kMoments[] = {{"high", "the look with the highest RSS", &Process::memory_high},
                               {"last", "the last look", &Process::memory_last}};

Cell time_of(const Process& process, const model::ResidentMemory& memory) {
  return model::to_signed(memory.monotonic_ns - std::min(memory.monotonic_ns, process.start_monotonic_ns));
}

// Of any table: all have the same columns, so that they are one list as CSV.
struct ResidentLine {
  const Process* process;  // null: of all of them
  const Moment* moment;
  std::int64_t rss;
  std::optional<std::int64_t> pss, uss, swap, size;
  std::string part;
  std::string command;
  double whole;  // RSS of the process; 0: no share is to be shown
};

Figures<ResidentLine> resident_figures(const ViewOptions& options, bool by_process) {
  const Where parts = shown_if(!by_process), processes = shown_if(by_process);
  // Of all processes nothing, which is not the same as unknown.
  const auto of_one = [](auto said) {
    return [said](const ResidentLine& line) { return line.process == nullptr ? Cell(std::string()) : said(line); };
  };
  return {
      {{"pid", "pid", Kind::Plain, "", processes},
       of_one([](auto& line) { return Cell(std::int64_t{line.process->pid}); })},
      {data("moment", "moment", Kind::Text), of_one([](auto& line) { return Cell(std::string(line.moment->name)); })},
      {{"time_ns", "at", Kind::Time, "", processes},
       of_one([](auto& line) { return time_of(*line.process, *(line.process->*line.moment->memory)); })},
      {{"rss_bytes", "rss", Kind::Bytes}, &ResidentLine::rss},
      {{"share", "%", Kind::Share, "of rss", by_process ? Where::DataOnly : Where::TableOnly},
       [](auto& line) { return share(static_cast<double>(line.rss), line.whole); }},
      {{"pss_bytes", "pss", Kind::Bytes}, [](auto& line) { return maybe(line.pss); }},
      {{"uss_bytes", "uss", Kind::Bytes}, [](auto& line) { return maybe(line.uss); }},
      {{"swap_bytes", "swap", Kind::Bytes, "", processes}, [](auto& line) { return maybe(line.swap); }},
      {{"size_bytes", "size", Kind::Bytes, "", parts}, [](auto& line) { return maybe(line.size); }},
      {{"part", "part", Kind::Text, "", parts}, &ResidentLine::part},
      {{"command", "command", Kind::Text, "", processes, !options.wide}, &ResidentLine::command}};
}

Sheet processes_sheet(const Subject& subject, const ViewOptions& options, const std::vector<std::size_t>& chosen) {
  Sheet sheet;
  sheet.title = "Resident memory by process, at the look with its highest RSS";
  sheet.captions.push_back(
      "pss: each shared page counted by its share, so that processes can be added up; uss: pages of no other process, "
      "what its end would give back. Sums of RSS count pages that forked processes share once for each.");
  const Figures<ResidentLine> figures = resident_figures(options, true);
  sheet.columns = columns_of(figures);
  std::int64_t rss = 0, pss = 0, uss = 0, swap = 0;
  for (const std::size_t i : chosen) {
    const Process& process = subject.run.processes[i];
    const fold::Resident memory = fold::explain(*process.memory_high);
    rss = model::saturated_sum(rss, memory.rss);
    pss = model::saturated_sum(pss, memory.pss);
    uss = model::saturated_sum(uss, memory.uss);
    swap = model::saturated_sum(swap, memory.swap);
    sheet.add(cells_of(figures, {&process,
                                 &kMoments[0],
                                 memory.rss,
                                 memory.pss,
                                 memory.uss,
                                 memory.swap,
                                 {},
                                 "all",
                                 command_label(process, options.wide || options.everything),
                                 0}));
  }
  if (!options.everything && chosen.size() > 1) {
    sheet.add(cells_of(figures, {nullptr, &kMoments[0], rss, pss, uss, swap, {}, "", "(all)", 0}), Emphasis::Strong);
    sheet.notes.push_back("Each process at the look with its own highest RSS: not all at one time.");
  }
  return sheet;
}

Sheet parts_sheet(const Process& process, const ViewOptions& options, const Moment& moment) {
  const model::ResidentMemory& memory = *(process.*moment.memory);
  const fold::Resident resident = fold::explain(memory);
  const auto whole = static_cast<double>(resident.rss);
  Sheet sheet;
  sheet.title =
      fmt::format("{} ({}): resident memory at {}", command_label(process, options.wide), process.pid, moment.words);
  sheet.captions.push_back(fmt::format(
      "{} after its start: RSS {}, PSS {}, USS {}, swapped out {}; {}.",
      duration(static_cast<double>(std::get<std::int64_t>(time_of(process, memory)))), bytes(whole),
      bytes(static_cast<double>(resident.pss)), bytes(static_cast<double>(resident.uss)),
      bytes(static_cast<double>(resident.swap)), counted(model::to_signed(memory.mappings), "mapping", "mappings")));
  const Figures<ResidentLine> figures = resident_figures(options, false);
  sheet.columns = columns_of(figures);
  using Amount = std::optional<std::int64_t>;
  const auto add = [&](const char* part, std::int64_t rss, Amount pss, Amount uss, Amount size, Emphasis emphasis) {
    sheet.add(
        cells_of(figures, {&process, &moment, rss, pss, uss, {}, size, part, command_label(process, true), whole}),
        emphasis);
  };
  for (const fold::ResidentRow& row : resident.rows) {
    if (!options.everything && row.rss == 0 && row.size.value_or(0) == 0 && row.kind != ResidentKind::Residual)
      continue;
    const char* name = options.everything ? fold::to_string(row.kind) : name_of(row.kind);
    add(name, row.rss, row.pss, row.uss, row.size, fold::is_share(row.kind) ? Emphasis::Faint : Emphasis::None);
  }
  add(options.everything ? "all" : "= RSS", resident.rss, resident.pss, resident.uss, {}, Emphasis::Strong);
  if (&moment == &kMoments[0] && process.peak_rss_bytes &&
      static_cast<double>(*process.peak_rss_bytes) > kMuchMore * whole) {
    sheet.notes.push_back(fmt::format("The most was {}, between two looks: what it was made of is not known.",
                                      bytes(static_cast<double>(*process.peak_rss_bytes))));
  }
  if (resident.not_resident > 0) {
    sheet.notes.push_back(fmt::format("{} more of live blocks were not resident: never touched, or swapped out.",
                                      bytes(static_cast<double>(resident.not_resident))));
  }
  return sheet;
}

}  // namespace

// What the resident memory of each process was made of.
static std::vector<Sheet> memory_view(const Subject& subject, const ViewOptions& options) {
  std::vector<std::size_t> chosen = selected_processes(subject);
  std::erase_if(chosen, [&](std::size_t i) { return !subject.run.processes[i].memory_high; });
  std::stable_sort(chosen.begin(), chosen.end(), [&](std::size_t a, std::size_t b) {
    return subject.run.processes[a].memory_high->rss > subject.run.processes[b].memory_high->rss;
  });
  std::vector<Sheet> sheets;
  if (chosen.empty()) {
    Sheet& none = sheets.emplace_back();
    none.title = "Resident memory";
    none.columns = columns_of(resident_figures(options, true));
    none.notes.emplace_back("What resident memory was made of was not recorded of any process.");
    return sheets;
  }
  if (chosen.size() > 1 && !options.everything) sheets.push_back(processes_sheet(subject, options, chosen));
  const std::size_t shown = options.rows_of(chosen.size(), kUsualProcesses);
  for (std::size_t i = 0; i < shown; ++i) {
    const Process& process = subject.run.processes[chosen[i]];
    const bool moved_on = process.memory_last && process.memory_last->monotonic_ns != process.memory_high->monotonic_ns;
    for (const Moment& moment : kMoments) {
      const bool wanted = &moment == &kMoments[0] || (moved_on && (options.everything || shown == 1));
      if (wanted) sheets.push_back(parts_sheet(process, options, moment));
    }
  }
  Sheet& last = sheets.back();
  for (std::string& note : left_out(shown, chosen.size(), "processes")) last.notes.push_back(std::move(note));
  last.notes.push_back(
      fmt::format("Live blocks of malloc are {}; allocator overhead is the rest of what malloc took from the "
                  "system: free blocks, headers, fragments.",
                  heap_sampling(subject)));
  std::vector<std::string>& captions = sheets.front().captions;
  for (std::string& caption : filters(subject, options)) captions.push_back(std::move(caption));
  return sheets;
}

extern const View kMemoryView{
    .name = "memory",
    .help = "what resident memory was made of",
    .topic = Topic::Memory,
    .available = any_process<[](const model::Process& p) { return p.memory_last.has_value(); }>,
    .sheets = memory_view};

}  // namespace prof::show
