// The views of `prof report`: each turns a run into sheets.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "report/fold/selection.hpp"
#include "report/fold/training/operators.hpp"
#include "report/model/profile.hpp"
#include "report/show/sheet.hpp"
#include "report/show/terminal.hpp"
#include "report/symbols/symbols.hpp"

namespace prof::show {

enum class SortKey {
  Tottime,
  Cumtime,
  Calls,
  Live,
  Peak,
  Allocated,
  Allocations,
  Temporary,
  Leaks,
  Gpu,
  Blocked,
  Wall,
  Total,
  Average,
  Bytes,
  Flops,
  Name,
  HostBytes,  // memory of tensors, as operators have it
  SelfHostBytes,
  DeviceBytes,
  SelfDeviceBytes,
  SelfGpu,     // as operators have it; Gpu: with what is inside
  GpuAverage,  // of a call
};
// True of keys that order by memory; and the measure that they order functions and lines by: CPU time of all others.
bool by_memory(SortKey key);
model::Measure measure_of(SortKey key);

// What is shown: all of it must outlive the call.
struct Subject {
  const model::Run& run;
  const symbols::Symbols& symbols;
  const fold::Selection& selection;
};

struct ViewOptions {
  std::optional<SortKey> sort{};
  std::optional<std::size_t> limit{};                // rows; 0: all; without a value: as many as read well
  bool everything = false;                           // for other programs: without `limit` all rows, nothing pruned
  bool wide = false;                                 // whole names and paths
  bool memory_columns = true;                        // there is room for them
  model::Measure measure = model::Measure::CpuTime;  // of callers and tree
  std::string function{};                            // callers: regular expression; empty: those with most tottime
  std::optional<symbols::Language> language{};       // functions, lines: only those of this one
  bool bottom_up = false;
  bool by_function = false;              // own: a row for each function, not for each line
  double min_percent = 1.0;              // tree, imports, modules: smaller branches are pruned
  fold::OperatorGrouping group_by{};     // ops
  std::optional<std::uint64_t> steps{};  // that the run took: leaks are told by step, too; never 0
  std::string focus{}, ignore{};  // the texts behind the selection's expressions; what source, calls and line hits show

  // Rows to show of `count`, where `usual` read well.
  std::size_t rows_of(std::size_t count, std::size_t usual) const;
};

// What a view is about, which orders `prof report --list-views` and the summary's "Next".
enum class Topic { Time, Python, Training, Waiting, Gpu, Memory, Run };

// A view: a row, which stands in the file that makes its sheets. summary/views.cpp lists them.
struct View {
  std::string_view name;  // of --view
  std::string_view help;  // what it shows, in a line
  Topic topic;
  bool (*available)(const Subject&) = nullptr;  // whether the run holds something for it; quick. Null: every run does
  std::vector<Sheet> (*sheets)(const Subject&, const ViewOptions&);  // not none; one list as CSV
  // For people, where that is not the sheets as tables.
  std::string (*text)(const Subject&, const ViewOptions&, const Terminal&) = nullptr;
  bool own_focus = false;      // looks its focus up itself: there are no stacks in what it shows, or all are wanted
  std::string_view with = {};  // what else has to be typed
};

// For `available`: whether a selected process is such a one.
template <bool (*has)(const model::Process&)>
bool any_process(const Subject& subject) {
  const auto& processes = subject.run.processes;
  return std::any_of(processes.begin(), processes.end(),
                     [&](const model::Process& p) { return subject.selection.includes(p) && has(p); });
}

// For `sheets`, of a view that is one.
template <Sheet (*make)(const Subject&, const ViewOptions&)>
std::vector<Sheet> one_sheet(const Subject& subject, const ViewOptions& options) {
  return {make(subject, options)};
}

// What --focus looks for is not there, or is not one thing: what() says so and lists what comes nearest.
struct NoSuchFocus : std::runtime_error {
  using std::runtime_error::runtime_error;
};

Sheet functions_view(const Subject& subject, const ViewOptions& options);
Sheet callers_view(const Subject& subject, const ViewOptions& options);
Sheet tree_view(const Subject& subject, const ViewOptions& options);
// Lines of source by CPU time: of Python, then native ones where there is debug information.
std::vector<Sheet> lines_view(const Subject& subject, const ViewOptions& options);
// The source of the file or function that options.focus names, each line with its figures. Throws NoSuchFocus.
Sheet source_view(const Subject& subject, const ViewOptions& options);
// Exact calls: a table as cProfile prints it; with a focus, functions by that name and their callers.
Sheet calls_view(const Subject& subject, const ViewOptions& options);
// Exact lines: a table for each function, as line_profiler prints them; with a focus, functions by that name.
std::vector<Sheet> line_hits_view(const Subject& subject, const ViewOptions& options);
// What imports took and, unless for other programs, what loading shared libraries took.
std::vector<Sheet> imports_view(const Subject& subject, const ViewOptions& options);
// Memory by allocation site: of malloc and its family, then of Python's own allocators and of mmap if the run has any.
std::vector<Sheet> heap_view(const Subject& subject, const ViewOptions& options);
// What keeps growing, then what was there at the end.
std::vector<Sheet> leaks_view(const Subject& subject, const ViewOptions& options);
// Allocations by the size of the block.
std::vector<Sheet> sizes_view(const Subject& subject, const ViewOptions& options);
// The memory of each process over time, point by point; for people see timeline_plot.hpp.
Sheet timeline_view(const Subject& subject, const ViewOptions& options);
// What the resident memory of each process was made of.
std::vector<Sheet> memory_view(const Subject& subject, const ViewOptions& options);
// Calls of CUDA and of the libraries above it, by function.
Sheet api_view(const Subject& subject, const ViewOptions& options);
// What GPUs did, by kernel and, unless for other programs, by stream.
std::vector<Sheet> kernels_view(const Subject& subject, const ViewOptions& options);
// Copies and sets by kind: their time and their size.
Sheet copies_view(const Subject& subject, const ViewOptions& options);
// Memory of GPUs by allocation site and, unless for other programs, by GPU.
std::vector<Sheet> gpu_memory_view(const Subject& subject, const ViewOptions& options);
// Ranges of the program's own, and what happened in them.
Sheet ranges_view(const Subject& subject, const ViewOptions& options);
// Floating point operations by the place that asked a library for them.
Sheet flops_view(const Subject& subject, const ViewOptions& options);
// Time in which GPUs had nothing to do, by the place that they waited for.
Sheet idle_view(const Subject& subject, const ViewOptions& options);
// Blocking calls by function and, unless for other programs, by the place that waited.
std::vector<Sheet> blocking_view(const Subject& subject, const ViewOptions& options);
// Files, then the file systems that they lie on, then pipes, sockets and what else is no file; for other programs one
// list.
std::vector<Sheet> files_view(const Subject& subject, const ViewOptions& options);
// Locks, then the places that wait for them; for other programs locks alone.
std::vector<Sheet> locks_view(const Subject& subject, const ViewOptions& options);
// How long training loops waited for their data, what the processes did that load it, and what to do about it.
std::vector<Sheet> loading_view(const Subject& subject, const ViewOptions& options);
// Operators of a framework, as torch.profiler prints them.
Sheet ops_view(const Subject& subject, const ViewOptions& options);
Sheet processes_view(const Subject& subject, const ViewOptions& options);
Sheet threads_view(const Subject& subject, const ViewOptions& options);
// Shared libraries and programs, by the CPU time in their code.
Sheet libraries_view(const Subject& subject, const ViewOptions& options);
// Modules of PyTorch (nn.Module), as they called each other.
Sheet modules_view(const Subject& subject, const ViewOptions& options);
// Steps of training: their time, what they are made of, which stand out.
std::vector<Sheet> steps_view(const Subject& subject, const ViewOptions& options);
// What the hooks of PyTorch Lightning and of Hugging Face's Trainer took, and functions that --watch names.
std::vector<Sheet> actions_view(const Subject& subject, const ViewOptions& options);

}  // namespace prof::show
