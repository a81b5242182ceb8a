#include "report/fold/gpu/gpu.hpp"
#include "report/fold/line_tree.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "report/fold/interest.hpp"
#include "report/fold/selected_slots.hpp"
#include "report/model/text.hpp"

namespace prof::fold {
namespace {

using Place = std::pair<std::uint32_t, std::uint32_t>;  // function id, device

std::optional<std::uint32_t> function_of(const symbols::Symbols& symbols, std::size_t process, std::uint32_t frame) {
  const auto locations = symbols.locations(process, frame);
  if (locations.empty()) return std::nullopt;
  return symbols.location(locations.front()).function;
}

// Distributions by what they are of. None where stacks were selected.
std::map<Place, model::Spread> spreads(const model::Run& run, const symbols::Symbols& symbols,
                                       const Selection& selection) {
  std::map<Place, model::Spread> out;
  if (selection.focus || selection.ignore) return out;
  for (std::size_t i = 0; i < run.processes.size(); ++i) {
    const model::Process& process = run.processes[i];
    if (!selection.includes(process)) continue;
    const SelectedSlots slots(process, selection);
    for (const auto& row : process.tree.spreads) {
      const auto function = function_of(symbols, i, row.frame);
      if (function && slots.contains(row.slot)) out[{*function, process.tree.frames[row.frame].number}] += row.metric;
    }
  }
  return out;
}

class WorkFinder {
 public:
  WorkFinder(const model::Run& run, const CallTree& tree, WorkKind kind)
      : run_(run), tree_(tree), wanted_(kind == WorkKind::Kernels ? log::NameKind::Kernel : log::NameKind::Copy) {}

  std::vector<WorkRow> find(const Selection& selection) {
    for (std::size_t i = 0; i < run_.processes.size(); ++i) {
      if (selection.includes(run_.processes[i]) && !selection.by_thread()) add_process(i);
    }
    std::vector<WorkRow> rows;
    for (auto& [place, row] : rows_) {
      for (const auto& [location, ns] : launchers_[place]) row.launched_by.push_back({location, ns});
      std::stable_sort(row.launched_by.begin(), row.launched_by.end(),
                       [](const Launcher& a, const Launcher& b) { return a.ns > b.ns; });
      rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  void add_process(std::size_t index) {
    const model::Process& process = run_.processes[index];
    for (const auto& row : process.tree.device) {
      const model::Frame& frame = process.tree.frames[process.tree.nodes[row.node].frame];
      if (frame.kind != model::Frame::Kind::Named || frame.name == model::kNoName) continue;
      const model::Name& name = process.names[frame.name];
      const std::uint32_t node = tree_.node_of(index, row.node);
      if (name.kind != wanted_ || node == CallTree::kNoNode) continue;
      const Place place{tree_.function_id(node), frame.number};
      WorkRow& to = rows_.try_emplace(place, WorkRow{place.first, name, place.second, {}, {}, {}}).first->second;
      to.work += row.metric;
      std::int64_t& ns = launchers_[place][launcher(node, place.first)];
      ns = model::saturated_sum(ns, row.metric.ns);
    }
  }

  // nvcc names the function on the host that launches a kernel like the kernel: that is not who wanted it.
  std::uint32_t launcher(std::uint32_t node, std::uint32_t kernel) {
    const auto [found, is_new] = launcher_of_.try_emplace({tree_.nodes()[node].parent, kernel}, kNobody);
    if (is_new) {
      std::vector<std::uint32_t> stack = stack_of(tree_, node);
      const std::string& name = tree_.symbols().function(kernel).name;
      std::erase_if(stack, [&](std::uint32_t location) {
        return tree_.symbols().function(tree_.symbols().location(location).function).name == name;
      });
      const std::size_t frame = answering_frame(tree_.own(), stack);
      if (frame != stack.size()) found->second = stack[frame];
    }
    return found->second;
  }

  const model::Run& run_;
  const CallTree& tree_;
  log::NameKind wanted_;
  std::map<Place, WorkRow> rows_;
  std::map<Place, std::map<std::uint32_t, std::int64_t>> launchers_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> launcher_of_;  // by the call's node and the kernel
};

}  // namespace

std::vector<ApiRow> api_calls(const model::Run& run, const CallTree& tree, const Selection& selection) {
  std::map<std::uint32_t, model::ApiMetric> by_function;
  for (std::uint32_t node = 1; node < tree.nodes().size(); ++node) {
    const model::ApiMetric& calls = tree.self().gpu[node].api;
    if (!calls.empty()) by_function[tree.function_id(node)] += calls;
  }
  const auto distributions = spreads(run, tree.symbols(), selection);
  std::vector<ApiRow> rows;
  for (const auto& [function, calls] : by_function) {
    ApiRow& row = rows.emplace_back(ApiRow{function, calls, {}});
    const auto spread = distributions.find({function, 0});
    if (spread != distributions.end()) row.median_ns = model::median_ns(spread->second, calls.each);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const ApiRow& a, const ApiRow& b) { return a.calls.ns > b.calls.ns; });
  return rows;
}

std::vector<WorkRow> device_work(const model::Run& run, const CallTree& tree, const Selection& selection,
                                 WorkKind kind) {
  std::vector<WorkRow> rows = WorkFinder(run, tree, kind).find(selection);
  const auto distributions = spreads(run, tree.symbols(), selection);
  for (WorkRow& row : rows) {
    const auto spread = distributions.find({row.function, row.device});
    if (spread != distributions.end()) row.median_ns = model::median_ns(spread->second, row.work.each);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const WorkRow& a, const WorkRow& b) { return a.work.ns > b.work.ns; });
  return rows;
}

std::vector<StreamRow> streams(const model::Run& run, const Selection& selection) {
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::string, std::string>, StreamRow> rows;
  for (const model::Process& process : run.processes) {
    if (!selection.includes(process) || selection.by_thread()) continue;
    for (const model::StreamRow& row : process.tree.streams) {
      const model::Frame &stream = process.tree.frames[row.stream], &work = process.tree.frames[row.work];
      const bool named = stream.name != model::kNoName && work.name != model::kNoName;
      const model::Name stream_name = named ? process.names[stream.name] : model::Name{};
      const bool kernel = work.name != model::kNoName && process.names[work.name].kind == log::NameKind::Kernel;
      const auto key = std::tuple(stream.number, process.pid, stream_name.group, stream_name.name);
      StreamRow& to =
          rows.try_emplace(key, StreamRow{stream.number, stream_name.name, stream_name.group, process.pid, {}, {}})
              .first->second;
      (kernel ? to.kernels : to.copies) += row.metric;
    }
  }
  std::vector<StreamRow> out;
  for (auto& [key, row] : rows) out.push_back(std::move(row));
  const auto ns = [](const StreamRow& row) { return model::saturated_sum(row.kernels.ns, row.copies.ns); };
  std::stable_sort(out.begin(), out.end(), [&](const StreamRow& a, const StreamRow& b) { return ns(a) > ns(b); });
  return out;
}

model::IdleMetric shorter_gaps(const model::IdleMetric& idle, std::int64_t longest_ns) {
  if (idle.max_ns <= longest_ns) return idle;
  const std::int64_t left = std::max<std::int64_t>(0, model::saturated_difference(idle.ns, idle.max_ns));
  const std::int64_t gaps = idle.gaps - 1;
  if (gaps <= 0 || left / gaps > longest_ns) return {};
  model::IdleMetric out;
  out.gaps = gaps;
  out.ns = left;
  out.max_ns = std::min(longest_ns, left);
  // Nobody knows what the host did in that one: as much of each as in all.
  const double part = static_cast<double>(left) / static_cast<double>(std::max<std::int64_t>(1, idle.ns));
  const auto scaled = [part](std::int64_t ns) { return whole_number(part * static_cast<double>(ns)); };
  out.synchronising_ns = scaled(idle.synchronising_ns);
  out.waiting_ns = scaled(idle.waiting_ns);
  out.launching_ns = scaled(idle.launching_ns);
  out.python_ns = scaled(idle.python_ns);
  out.native_ns = scaled(idle.native_ns);
  return out;
}

std::map<std::uint32_t, model::IdleMetric> idle_within(const CallTree& tree, const StepLimits& steps) {
  std::map<std::uint32_t, model::IdleMetric> out;
  std::vector<std::uint32_t> rare;
  for (std::uint32_t node = 1; node < tree.nodes().size(); ++node) {
    const model::IdleMetric idle = shorter_gaps(tree.self().gpu[node].idle, steps.longest_ns);
    if (idle.empty()) continue;
    out.emplace(node, idle);
    if (steps.any() && idle.gaps < steps.each) rare.push_back(node);
  }
  std::stable_sort(rare.begin(), rare.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(out[a].gaps, -out[a].ns) < std::pair(out[b].gaps, -out[b].ns);
  });
  std::int64_t left = sum_of(out).ns;
  for (const std::uint32_t node : rare) {
    if (left <= steps.all_ns) break;
    left = model::saturated_difference(left, out[node].ns);
    out.erase(node);
  }
  return out;
}

model::IdleMetric sum_of(const std::map<std::uint32_t, model::IdleMetric>& idle) {
  model::IdleMetric out;
  for (const auto& [node, its] : idle) out += its;
  return out;
}

std::vector<IdleRow> idle_sites(const CallTree& tree, const StepLimits& steps) {
  const std::map<std::uint32_t, model::IdleMetric> within = idle_within(tree, steps);
  std::map<std::uint32_t, IdleRow> by_location;
  for (std::uint32_t node = 1; node < tree.nodes().size(); ++node) {
    const model::IdleMetric& idle = tree.self().gpu[node].idle;
    if (idle.empty()) continue;
    const std::vector<std::uint32_t> stack = stack_of(tree, node);
    const std::size_t frame = answering_frame(tree.own(), stack);
    IdleRow& row = by_location[frame == stack.size() ? kNobody : stack[frame]];
    row.idle += idle;
    if (const auto its = within.find(node); its != within.end())
      row.within_ns = model::saturated_sum(row.within_ns, its->second.ns);
  }
  std::vector<IdleRow> rows;
  for (auto& [location, row] : by_location) {
    row.location = location;
    rows.push_back(row);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const IdleRow& a, const IdleRow& b) {
    return std::pair(a.within_ns, a.idle.ns) > std::pair(b.within_ns, b.idle.ns);
  });
  return rows;
}

}  // namespace prof::fold
