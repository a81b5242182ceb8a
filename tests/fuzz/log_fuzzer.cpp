// Everything that prof does with the bytes of a log, but for opening the files that the log names.
// libFuzzer calls LLVMFuzzerTestOneInput() (build with -DPROF_FUZZ=ON and clang); corpus.cpp calls it without.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "report/fold/gpu/flops.hpp"
#include "report/fold/gpu/gpu.hpp"
#include "report/fold/line_tree.hpp"
#include "report/fold/memory/heap.hpp"
#include "report/fold/memory/leaks.hpp"
#include "report/fold/memory/resident.hpp"
#include "report/fold/memory/sizes.hpp"
#include "report/fold/python/exact_calls.hpp"
#include "report/fold/time/call_counts.hpp"
#include "report/fold/time/functions.hpp"
#include "report/fold/time/lines.hpp"
#include "report/fold/time/outline.hpp"
#include "report/fold/training/loading_data.hpp"
#include "report/fold/training/operators.hpp"
#include "report/fold/waiting/files.hpp"
#include "report/fold/waiting/locks.hpp"
#include "report/fold/waiting/waits.hpp"
#include "report/formats/callgrind.hpp"
#include "report/formats/chrome.hpp"
#include "report/formats/csv.hpp"
#include "report/formats/firefox/firefox.hpp"
#include "report/formats/json.hpp"
#include "report/formats/perfetto/perfetto.hpp"
#include "report/model/build_process.hpp"
#include "report/model/build_wait.hpp"
#include "report/model/endings.hpp"
#include "report/model/link.hpp"
#include "report/model/load.hpp"
#include "report/page/page.hpp"
#include "report/page/stacks.hpp"
#include "report/read/log_error.hpp"
#include "report/show/table.hpp"
#include "report/summary/findings_text.hpp"
#include "report/summary/summary.hpp"
#include "report/summary/views.hpp"
#include "tests/fuzz/log_checks.hpp"
#include "tests/support/sheets.hpp"

namespace {

using namespace prof;
using fuzz::expect;

void fold_all(const model::Run& run, const symbols::Symbols& symbols) {
  for (const fold::Frames frames : {fold::Frames::Mixed, fold::Frames::Python, fold::Frames::Native}) {
    fold::Selection selection;
    selection.fold = {fold::InterpreterFrames::Show, frames};
    const fold::CallTree shown = fold::build_call_tree(run, symbols, selection);
    selection.fold.interpreter = fold::InterpreterFrames::Fold;
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
  const fold::CallTree gpu = fold::line_tree(run, symbols, {});
  fold::api_calls(run, gpu, {});
  for (const auto kind : {fold::WorkKind::Kernels, fold::WorkKind::Copies}) fold::device_work(run, gpu, {}, kind);
  fold::streams(run, {});
  fold::devices(run, {});
  fold::idle_sites(gpu);
  fold::ranges(run, gpu, {});
  fold::wait_calls(run, gpu, {});
  fold::wait_places(gpu);
  fuzz::check_walls(run);
  fuzz::check_steps(run);
  fold::volumes(fold::files(run, {}));
  fold::storage_use(run, {});
  fold::locks(run, symbols, {});
  fold::lock_places(run, symbols, {});
  fold::loaders(run, symbols, {});
  fold::flops(run, gpu, {});
  using enum fold::OperatorGroup;
  for (const fold::OperatorGroup group : {Name, Shape, Thread, Stack, Module}) {
    for (const fold::OperatorRow& row : fold::operators(run, {}, group, &symbols).rows) {
      expect(row.self_ns >= 0 && row.total_ns >= 0 && row.self_gpu_ns >= 0);
    }
  }
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

// All of it in words: the document for other programs, which is made of every fold, and the tables for people.
void show_all(const model::Run& run, const symbols::Symbols& symbols) {
  const fold::Selection all;
  const show::Subject subject{run, symbols, all};
  show::ViewOptions options;
  expect(!formats::json(subject, options).empty());
  formats::chrome(subject, [](std::string_view) {});
  expect(!page::html(subject, {.source = {.which = page::SourceChoice::None, .roots = {}}}).empty());
  const page::StackTree stacks = page::stack_tree(subject, fold::line_tree(run, symbols, all), 5);
  for (std::size_t node = 1; node < stacks.nodes.size(); ++node) expect(stacks.nodes[node].parent < node);
  const formats::Write nowhere = [](std::string_view) {};
  formats::callgrind(subject, false, nowhere);
  formats::firefox(subject, {}, nowhere);
  formats::perfetto_trace(subject, {.most_samples = 1000}, nowhere);
  const show::Terminal terminal{false, false, 100};
  expect(!show::view_named("flame")->text(subject, options, terminal).empty());
  expect(!show::summary(subject, options, terminal).empty());
  options.group_by = fold::OperatorGroup::Stack;
  std::vector<show::Sheet> sheets{test::sheet_of("ops", subject, options), test::sheet_of("modules", subject, options)};
  for (const char* view : {"steps", "actions", "findings"}) {
    for (show::Sheet& sheet : test::sheets_of(view, subject, options)) sheets.push_back(std::move(sheet));
  }
  for (const show::Sheet& sheet : sheets) {
    show::table(sheet, terminal);
    formats::csv(sheet);
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
  model::count_open_calls(run.processes);
  model::share_cpu_time(run.processes);
  model::add_up(run);
  for (model::Process& process : run.processes) {
    fuzz::check_process(process);
    for (model::Module& module : process.modules) module.path.assign(1, 'm');
  }
  const symbols::Symbols symbols = symbols::symbolize(run);
  fold_all(run, symbols);
  show_all(run, symbols);
  return 0;
}
