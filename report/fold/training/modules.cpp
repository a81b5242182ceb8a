#include "report/fold/training/modules.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "report/fold/selected_slots.hpp"
#include "report/fold/training/module_path.hpp"
#include "report/fold/walk.hpp"

namespace prof::fold {
namespace {

class Finder {
 public:
  explicit Finder(const CallTree& tree) : tree_(tree), symbols_(tree.symbols()) {}

  Modules run(const model::Run& run, const Selection& selection) {
    out_.nodes.emplace_back();
    path_.push_back({});
    walk(
        tree_, [this](std::uint32_t node) { enter(node); }, [this](std::uint32_t) { path_.pop_back(); });
    tree_.self().add_to(out_.nodes[0].self, 0);
    if (!selection.focus && !selection.ignore) {
      for (std::size_t i = 0; i < run.processes.size(); ++i) {
        if (selection.includes(run.processes[i])) add_backward(i, run.processes[i], selection);
      }
    }
    for (std::size_t i = out_.nodes.size(); i-- > 0;) {
      ModuleNode& node = out_.nodes[i];
      node.total += node.self;
      node.backward_ns = model::saturated_sum(node.backward_ns, node.self_backward_ns);
      node.backward_gpu_ns = model::saturated_sum(node.backward_gpu_ns, node.self_backward_gpu_ns);
      if (i == 0) break;
      ModuleNode& parent = out_.nodes[node.parent];
      parent.total += node.total;
      parent.backward_ns = model::saturated_sum(parent.backward_ns, node.backward_ns);
      parent.backward_gpu_ns = model::saturated_sum(parent.backward_gpu_ns, node.backward_gpu_ns);
    }
    out_.live_known = tree_.live_known();
    out_.device_known = tree_.device_known();
    out_.waits_known = tree_.waits_known();
    return std::move(out_);
  }

 private:
  struct Step {
    ModulePath frames;
    std::uint32_t module = 0;
  };

  void enter(std::uint32_t node) {
    Step step = path_.back();
    advance(step, tree_.nodes()[node].location);
    tree_.self().add_to(out_.nodes[step.module].self, node);
    path_.push_back(step);
  }

  // Backward functions stand below the frames of the operator that made them. What they do themselves, and what the
  // operators inside do, is that operator's module's.
  void add_backward(std::size_t index, const model::Process& process, const Selection& selection) {
    const model::Tree& tree = process.tree;
    const std::vector<model::Node>& nodes = tree.operator_nodes;
    std::vector<bool> backward(nodes.size()), needed(nodes.size());
    for (std::size_t i = 1; i < nodes.size(); ++i) {
      backward[i] = backward[nodes[i].parent] || is_backward(process, nodes[i]);
      out_.backward_known |= is_python(tree, nodes[i]);
    }
    const SelectedSlots slots(process, selection);
    const auto counts = [&](const auto& row) { return backward[row.node] && slots.contains(row.slot); };
    for (const auto& row : tree.operators) {
      if (!counts(row)) continue;
      needed[row.node] = true;
      if (is_backward(process, nodes[row.node])) {
        out_.backward_calls = model::saturated_sum(out_.backward_calls, row.metric.calls);
        out_.unlinked = model::saturated_sum(out_.unlinked, row.metric.unlinked);
      }
    }
    for (const auto& row : tree.operator_work) needed[row.node] = needed[row.node] || backward[row.node];
    for (std::size_t i = nodes.size(); i-- > 1;) {
      if (needed[i]) needed[nodes[i].parent] = true;
    }
    std::vector<Step> at(nodes.size());
    for (std::size_t i = 1; i < nodes.size(); ++i) {
      if (!needed[i]) continue;
      // Frames below an operator are a stack of their own.
      const bool begins = is_python(tree, nodes[i]) && !is_python(tree, nodes[nodes[i].parent]);
      if (!begins) at[i] = at[nodes[i].parent];
      if (is_python(tree, nodes[i])) {
        for (const std::uint32_t location : symbols_.locations(index, nodes[i].frame)) advance(at[i], location);
      }
    }
    for (const auto& row : tree.operators) {
      if (!counts(row)) continue;
      std::int64_t& ns = out_.nodes[at[row.node].module].self_backward_ns;
      ns = model::saturated_sum(ns, row.metric.self_ns());
    }
    if (selection.by_thread()) return;
    for (const auto& row : tree.operator_work) {
      if (!backward[row.node]) continue;
      std::int64_t& ns = out_.nodes[at[row.node].module].self_backward_gpu_ns;
      ns = model::saturated_sum(ns, row.metric.ns);
    }
  }

  static bool is_python(const model::Tree& tree, const model::Node& node) {
    const model::Frame::Kind kind = tree.frames[node.frame].kind;
    return kind == model::Frame::Kind::Python || kind == model::Frame::Kind::PythonLine;
  }
  static bool is_backward(const model::Process& process, const model::Node& node) {
    const model::Frame& frame = process.tree.frames[node.frame];
    return frame.kind == model::Frame::Kind::Named && frame.name != model::kNoName &&
           process.names[frame.name].group.starts_with("backward");
  }

  void advance(Step& step, std::uint32_t location) {
    if (!step.frames.enter(symbols_, location)) return;
    step.module = module(step.module, symbols_.location(location).function, step.frames.called_from());
  }

  std::uint32_t module(std::uint32_t parent, std::uint32_t function, std::uint32_t called_from) {
    const auto next = static_cast<std::uint32_t>(out_.nodes.size());
    const auto [found, is_new] = by_key_.try_emplace(std::tuple(parent, function, called_from), next);
    if (is_new) {
      ModuleNode& node = out_.nodes.emplace_back();
      node.parent = parent;
      node.depth = out_.nodes[parent].depth + 1;
      node.name = class_of_forward(symbols_.function(function));
      node.function = function;
      node.called_from = called_from;
    }
    return found->second;
  }

  const CallTree& tree_;
  const symbols::Symbols& symbols_;
  Modules out_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> by_key_;
  std::vector<Step> path_;
};

bool has_modules(const model::Run& run, const Selection& selection) {
  return std::any_of(run.processes.begin(), run.processes.end(), [&](const model::Process& process) {
    return selection.includes(process) &&
           std::any_of(process.codes.begin(), process.codes.end(),
                       [](const model::Code& code) { return is_module_file(code.file); });
  });
}

}  // namespace

Modules module_tree(const model::Run& run, const CallTree& tree, const Selection& selection) {
  if (!has_modules(run, selection)) return {.nodes = std::vector<ModuleNode>(1)};
  return Finder(tree).run(run, selection);
}

std::vector<std::string> path_of(const Modules& modules, std::uint32_t node) {
  std::vector<std::string> names;
  for (; node != 0; node = modules.nodes[node].parent) names.push_back(modules.nodes[node].name);
  std::reverse(names.begin(), names.end());
  return names;
}

}  // namespace prof::fold
