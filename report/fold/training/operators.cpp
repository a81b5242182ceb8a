#include "report/fold/training/operators.hpp"

#include <algorithm>
#include <compare>
#include <map>
#include <utility>

#include "report/fold/selected_slots.hpp"
#include "report/fold/training/module_path.hpp"
#include "report/fold/training/operator_text.hpp"
#include "report/fold/training/operators_by_step.hpp"

namespace prof::fold {
namespace {

struct Key {
  std::string name, kind, shapes;
  std::vector<std::uint32_t> stack;
  std::string module;
  std::size_t process = 0, slot = 0;
  auto operator<=>(const Key&) const = default;
};

// The operators of one process, added to the rows of all.
class ProcessFold {
 public:
  ProcessFold(std::size_t index, const model::Process& process, const Selection& selection,
              const OperatorGrouping& grouping, const symbols::Symbols* symbols, std::map<Key, std::uint32_t>& keys,
              Operators& out)
      : index_(index),
        process_(process),
        selection_(selection),
        grouping_(grouping),
        symbols_(symbols),
        keys_(keys),
        out_(out) {}

  void run() {
    const SelectedSlots slots(process_, selection_);
    for (const auto& row : process_.tree.operators) {
      if (!slots.contains(row.slot)) continue;
      if (grouping_.by == OperatorGroup::Thread) {
        by_slot_[row.slot].push_back(&row);
      } else {
        by_slot_[model::kNoSlot].push_back(&row);
      }
    }
    for (const auto& [slot, rows] : by_slot_) fold(slot, rows);
  }

 private:
  using Rows = std::vector<const model::Row<model::OperatorMetric>*>;

  struct Node {
    model::OperatorMetric self;                     // without what is inside, but for its times
    std::int64_t host_bytes = 0, device_bytes = 0;  // with what is inside
    std::int64_t self_gpu_ns = 0, gpu_ns = 0, self_flops = 0, flops = 0;
    std::uint32_t row = 0;
    bool chosen = false;
  };

  void fold(std::uint32_t slot, const Rows& rows) {
    const std::vector<model::Node>& tree = process_.tree.operator_nodes;
    nodes_.assign(tree.size(), {});
    for (const auto* row : rows) nodes_[row->node].self += row->metric;
    add_work(slot);
    // Parents stand before their children.
    for (std::size_t i = tree.size(); i-- > 1;) {
      Node& node = nodes_[i];
      node.host_bytes = model::saturated_sum(node.host_bytes, node.self.host_bytes);
      node.device_bytes = model::saturated_sum(node.device_bytes, node.self.device_bytes);
      node.gpu_ns = model::saturated_sum(node.gpu_ns, node.self_gpu_ns);
      node.flops = model::saturated_sum(node.flops, node.self_flops);
      Node& parent = nodes_[tree[i].parent];
      parent.host_bytes = model::saturated_sum(parent.host_bytes, node.host_bytes);
      parent.device_bytes = model::saturated_sum(parent.device_bytes, node.device_bytes);
      parent.gpu_ns = model::saturated_sum(parent.gpu_ns, node.gpu_ns);
      parent.flops = model::saturated_sum(parent.flops, node.flops);
    }
    children_.assign(tree.size(), {});
    for (std::uint32_t i = 1; i < tree.size(); ++i) children_[tree[i].parent].push_back(i);
    open_.assign(out_.rows.size(), 0);
    walk(slot);
  }

  // Whoever records what devices did, it is not the thread that launched it.
  void add_work(std::uint32_t slot) {
    if (slot == model::kNoSlot && !selection_.by_thread()) {
      for (const auto& row : process_.tree.operator_work) {
        std::int64_t& ns = nodes_[row.node].self_gpu_ns;
        ns = model::saturated_sum(ns, row.metric.ns);
      }
    }
    const SelectedSlots slots(process_, selection_);
    for (const auto& row : process_.tree.operator_calls) {
      if (slot == model::kNoSlot ? !slots.contains(row.slot) : row.slot != slot) continue;
      std::int64_t& flops = nodes_[row.node].self_flops;
      flops = model::saturated_sum(flops, row.metric.flops);
    }
  }

  // Down and up again, so that it is known of each operator whether it is inside another one of its row.
  void walk(std::uint32_t slot) {
    struct Step {
      std::uint32_t node;
      std::size_t next_child;
      bool focused, ignored;
      std::string name;
      std::uint32_t frames;  // the node nearest above that is a frame of Python; 0: none
    };
    std::vector<Step> path{{0, 0, !selection_.focus, false, "", 0}};
    while (!path.empty()) {
      Step& at = path.back();
      if (at.next_child < children_[at.node].size()) {
        const std::uint32_t child = children_[at.node][at.next_child++];
        if (!is_operator(child)) {
          out_.stacks = true;
          path.push_back({child, 0, at.focused, at.ignored, "", child});
          continue;
        }
        const OperatorText text = operator_text(process_, process_.tree.operator_nodes[child].frame);
        const bool focused = at.focused || selection_.focus->matches(text.name);
        const bool ignored = at.ignored || (selection_.ignore && selection_.ignore->matches(text.name));
        nodes_[child].chosen = focused && !ignored;
        if (nodes_[child].chosen) {
          if (at.node != 0 && at.name == text.name && nodes_[at.node].chosen && is_all_of(child, at.node)) {
            nodes_[child].row = nodes_[at.node].row;
          } else {
            nodes_[child].row = row_of(slot, text, at.frames);
            add_calls(nodes_[child]);
          }
          add_self(nodes_[child]);
          ++open_[nodes_[child].row];
        }
        path.push_back({child, 0, focused, ignored, text.name, at.frames});
      } else {
        if (nodes_[at.node].chosen) --open_[nodes_[at.node].row];
        path.pop_back();
      }
    }
  }

  // Frames of Python have nothing of their own, whatever a log says.
  bool is_operator(std::uint32_t node) const {
    const std::uint32_t frame = process_.tree.operator_nodes[node].frame;
    return process_.tree.frames[frame].kind == model::Frame::Kind::Named;
  }

  // Overloads of an operator call each other: one that does nothing but call another one is one with it, as for
  // torch.profiler.
  bool is_all_of(std::uint32_t child, std::uint32_t parent) const {
    const std::vector<std::uint32_t>& all = children_[parent];
    return nodes_[child].self.calls == nodes_[parent].self.calls &&
           std::all_of(all.begin(), all.end(),
                       [&](std::uint32_t other) { return other == child || nodes_[other].self.calls == 0; });
  }

  void add_calls(const Node& node) {
    OperatorRow& row = out_.rows[node.row];
    row.calls = model::saturated_sum(row.calls, node.self.calls);
    row.each_ns = model::saturated_sum(row.each_ns, node.self.ns);
    row.each += node.self.each;
    row.flops = model::saturated_sum(row.flops, node.self.flops);
    out_.flops |= node.self.flops != 0;
    out_.unlinked = model::saturated_sum(out_.unlinked, node.self.unlinked);
    if (row.kind == "backward") out_.backward = model::saturated_sum(out_.backward, node.self.calls);
    out_.shapes |= !row.shapes.empty();
    if (open_[node.row] > 0) return;
    row.total_ns = model::saturated_sum(row.total_ns, node.self.ns);
    row.host_bytes = model::saturated_sum(row.host_bytes, node.host_bytes);
    row.device_bytes = model::saturated_sum(row.device_bytes, node.device_bytes);
    row.gpu_ns = model::saturated_sum(row.gpu_ns, node.gpu_ns);
    row.library_flops = model::saturated_sum(row.library_flops, node.flops);
  }

  void add_self(const Node& node) {
    OperatorRow& row = out_.rows[node.row];
    row.self_ns = model::saturated_sum(row.self_ns, node.self.self_ns());
    row.self_host_bytes = model::saturated_sum(row.self_host_bytes, node.self.host_bytes);
    row.self_device_bytes = model::saturated_sum(row.self_device_bytes, node.self.device_bytes);
    row.self_gpu_ns = model::saturated_sum(row.self_gpu_ns, node.self_gpu_ns);
    row.self_library_flops = model::saturated_sum(row.self_library_flops, node.self_flops);
    out_.self_gpu_ns = model::saturated_sum(out_.self_gpu_ns, node.self_gpu_ns);
    out_.library_flops |= node.self_flops != 0;
    out_.host_memory |= node.self.host_bytes != 0;
    out_.device_memory |= node.self.device_bytes != 0;
    out_.self_ns = model::saturated_sum(out_.self_ns, node.self.self_ns());
  }

  std::uint32_t row_of(std::uint32_t slot, const OperatorText& text, std::uint32_t frames) {
    const bool by_thread = grouping_.by == OperatorGroup::Thread;
    Key key{text.name, text.kind, "", {}, "", by_thread ? index_ : 0, by_thread ? slot : 0};
    if (grouping_.by == OperatorGroup::Shape) key.shapes = text.shapes;
    if (grouping_.by == OperatorGroup::Stack && symbols_ != nullptr) key.stack = stack(frames, grouping_.lines);
    if (grouping_.by == OperatorGroup::Module && symbols_ != nullptr) key.module = modules(frames);
    const auto [found, is_new] = keys_.try_emplace(std::move(key), static_cast<std::uint32_t>(out_.rows.size()));
    if (is_new) {
      OperatorRow row;
      row.name = text.name;
      row.kind = text.kind;
      row.shapes = found->first.shapes;
      row.stack = found->first.stack;
      row.module = found->first.module;
      if (by_thread) {
        row.process = index_;
        row.thread = thread_at(slot);
      }
      out_.rows.push_back(std::move(row));
      open_.push_back(0);
    }
    return found->second;
  }

  // The innermost lines of the frames that end with that node, `most` of them.
  std::vector<std::uint32_t> stack(std::uint32_t frames, std::size_t most) const {
    std::vector<std::uint32_t> lines;
    const std::vector<model::Node>& tree = process_.tree.operator_nodes;
    for (; frames != 0 && !is_operator(frames) && lines.size() < most; frames = tree[frames].parent) {
      for (const std::uint32_t location : symbols_->locations(index_, tree[frames].frame)) lines.push_back(location);
    }
    return lines;
  }

  // The modules among those frames.
  const std::string& modules(std::uint32_t frames) {
    const auto [found, is_new] = modules_.try_emplace(frames);
    if (!is_new) return found->second;
    ModulePath path;
    const std::vector<std::uint32_t> lines = stack(frames, SIZE_MAX);
    for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
      if (!path.enter(*symbols_, *line)) continue;
      if (!found->second.empty()) found->second += " > ";
      found->second += class_of_forward(symbols_->function(symbols_->location(*line).function));
    }
    return found->second;
  }

  std::optional<std::size_t> thread_at(std::uint32_t slot) const {
    for (std::size_t i = 0; i < process_.threads.size(); ++i) {
      if (process_.threads[i].slot == slot) return i;
    }
    return std::nullopt;
  }

  const std::size_t index_;
  const model::Process& process_;
  const Selection& selection_;
  const OperatorGrouping& grouping_;
  const symbols::Symbols* symbols_;
  std::map<Key, std::uint32_t>& keys_;
  Operators& out_;
  std::map<std::uint32_t, Rows> by_slot_;
  std::vector<Node> nodes_;                           // by index into Tree::operator_nodes
  std::vector<std::vector<std::uint32_t>> children_;  // likewise
  std::map<std::uint32_t, std::string> modules_;      // by node of a frame
  std::vector<std::uint32_t> open_;                   // by row: how often it is on the path
};

}  // namespace

Operators operators(const model::Run& run, const Selection& selection, const OperatorGrouping& grouping,
                    const symbols::Symbols* symbols) {
  if (grouping.by == OperatorGroup::Step) return operators_by_step(run, selection, grouping.step);
  Operators out;
  std::map<Key, std::uint32_t> keys;
  for (std::size_t i = 0; i < run.processes.size(); ++i) {
    const model::Process& process = run.processes[i];
    if (process.tree.operators.empty() || !selection.includes(process)) continue;
    out.gpu_known |= model::saw_devices(process);
    ProcessFold(i, process, selection, grouping, symbols, keys, out).run();
  }
  out.gpu_known &= !selection.by_thread() && grouping.by != OperatorGroup::Thread;
  // An operator that has not ended yet has a node and nothing else.
  std::erase_if(out.rows, [](const OperatorRow& row) {
    return row.calls == 0 && row.self_host_bytes == 0 && row.self_device_bytes == 0 && row.gpu_ns == 0;
  });
  std::stable_sort(out.rows.begin(), out.rows.end(),
                   [](const OperatorRow& a, const OperatorRow& b) { return a.self_ns > b.self_ns; });
  return out;
}

}  // namespace prof::fold
