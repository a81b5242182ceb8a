#include <fmt/format.h>

#include <algorithm>

#include "report/fold/memory/resident.hpp"
#include "report/show/captions.hpp"
#include "report/show/numbers.hpp"
#include "report/show/processes.hpp"
#include "report/show/view.hpp"

namespace prof::show {
namespace {

using fold::ResidentKind;
using model::Process;

constexpr std::size_t kUsualProcesses = 3;

const char* words_of(ResidentKind kind) {
  switch (kind) {
    case ResidentKind::Allocator:
      return "malloc: brk, arenas, large blocks";
    case ResidentKind::HeapLive:
      return "  live blocks";
    case ResidentKind::Overhead:
      return "  allocator overhead";
    case ResidentKind::Mapped:
      return "mapped by the program";
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

// All tables have the same columns, so that they are one list as CSV.
std::vector<Column> columns(const ViewOptions& options, bool by_process) {
  const Where parts = by_process ? Where::DataOnly : Where::Everywhere;
  const Where processes = by_process ? Where::Everywhere : Where::DataOnly;
  return {{"pid", "pid", Kind::Plain, "", processes},
          {"moment", "moment", Kind::Text, "", Where::DataOnly},
          {"time_ns", "at", Kind::Time, "", processes},
          {"rss_bytes", "rss", Kind::Bytes},
          {"share", "%", Kind::Share, "of rss", by_process ? Where::DataOnly : Where::TableOnly},
          {"pss_bytes", "pss", Kind::Bytes},
          {"uss_bytes", "uss", Kind::Bytes},
          {"swap_bytes", "swap", Kind::Bytes, "", processes},
          {"size_bytes", "size", Kind::Bytes, "", parts},
          {"part", "part", Kind::Text, "", parts},
          {"command", "command", Kind::Text, "", processes, !options.wide}};
}

struct Moment {
  const char* name;   // in CSV
  const char* words;  // in titles
  const std::optional<model::ResidentMemory> Process::*memory;
};
constexpr Moment kMoments[] = {{"high", "at the highest RSS", &Process::memory_high},
                               {"last", "at the last look", &Process::memory_last}};

Cell time_of(const Process& process, const model::ResidentMemory& memory) {
  return model::to_signed(memory.monotonic_ns - std::min(memory.monotonic_ns, process.start_monotonic_ns));
}

Sheet processes_sheet(const Subject& subject, const ViewOptions& options, const std::vector<std::size_t>& chosen) {
  Sheet sheet;
  sheet.title = "Resident memory by process, at its highest RSS";
  sheet.captions.push_back(
      "pss: each shared page counted by its share, so that processes can be added up; uss: pages of no other process, "
      "what its end would give back. Sums of RSS count pages that forked processes share once for each.");
  sheet.columns = columns(options, true);
  std::int64_t rss = 0, pss = 0, uss = 0, swap = 0;
  for (const std::size_t i : chosen) {
    const Process& process = subject.run.processes[i];
    const fold::Resident memory = fold::explain(*process.memory_high);
    rss = model::saturated_sum(rss, memory.rss);
    pss = model::saturated_sum(pss, memory.pss);
    uss = model::saturated_sum(uss, memory.uss);
    swap = model::saturated_sum(swap, memory.swap);
    sheet.add({std::int64_t{process.pid}, Cell(std::string("high")), time_of(process, *process.memory_high), memory.rss,
               Cell(), memory.pss, memory.uss, memory.swap, Cell(), Cell(std::string("all")),
               Cell(command_label(process, options.wide || options.everything))});
  }
  if (!options.everything && chosen.size() > 1) {
    const Cell blank = std::string();
    sheet.add({blank, blank, blank, rss, Cell(), pss, uss, swap, Cell(), blank, Cell(std::string("(all)"))},
              Emphasis::Strong);
    sheet.notes.push_back("Each process at its own highest RSS: not all at one time.");
  }
  return sheet;
}

Sheet parts_sheet(const Process& process, const ViewOptions& options, const Moment& moment) {
  const model::ResidentMemory& memory = *(process.*moment.memory);
  const fold::Resident resident = fold::explain(memory);
  const auto whole = static_cast<double>(resident.rss);
  Sheet sheet;
  sheet.title = fmt::format("{} ({}): RSS {}", command_label(process, options.wide), process.pid, moment.words);
  sheet.captions.push_back(fmt::format(
      "{} after its start: RSS {}, PSS {}, USS {}, swapped out {}; {}.",
      duration(static_cast<double>(std::get<std::int64_t>(time_of(process, memory)))), bytes(whole),
      bytes(static_cast<double>(resident.pss)), bytes(static_cast<double>(resident.uss)),
      bytes(static_cast<double>(resident.swap)), counted(model::to_signed(memory.mappings), "mapping", "mappings")));
  sheet.columns = columns(options, false);
  const auto add = [&](const Cell& part, std::int64_t rss, Cell pss, Cell uss, Cell size, Emphasis emphasis) {
    sheet.add({std::int64_t{process.pid}, Cell(std::string(moment.name)), time_of(process, memory), rss,
               share(static_cast<double>(rss), whole), std::move(pss), std::move(uss), Cell(), std::move(size), part,
               Cell(command_label(process, true))},
              emphasis);
  };
  for (const fold::ResidentRow& row : resident.rows) {
    if (!options.everything && row.rss == 0 && row.size.value_or(0) == 0 && row.kind != ResidentKind::Residual)
      continue;
    const char* name = options.everything ? fold::to_string(row.kind) : words_of(row.kind);
    add(Cell(std::string(name)), row.rss, maybe(row.pss), maybe(row.uss), maybe(row.size),
        fold::is_share(row.kind) ? Emphasis::Faint : Emphasis::None);
  }
  add(Cell(std::string(options.everything ? "all" : "= RSS")), resident.rss, resident.pss, resident.uss, Cell(),
      Emphasis::Strong);
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
    none.columns = columns(options, true);
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
