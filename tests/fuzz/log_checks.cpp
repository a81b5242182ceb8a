#include "tests/fuzz/log_checks.hpp"

#include <cmath>
#include <cstdint>
#include <utility>

#include "report/fold/training/steps.hpp"
#include "report/fold/waiting/accounting.hpp"

namespace prof::fuzz {
namespace {

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
  on_nodes(tree.waits);
  for (const auto& row : tree.wait_totals) expect(row.frame < tree.frames.size());
  for (const auto& row : tree.files) expect(row.frame < tree.frames.size());
  for (const auto& row : tree.locks) {
    expect(row.frame < tree.frames.size());
    for (const auto& node : {row.metric.longest_waiter, row.metric.created, row.metric.holder_node})
      expect(!node || *node < tree.nodes.size());
  }
  for (std::size_t i = 1; i < tree.operator_nodes.size(); ++i) {
    expect(tree.operator_nodes[i].parent < i);
    expect(tree.operator_nodes[i].frame < tree.frames.size());
  }
  for (const auto& row : tree.operators) expect(row.node != 0 && row.node < tree.operator_nodes.size());
  if (!tree.trace) return;
  for (const auto& event : tree.trace->events) {
    expect(event.frame < tree.frames.size() && event.node < tree.nodes.size());
    expect(event.start_monotonic_ns <= event.end_monotonic_ns);
  }
}

}  // namespace

void check_process(const model::Process& process) {
  check_tree(process.tree);
  for (const model::Frame& frame : process.tree.frames) {
    expect(frame.code == model::kNoCode || frame.code < process.codes.size());
    expect(frame.name == model::kNoName || frame.name < process.names.size());
  }
}

void check_walls(const model::Run& run) {
  for (const fold::ThreadWall& thread : fold::thread_walls(run, {})) {
    const fold::WallSplit& split = thread.split;
    std::int64_t sum = split.cpu_ns;
    for (const std::int64_t ns : split.blocked_ns) {
      expect(ns >= 0);
      sum = model::saturated_sum(sum, ns);
    }
    expect(split.cpu_ns >= 0 && split.run_queue_ns >= 0 && split.residual_ns >= 0);
    sum = model::saturated_sum(sum, split.run_queue_ns);
    expect(model::saturated_sum(sum, split.residual_ns) == split.wall_ns);
  }
}

void check_steps(const model::Run& run) {
  for (const model::Process& process : run.processes) {
    std::int64_t next = 1;
    for (const model::Step& step : process.steps.records) {
      expect(step.count > 0 && step.first >= next);
      next = model::saturated_sum(step.first, step.count);
      expect(step.begin_monotonic_ns <= step.end_monotonic_ns);
      expect(step.ns >= 0 && step.shortest_ns >= 0 && step.shortest_ns <= step.longest_ns &&
             step.longest_ns <= step.ns);
      for (const std::int64_t ns : step.figures.parts_ns) expect(ns >= 0);
      for (const std::int64_t ns : step.figures.blocked_ns) expect(ns >= 0);
    }
  }
  for (const fold::StepTable& table : fold::step_tables(run, {})) {
    expect(table.process < run.processes.size() && table.steps != nullptr);
    expect(table.count > 0 && table.warmup >= 0 && table.steady >= 0);
    expect(table.warmup <= table.count && table.steady <= table.count);
    expect(std::isfinite(table.median_ns) && table.median_ns >= 0 && table.shortest_ns <= table.longest_ns);
    expect(!table.trend || std::isfinite(*table.trend));
    for (const fold::Outlier& outlier : table.outliers) expect(outlier.number > 0 && outlier.ns >= 0);
    for (std::uint32_t part = 0; part < log::kStepParts; ++part) {
      expect(std::isfinite(table.part(static_cast<log::StepPart>(part))));
    }
  }
}

}  // namespace prof::fuzz
