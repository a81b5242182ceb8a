#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "report/fold/gpu/gpu.hpp"
#include "report/fold/path_sums.hpp"
#include "report/fold/selected_slots.hpp"

namespace prof::fold {
namespace {

// What happened while each range was on the stack.
std::unordered_map<std::uint32_t, model::Metrics> insides(const CallTree& tree) {
  std::unordered_map<std::uint32_t, model::Metrics> out;
  std::unordered_map<std::uint32_t, std::uint32_t> open;  // how often it is on the path
  const auto is_range = [&](std::uint32_t node) { return tree.function(node).language == symbols::Language::Range; };
  walk_sums(
      tree,
      [&](std::uint32_t node) {
        if (is_range(node)) ++open[tree.function_id(node)];
      },
      [&](std::uint32_t node, const Inside& inside) {
        if (is_range(node) && --open[tree.function_id(node)] == 0) inside.add_to(out[tree.function_id(node)]);
      });
  return out;
}

}  // namespace

std::vector<RangeRow> ranges(const model::Run& run, const CallTree& tree, const Selection& selection) {
  const bool any = std::any_of(run.processes.begin(), run.processes.end(), [&](const model::Process& process) {
    return selection.includes(process) &&
           std::any_of(process.names.begin(), process.names.end(),
                       [](const model::Name& name) { return name.kind == log::NameKind::Range; });
  });
  if (!any) return {};
  if (selection.fold.ranges == Ranges::Hide) {  // what they hold is what stands below them
    Selection with = selection;
    with.fold.ranges = Ranges::Show;
    return ranges(run, build_call_tree(run, tree.symbols(), with), with);
  }
  std::map<std::pair<std::uint32_t, bool>, RangeRow> rows;
  for (std::size_t i = 0; i < run.processes.size(); ++i) {
    const model::Process& process = run.processes[i];
    if (!selection.includes(process)) continue;
    const SelectedSlots slots(process, selection);
    const auto add = [&](std::uint32_t frame, std::uint32_t slot, const model::RangeMetric& metric, bool open) {
      const auto locations = tree.symbols().locations(i, frame);
      if (locations.empty() || !slots.contains(slot)) return;
      const std::uint32_t function = tree.symbols().location(locations.front()).function;
      const symbols::Function& named = tree.symbols().function(function);
      if (named.language != symbols::Language::Range || named.name.empty()) return;
      rows.try_emplace({function, open}, RangeRow{function, open, {}, {}}).first->second.range += metric;
    };
    for (const auto& row : process.tree.ranges) {
      add(process.tree.nodes[row.node].frame, row.slot, row.metric, false);
    }
    for (const auto& row : process.tree.open_ranges) add(row.frame, row.slot, row.metric, true);
  }
  // A range that has not ended yet has been entered: what happened in it is there.
  auto inside = insides(tree);
  for (auto& [function, metrics] : inside) {
    rows.try_emplace({function, false}, RangeRow{function, false, {}, {}}).first->second.inside = std::move(metrics);
  }
  std::vector<RangeRow> out;
  for (auto& [key, row] : rows) out.push_back(std::move(row));
  std::stable_sort(out.begin(), out.end(),
                   [](const RangeRow& a, const RangeRow& b) { return a.range.ns > b.range.ns; });
  return out;
}

}  // namespace prof::fold
