#include "report/fold/memory/heap.hpp"
#include "report/show/measure.hpp"
#include "report/show/processes.hpp"
#include "report/show/trees.hpp"
#include "report/summary/summary.hpp"

namespace prof::show {
namespace {

std::int64_t figure(std::uint64_t value) { return model::to_signed(value); }

}  // namespace

Sheet summary_sheet(const Subject& subject) {
  const model::Run& run = subject.run;
  const fold::HeapTotals totals = fold::heap_totals(run, subject.selection);
  const bool heap_known = heap_recorded(subject), levels = heap_known && totals.levels_known;
  Sheet sheet;
  sheet.columns = {{"item", "item", Kind::Text}, {"value", "value", Kind::Plain}, {"unit", "unit", Kind::Text}};
  const auto add = [&](const char* item, Cell value, const char* unit) {
    sheet.add({std::string(item), std::move(value), std::string(unit)});
  };
  add("started", figure(run.start_realtime_ns), "ns since 1970");
  add("wall", figure(run.wall_ns), "ns");
  add("cpu", figure(cpu_of(subject, selected_processes(subject))), "ns");
  add("processes", figure(run.process_count()), "");
  add("process_images", std::ssize(run.processes), "");
  add("threads", figure(run.thread_count()), "");
  add("allocations", heap_known ? Cell(figure(totals.allocations)) : Cell(), "");
  add("frees", heap_known ? Cell(figure(totals.frees)) : Cell(), "");
  add("allocated", heap_known ? Cell(figure(totals.allocated_bytes)) : Cell(), "bytes");
  add("live", levels ? Cell(totals.live_bytes) : Cell(), "bytes");
  add("peak", levels ? Cell(totals.peak_bytes) : Cell(), "bytes");
  const fold::CallTree& tree = any_tree(subject);
  const model::GpuMetrics& gpu = tree.total().gpu.get();
  add("gpu_work", measured(tree.total(), model::Measure::GpuWork, tree), "");
  add("gpu", measured(tree.total(), model::Measure::GpuTime, tree), "ns");
  add("gpu_idle", measured(tree.total(), model::Measure::GpuIdle, tree), "ns");
  add("api_calls", tree.cuda_known() ? Cell(gpu.api.calls) : Cell(), "");
  add("flops", tree.cuda_known() ? Cell(gpu.api.flops) : Cell(), "");
  add("blocked", measured(tree.total(), model::Measure::Blocked, tree), "ns");
  add("agent_cpu", figure(run.totals.agent_ns), "ns");
  add("logs", figure(run.log_bytes), "bytes");
  return sheet;
}

}  // namespace prof::show
