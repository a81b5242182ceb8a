// Everything that prof does with the bytes of a log, but for opening the files that the log names.
// libFuzzer calls LLVMFuzzerTestOneInput() (build with -DPROF_FUZZ=ON and clang); corpus.cpp calls it without.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "report/fold/call_counts.hpp"
#include "report/fold/exact_calls.hpp"
#include "report/fold/functions.hpp"
#include "report/fold/gpu_flops.hpp"
#include "report/fold/heap.hpp"
#include "report/fold/leaks.hpp"
#include "report/fold/lines.hpp"
#include "report/fold/outline.hpp"
#include "report/fold/resident.hpp"
#include "report/fold/sizes.hpp"
#include "report/formats/chrome.hpp"
#include "report/model/build_process.hpp"
#include "report/model/endings.hpp"
#include "report/model/link.hpp"
#include "report/read/log_error.hpp"

namespace {

using namespace prof;

// What must hold for every input; abort() is what fuzzers look for.
void expect(bool holds) {
  if (!holds) std::abort();
}

void check_tree(const model::Tree& tree) {
  for (std::size_t i = 1; i < tree.nodes.size(); ++i) {
    expect(tree.nodes[i].parent < i);
    expect(tree.nodes[i].frame < tree.frames.size());
  }
  for (const auto& row : tree.cpu) expect(row.node < tree.nodes.size());
  for (const auto& row : tree.heap) expect(row.node < tree.nodes.size());
  for (const auto& row : tree.maps) expect(row.node < tree.nodes.size());
  for (const auto& row : tree.python) expect(row.node < tree.nodes.size());
  for (const auto& row : tree.copies) expect(row.node < tree.nodes.size());
  for (const auto& row : tree.heap_sizes) expect(row.node < tree.nodes.size() && row.size_class < log::kSizeClasses);
  for (const model::Growth* growth : {&tree.heap_growth, &tree.map_growth, &tree.python_growth}) {
    expect(growth->moments <= log::kCheckpoints);
    for (const auto& row : growth->rows) expect(row.node < tree.nodes.size());
  }
  for (const auto& row : tree.calls) {
    expect(row.callee < tree.frames.size());
    expect(!row.caller || *row.caller < tree.frames.size());
  }
  for (const auto& row : tree.lines) expect(row.frame < tree.frames.size());
  const auto on_nodes = [&](const auto& rows) {
    for (const auto& row : rows) expect(row.node < tree.nodes.size());
  };
  on_nodes(tree.api);
  on_nodes(tree.device);
  on_nodes(tree.idle);
  on_nodes(tree.ranges);
  on_nodes(tree.segments);
  on_nodes(tree.tensors);
  for (const auto& row : tree.spreads) expect(row.frame < tree.frames.size());
  for (const auto& row : tree.open_ranges) expect(row.frame < tree.frames.size());
  for (const auto& row : tree.streams) expect(row.stream < tree.frames.size() && row.work < tree.frames.size());
  if (!tree.trace) return;
  for (const auto& event : tree.trace->events) {
    expect(event.frame < tree.frames.size() && event.node < tree.nodes.size());
    expect(event.start_monotonic_ns <= event.end_monotonic_ns);
  }
}

void fold_all(const model::Run& run) {
  const symbols::Symbols symbols = symbols::symbolize(run);
  for (const fold::Frames frames : {fold::Frames::Mixed, fold::Frames::Python, fold::Frames::Native}) {
    fold::Selection selection;
    selection.fold = {fold::Glue::Show, frames};
    const fold::CallTree shown = fold::build_call_tree(run, symbols, selection);
    selection.fold.glue = fold::Glue::Fold;
    const fold::CallTree folded = fold::build_call_tree(run, symbols, selection);
    if (shown.total().cpu.ns != INT64_MAX) expect(shown.total().cpu == folded.total().cpu);
  }
  fold::call_counts(run, symbols, {});
  fold::exact_calls(run, {});
  const fold::CallTree tree = fold::build_call_tree(run, symbols, {}, fold::Granularity::Line);
  const auto rows = fold::functions(tree);
  model::Metrics sum;
  for (const fold::FunctionRow& row : rows) sum += row.self;
  if (sum.cpu.ns != INT64_MAX) expect(sum.cpu == tree.total().cpu);
  if (!rows.empty()) fold::neighbours(tree, rows.front().function);
  fold::modules(tree);
  fold::heap_sites(tree);
  fold::heap_totals(run);
  fold::lines(tree);
  const fold::CallTree gpu = fold::gpu_tree(run, symbols, {});
  fold::api_calls(run, gpu, {});
  for (const auto kind : {fold::WorkKind::Kernels, fold::WorkKind::Copies}) fold::device_work(run, gpu, {}, kind);
  fold::streams(run, {});
  fold::devices(run, {});
  fold::idle_sites(gpu);
  fold::ranges(run, gpu, {});
  fold::flops(run, gpu, {});
  const fold::Selection all;
  formats::chrome({run, symbols, all}, [](std::string_view) {});
  fold::leaks(run, tree, {});
  fold::size_classes(run, tree, {}, fold::MemoryKind::Heap);
  for (const model::Process& process : run.processes) {
    if (process.memory_high) fold::explain(*process.memory_high);
    for (const model::SeriesPoint& point : process.series) expect(point.begin_monotonic_ns <= point.end_monotonic_ns);
  }
  for (const bool bottom_up : {false, true}) {
    fold::OutlineOptions options;
    options.bottom_up = bottom_up;
    options.max_depth = 50;
    fold::outline(tree, options);
  }
}

}  // namespace

// The first byte says where the input is cut into the two copies of a running process's log; 0: both are the same.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const read::Bytes all = std::as_bytes(std::span(data + 1, size - 1));
  const std::size_t cut = data[0] == 0 ? 0 : all.size() * data[0] / 256;
  const read::Bytes later = all.subspan(cut), earlier = cut == 0 ? all : all.first(cut);
  model::Run run;
  try {
    run.processes.push_back(model::build_process(read::parse(earlier, later), "log", size));
    run.processes.push_back(run.processes.front());  // claims to be itself once more
  } catch (const read::LogError&) {
    return 0;
  }
  model::link_processes(run.processes);
  model::settle_endings(run.processes, {"/nonexistent", 0});
  model::share_cpu_time(run.processes);
  for (model::Process& process : run.processes) {
    check_tree(process.tree);
    for (model::Module& module : process.modules) module.path = "m";
    for (const model::Frame& frame : process.tree.frames) {
      expect(frame.code == model::kNoCode || frame.code < process.codes.size());
      expect(frame.name == model::kNoName || frame.name < process.names.size());
    }
  }
  fold_all(run);
  return 0;
}
