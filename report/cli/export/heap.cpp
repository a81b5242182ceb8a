// Formats of the heap of one process.
#include <fmt/format.h>

#include <cstddef>
#include <optional>

#include "report/cli/common/messages.hpp"
#include "report/cli/common/usage_error.hpp"
#include "report/cli/export/export.hpp"
#include "report/formats/heaptrack.hpp"
#include "report/formats/massif.hpp"
#include "report/show/processes.hpp"

namespace prof::cli {
namespace {

// A file of heaptrack or massif holds one process: the selected image with the highest peak. Nothing if none of them
// recorded its heap.
std::optional<std::size_t> one_process(const ExportArguments& arguments, const OpenedRun& opened) {
  if (opened.selection.by_thread()) {
    throw UsageError("what is live cannot be told by thread: --thread goes with the other formats");
  }
  std::optional<std::size_t> chosen;
  std::size_t count = 0;
  const auto& processes = opened.run.processes;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    if (!opened.selection.includes(processes[i]) || processes[i].tree.heap.empty()) continue;
    ++count;
    if (!chosen || processes[i].heap_peak_bytes > processes[*chosen].heap_peak_bytes) chosen = i;
  }
  if (!chosen) return chosen;
  const model::Process& process = processes[*chosen];
  if (count > 1) {
    say(
        fmt::format("a {} file holds one process: this is {} (pid {}), of {} the one with the highest peak; --pid "
                    "chooses another",
                    arguments.format->name, show::command_label(process, false), process.pid, count));
  }
  if (process.heap_mode == log::HeapMode::Sampled) {
    say("made from samples of allocations: figures are estimates, and temporary allocations are not known (prof run "
        "--heap exact counts them)");
  }
  return chosen;
}

Exported write_heaptrack(const ExportArguments& arguments, const OpenedRun& opened, const formats::Write& write) {
  const auto process = one_process(arguments, opened);
  if (!process) return Exported::Nothing;
  formats::HeaptrackOptions options;
  options.whole_names = arguments.wide;
  const formats::HeaptrackResult result = formats::heaptrack(opened.subject(), *process, options, write);
  if (result.scale > 1) {
    say(
        fmt::format("heaptrack's format has a line for each allocation: of those that came and went, one in {} is in "
                    "the file, so calls and temporary allocations are to be multiplied by that; the peak and what "
                    "leaked are whole",
                    result.scale));
  }
  return something_if(result.any);
}

Exported write_massif(const ExportArguments& arguments, const OpenedRun& opened, const formats::Write& write) {
  const auto process = one_process(arguments, opened);
  return something_if(process && formats::massif(opened.subject(), *process, arguments.wide, write));
}

}  // namespace

extern const Export kHeaptrackExport{
    .name = "heaptrack", .help = "heaptrack_gui, heaptrack_print", .write = write_heaptrack};

extern const Export kMassifExport{.name = "massif", .help = "ms_print, massif-visualizer", .write = write_massif};

}  // namespace prof::cli
