#include "report/fold/call_tree.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "report/fold/glue.hpp"
#include "report/fold/name_filter.hpp"

namespace prof::fold {
class CallTreeBuilder {
 public:
  CallTreeBuilder(const model::Run& run, const symbols::Symbols& symbols, const Selection& selection,
                  Granularity granularity)
      : run_(run),
        symbols_(symbols),
        selection_(selection),
        granularity_(granularity),
        focus_(symbols, selection.focus),
        ignore_(symbols, selection.ignore),
        glue_(run, symbols, selection.fold),
        tree_(run, symbols) {
    tree_.live_known_ = !selection.by_thread();
  }

  CallTree run() {
    bool exact = false, sampled = false;
    tree_.places_.resize(run_.processes.size());
    tree_.own_ = OwnCode(run_, symbols_, selection_);
    for (std::size_t i = 0; i < run_.processes.size(); ++i) {
      if (!selection_.includes(run_.processes[i])) continue;
      exact |= run_.processes[i].heap_mode == log::HeapMode::Exact;
      sampled |= run_.processes[i].heap_mode == log::HeapMode::Sampled;
      tree_.python_known_ |= run_.processes[i].python_counted;
      tree_.copies_known_ |= run_.processes[i].copies_counted;
      tree_.waits_known_ |= run_.processes[i].waits_recorded;
      tree_.cuda_known_ |= model::saw_cuda(run_.processes[i]);
      tree_.device_known_ |= model::saw_devices(run_.processes[i]);
      add_process(i);
      tree_.places_[i] = std::move(target_);
    }
    tree_.exact_ = exact && !sampled;
    tree_.device_known_ &= tree_.live_known_;
    drop_empty_nodes();
    add_up_totals();
    link_children();
    return std::move(tree_);
  }

 private:
  // What the functions on the way to a node decide about its figures.
  struct Path {
    bool focused = false, ignored = false;
  };

  void add_process(std::size_t index) {
    const model::Process& process = run_.processes[index];
    map_nodes(index, process.tree);
    std::unordered_set<std::uint32_t> slots;
    for (const model::Thread& thread : process.threads) {
      if (selection_.includes(thread)) slots.insert(thread.slot);
    }
    const auto selected = [&](std::uint32_t slot) { return !selection_.by_thread() || slots.contains(slot); };
    for (const auto& row : process.tree.cpu) {
      if (selected(row.slot)) self_at(row.node).cpu += row.metric;
    }
    add_memory(process.tree.heap, selected, &model::Metrics::heap);
    add_memory(process.tree.maps, selected, &model::Metrics::maps);
    add_memory(process.tree.python, selected, &model::Metrics::python);
    for (const auto& row : process.tree.copies) {
      if (selected(row.slot)) self_at(row.node).copies += row.metric;
    }
    for (const auto& row : process.tree.waits) {
      if (selected(row.slot)) self_at(row.node).wait += row.metric;
    }
    if (tree_.live_known()) add_growth(process.tree.heap_growth);
    for (const auto& row : process.tree.api) {
      if (selected(row.slot)) self_at(row.node).gpu.make().api += row.metric;
    }
    add_segments(process.tree.segments, selected, &model::GpuMetrics::segments);
    add_segments(process.tree.tensors, selected, &model::GpuMetrics::tensors);
    // Whoever records what devices did, it is not the thread that launched it.
    if (!tree_.live_known()) return;
    for (const auto& row : process.tree.device) self_at(row.node).gpu.make().work += row.metric;
    for (const auto& row : process.tree.idle) self_at(row.node).gpu.make().idle += row.metric;
  }

  // A program that ends gives back what it held: the most of the last eighth of the moments is what had grown.
  void add_growth(const model::Growth& growth) {
    const std::uint32_t moments = growth.moments, last = std::max<std::uint32_t>(2, moments / 8);
    if (moments < 4) return;
    for (const model::Growth::Row& row : growth.rows) {
      const auto end = row.live.begin() + moments;
      const std::int64_t gained =
          model::saturated_difference(*std::max_element(end - last, end), row.live[(moments - 1) / 2]);
      if (gained <= 0) continue;
      std::int64_t& bytes = self_at(row.node).growth_bytes;
      bytes = model::saturated_sum(bytes, gained);
    }
  }

  template <typename Selected>
  void add_memory(const std::vector<model::Row<model::MemoryMetric>>& rows, Selected selected,
                  model::MemoryMetric model::Metrics::*kind) {
    for (const auto& row : rows) {
      if (!selected(row.slot)) continue;
      self_at(row.node).*kind += known_of(row.metric);
    }
  }

  template <typename Selected>
  void add_segments(const std::vector<model::Row<model::MemoryMetric>>& rows, Selected selected,
                    model::MemoryMetric model::GpuMetrics::*kind) {
    for (const auto& row : rows) {
      if (selected(row.slot)) self_at(row.node).gpu.make().*kind += known_of(row.metric);
    }
  }

  model::MemoryMetric known_of(model::MemoryMetric metric) const {
    if (!tree_.live_known()) metric.freed_units = metric.freed_bytes = metric.peak_bytes = 0;
    return metric;
  }

  model::Metrics& self_at(std::uint32_t node) { return tree_.nodes_[target_of(node)].self; }

  // Where figures of a process's node go. What has no stack at all is shown as such.
  std::uint32_t target_of(std::uint32_t node) {
    std::uint32_t& target = target_[node];
    if (target != kNoTarget) return target;
    const std::uint32_t above = python_above_[node];
    const Part part = above == 0 ? Part::Alone : Part::After;
    const std::uint32_t at = glue_.shows_all(part) ? shown_whole(node) : shown_below(above, node, part);
    return target = at != 0 ? at : child_of(0, nothing_left(node));
  }

  // The same stack ends differently than it goes on: what a native frame is for tells only what stands inside it. So
  // targets of Python frames are made first, and those of native frames when a figure asks for one.
  void map_nodes(std::size_t process, const model::Tree& tree) {
    glue_.enter(process);
    raw_nodes_ = tree.nodes;
    target_.assign(raw_nodes_.size(), kNoTarget);
    whole_.assign(raw_nodes_.size(), kNoTarget);
    python_above_.assign(raw_nodes_.size(), 0);
    for (std::uint32_t i = 1; i < raw_nodes_.size(); ++i) {
      const std::uint32_t above = python_above_[raw_nodes_[i].parent];
      python_above_[i] = above;
      if (!glue_.parts(raw_nodes_[i].frame)) continue;
      python_above_[i] = i;
      std::uint32_t at = shown_below(above, raw_nodes_[i].parent, above == 0 ? Part::Before : Part::Between);
      for (const std::uint32_t location : symbols_.locations(process, raw_nodes_[i].frame)) at = child_of(at, location);
      target_[i] = whole_[i] = at;
    }
  }

  // The node of what is shown of the frames below `above`, a Python frame or 0, down to `last`.
  std::uint32_t shown_below(std::uint32_t above, std::uint32_t last, Part part) {
    frames_.clear();
    for (std::uint32_t node = last; node != above; node = raw_nodes_[node].parent) {
      frames_.push_back(raw_nodes_[node].frame);
    }
    std::reverse(frames_.begin(), frames_.end());
    locations_.clear();
    glue_.show(frames_, part, locations_);
    std::uint32_t at = above == 0 ? 0 : target_[above];
    for (const std::uint32_t location : locations_) at = child_of(at, location);
    return at;
  }

  // The same where every frame is shown: then each has one place, below its caller's.
  std::uint32_t shown_whole(std::uint32_t last) {
    frames_.clear();
    std::uint32_t known = last;
    for (; known != 0 && whole_[known] == kNoTarget; known = raw_nodes_[known].parent) frames_.push_back(known);
    std::uint32_t at = known == 0 ? 0 : whole_[known];
    for (auto node = frames_.rbegin(); node != frames_.rend(); ++node) {
      locations_.clear();
      glue_.show_all(raw_nodes_[*node].frame, locations_);
      for (const std::uint32_t location : locations_) at = child_of(at, location);
      whole_[*node] = at;
    }
    return at;
  }

  // Stands for a stack of which no frame is shown.
  std::uint32_t nothing_left(std::uint32_t node) const {
    for (; node != 0; node = raw_nodes_[node].parent) {
      if (glue_.hides(raw_nodes_[node].frame)) return symbols_.python_location();
    }
    return symbols_.no_stack_location();
  }

  std::uint32_t child_of(std::uint32_t parent, std::uint32_t location) {
    const std::uint32_t function = symbols_.location(location).function;
    const std::uint64_t key = std::uint64_t{parent} << 32 | (granularity_ == Granularity::Line ? location : function);
    const auto [found, is_new] = by_key_.try_emplace(key, static_cast<std::uint32_t>(tree_.nodes_.size()));
    if (is_new) {
      tree_.nodes_.push_back({parent, location, {}, {}});
      Path path = paths_[parent];
      if (focus_.active()) path.focused = path.focused || focus_.matches(function);
      if (ignore_.active()) path.ignored = path.ignored || ignore_.matches(function);
      paths_.push_back(path);
    }
    return found->second;
  }

  bool kept(std::uint32_t node) const { return (!focus_.active() || paths_[node].focused) && !paths_[node].ignored; }

  // Leaves out nodes that neither hold nor lead to a selected figure.
  void drop_empty_nodes() {
    std::vector<CallNode>& nodes = tree_.nodes_;
    std::vector<bool> needed(nodes.size());
    needed[0] = true;
    for (std::size_t i = nodes.size(); i-- > 1;) {
      if (!kept(static_cast<std::uint32_t>(i))) nodes[i].self = {};
      if (!nodes[i].self.empty()) needed[i] = true;
      if (needed[i]) needed[nodes[i].parent] = true;
    }
    std::vector<std::uint32_t> new_id(nodes.size());
    std::size_t used = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (!needed[i]) continue;
      new_id[i] = static_cast<std::uint32_t>(used);
      CallNode node = std::move(nodes[i]);
      node.parent = new_id[node.parent];
      nodes[used++] = std::move(node);
    }
    nodes.resize(used);
    for (std::vector<std::uint32_t>& places : tree_.places_) {
      for (std::uint32_t& place : places) {
        const bool there = place != kNoTarget && kept(place) && needed[place];
        place = there ? new_id[place] : CallTree::kNoNode;
      }
    }
  }

  void add_up_totals() {
    std::vector<CallNode>& nodes = tree_.nodes_;
    for (std::size_t i = nodes.size(); i-- > 0;) {
      nodes[i].total += nodes[i].self;
      if (i != 0) nodes[nodes[i].parent].total += nodes[i].total;
    }
  }

  void link_children() {
    const std::vector<CallNode>& nodes = tree_.nodes_;
    std::vector<std::uint32_t>& begin = tree_.child_begin_;
    begin.assign(nodes.size() + 1, 0);
    for (std::size_t i = 1; i < nodes.size(); ++i) ++begin[nodes[i].parent + 1];
    for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
    tree_.child_list_.resize(nodes.size() - 1);
    std::vector<std::uint32_t> next = begin;
    for (std::uint32_t i = 1; i < nodes.size(); ++i) tree_.child_list_[next[nodes[i].parent]++] = i;
  }

  const model::Run& run_;
  const symbols::Symbols& symbols_;
  const Selection& selection_;
  Granularity granularity_;
  NameFilter focus_, ignore_;
  GlueFilter glue_;
  CallTree tree_;
  std::unordered_map<std::uint64_t, std::uint32_t> by_key_;  // parent, function or location -> node
  std::vector<Path> paths_{1};
  // Of the process in hand:
  std::span<const model::Node> raw_nodes_;
  std::vector<std::uint32_t> target_;        // nodes in the tree, or kNoTarget: not asked for yet
  std::vector<std::uint32_t> whole_;         // where shown_whole() put them, or kNoTarget
  std::vector<std::uint32_t> python_above_;  // the nearest Python frame on the way to the root, itself included; or 0
  std::vector<std::uint32_t> frames_, locations_;  // scratch
  static constexpr std::uint32_t kNoTarget = UINT32_MAX;
};

std::span<const std::uint32_t> CallTree::children(std::uint32_t node) const {
  return std::span(child_list_).subspan(child_begin_[node], child_begin_[node + 1] - child_begin_[node]);
}

CallTree build_call_tree(const model::Run& run, const symbols::Symbols& symbols, const Selection& selection,
                         Granularity granularity) {
  return CallTreeBuilder(run, symbols, selection, granularity).run();
}

void for_each_stack(const CallTree& tree, model::Measure measure,
                    const std::function<void(std::span<const std::uint32_t>, std::int64_t)>& each) {
  std::vector<std::uint32_t> stack;
  for (std::uint32_t node = 1; node < tree.nodes().size(); ++node) {
    const std::int64_t value = model::value_of(tree.nodes()[node].self, measure);
    if (value == 0) continue;
    stack.clear();
    for (std::uint32_t at = node; at != 0; at = tree.nodes()[at].parent) stack.push_back(tree.function_id(at));
    std::reverse(stack.begin(), stack.end());
    each(stack, value);
  }
}

}  // namespace prof::fold
