#include "report/fold/call_tree.hpp"

#include <algorithm>
#include <utility>

#include "report/fold/add_rows.hpp"
#include "report/fold/backward_work.hpp"
#include "report/fold/common_path.hpp"
#include "report/fold/interpreter_frames.hpp"
#include "report/fold/name_filter.hpp"
#include "report/fold/team_work.hpp"
#include "report/model/child_table.hpp"

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
        filter_(run, symbols, selection.fold),
        tree_(OwnCode(run, symbols, selection), KnownFigures(run, selection)) {}

  CallTree run() {
    tree_.places_.resize(run_.processes.size());
    reserve();
    for (std::size_t i = 0; i < run_.processes.size(); ++i) {
      if (!selection_.includes(run_.processes[i])) continue;
      add_process(i);
      tree_.places_[i] = std::move(target_);
    }
    steps_ = {};
    children_ = {};
    drop_empty_nodes();
    tree_.add_up();
    link_children();
    return std::move(tree_);
  }

 private:
  using How = FrameFilter::How;

  // What the functions on the way to a node decide about its figures.
  struct Path {
    bool focused = false, ignored = false;
  };

  // To grow by copying takes twice the memory, and the time in which the kernel gives it.
  void reserve() {
    std::size_t nodes = 0, heap = 0, python = 0;
    for (const model::Process& process : run_.processes) {
      if (!selection_.includes(process)) continue;
      nodes += process.tree.nodes.size();
      heap += process.tree.heap.size();
      python += process.tree.python.size();
    }
    tree_.nodes_.reserve(nodes);
    tree_.self_.heap.reserve(heap);
    tree_.self_.python.reserve(python);
  }

  void add_process(std::size_t index) {
    map_nodes(index);
    add_rows(
        run_.processes[index], selection_, [this](std::uint32_t node) { return target_of(node); }, tree_.self_,
        teams_.cpu.empty() ? run_.processes[index].tree.cpu : teams_.cpu);
  }

  // Where figures of a process's node go. What has no stack at all is shown as such.
  std::uint32_t target_of(std::uint32_t node) {
    std::uint32_t& target = target_[node];
    if (target != kNoTarget) return target;
    const std::uint32_t above = python_above_[node];
    const Part part = above == 0 ? Part::Alone : Part::After;
    const std::uint32_t at = filter_.shows_all(part)                    ? shown_through(node, How::Whole)
                             : selection_.fold.frames == Frames::Python ? shown_below(above, node, part)
                                                                        : shown_innermost(node);
    return target = at != 0 ? at : child_of(0, nothing_left(node));
  }

  // The same stack ends differently than it goes on: what a native frame is for tells only what stands inside it. So
  // targets of Python frames are made first, and those of native frames when a figure asks for one.
  void map_nodes(std::size_t process) {
    filter_.enter(process);
    const model::Process& of = run_.processes[process];
    const bool stays = selection_.fold.backward == Backward::Apart || selection_.fold.frames == Frames::Native;
    backward_ = stays ? BackwardWork() : backward_work(of, process, symbols_);
    raw_nodes_ = backward_.any() ? backward_.nodes : of.tree.nodes;
    const bool teams = selection_.fold.teams == Teams::BelowCaller && selection_.fold.frames != Frames::Native;
    teams_ = teams ? team_work(of, process, symbols_, raw_nodes_) : TeamWork();
    if (!teams_.nodes.empty()) raw_nodes_ = teams_.nodes;
    target_.assign(raw_nodes_.size(), kNoTarget);
    through_.assign(raw_nodes_.size(), kNoTarget);
    innermost_.assign(raw_nodes_.size(), kNoTarget);
    python_above_.assign(raw_nodes_.size(), 0);
    const auto size = static_cast<std::uint32_t>(raw_nodes_.size());
    if (!backward_.any() && teams_.nodes.empty()) {
      for (std::uint32_t i = 1; i < size; ++i) map_node(process, i);
      return;
    }
    mapped_.assign(size, false);
    mapped_[0] = true;
    for (std::uint32_t i = 1; i < size; ++i) map_with_callers(process, i);
  }

  // What was moved may have callers with higher numbers.
  void map_with_callers(std::size_t process, std::uint32_t node) {
    std::vector<std::uint32_t> way;
    for (std::uint32_t at = node; !mapped_[at] && way.size() < raw_nodes_.size(); at = raw_nodes_[at].parent) {
      way.push_back(at);
      if (at == backward_.caller) break;
    }
    for (auto at = way.rbegin(); at != way.rend(); ++at) {
      mapped_[*at] = true;
      if (*at == backward_.caller) {
        for (const BackwardWork::Caller& caller : backward_.callers) map_with_callers(process, caller.node);
        python_above_[*at] = *at;
        target_[*at] = through_[*at] = innermost_[*at] = callers_of_backward();
      } else {
        map_node(process, *at);
      }
    }
  }

  void map_node(std::size_t process, std::uint32_t i) {
    const std::uint32_t above = python_above_[raw_nodes_[i].parent];
    python_above_[i] = above;
    if (!filter_.parts(raw_nodes_[i].frame)) return;
    python_above_[i] = i;
    std::uint32_t at = shown_below(above, raw_nodes_[i].parent, above == 0 ? Part::Before : Part::Between);
    for (const std::uint32_t location : symbols_.locations(process, raw_nodes_[i].frame)) at = child_of(at, location);
    target_[i] = through_[i] = innermost_[i] = at;
  }

  // The node below which the work of PyTorch's own threads stands. One node of theirs holds what was done for all
  // callers, and to divide its calls and bytes among them by the time for which each waited would be a guess that looks
  // like a count: it goes to what the callers have in common.
  std::uint32_t callers_of_backward() {
    std::vector<WeighedPath> paths;
    for (const BackwardWork::Caller& caller : backward_.callers) {
      WeighedPath& path = paths.emplace_back();
      path.weight = caller.weight;
      for (std::uint32_t at = target_[caller.node]; at != 0; at = tree_.nodes_[at].parent)
        path.steps.push_back(tree_.nodes_[at].location);
      std::reverse(path.steps.begin(), path.steps.end());
    }
    const bool lines = granularity_ == Granularity::Line;
    const PathNames names{[&](std::uint32_t location) { return symbols_.location(location).function; },
                          [&](std::uint32_t location) { return lines ? symbols_.whole_location(location) : location; }};
    std::uint32_t at = 0;
    for (const std::uint32_t location : common_path(paths, names)) at = child_of(at, location);
    return child_of(at, symbols_.backward_location());
  }

  // The node of what is shown of the frames below `above`, a Python frame or 0, down to `last`.
  std::uint32_t shown_below(std::uint32_t above, std::uint32_t last, Part part) {
    frames_.clear();
    for (std::uint32_t node = last; node != above; node = raw_nodes_[node].parent) {
      frames_.push_back(raw_nodes_[node].frame);
    }
    std::reverse(frames_.begin(), frames_.end());
    locations_.clear();
    filter_.show(frames_, part, locations_);
    std::uint32_t at = above == 0 ? 0 : target_[above];
    for (const std::uint32_t location : locations_) at = child_of(at, location);
    return at;
  }

  // The node below which stands what is inside of `last`, where each frame has one place below its caller's.
  std::uint32_t shown_through(std::uint32_t last, How how) {
    pending_.clear();
    std::uint32_t known = last;
    for (; known != 0 && through_[known] == kNoTarget; known = raw_nodes_[known].parent) pending_.push_back(known);
    std::uint32_t at = known == 0 ? 0 : through_[known];
    for (auto node = pending_.rbegin(); node != pending_.rend(); ++node) {
      at = through_[*node] = step(at, raw_nodes_[*node].frame, how);
    }
    return at;
  }

  // The node of what `last` itself does, inside of a Python frame.
  std::uint32_t shown_innermost(std::uint32_t last) {
    own_pending_.clear();
    std::uint32_t known = last;
    for (; innermost_[known] == kNoTarget && !filter_.foreign(raw_nodes_[known].frame);
         known = raw_nodes_[known].parent) {
      own_pending_.push_back(known);
    }
    std::uint32_t at = innermost_[known] == kNoTarget ? shown_through(known, How::Through) : innermost_[known];
    for (auto node = own_pending_.rbegin(); node != own_pending_.rend(); ++node) {
      at = innermost_[*node] = step(at, raw_nodes_[*node].frame, How::Innermost);
    }
    return at;
  }

  std::uint32_t step(std::uint32_t at, std::uint32_t frame, How how) {
    if (const std::optional<std::uint32_t> location = filter_.sole(frame, how)) return child_of(at, *location);
    const std::optional<std::uint32_t> key = filter_.key(frame, how);
    if (!key) return at;
    std::uint32_t& next = steps_.child(at, *key);
    if (next == model::ChildTable::kNone) {
      locations_.clear();
      filter_.show(frame, how, tree_.nodes_[at].location, locations_);
      next = at;
      for (const std::uint32_t location : locations_) next = child_of(next, location);
    }
    return next;
  }

  // Stands for a stack of which no frame is shown.
  std::uint32_t nothing_left(std::uint32_t node) const {
    for (; node != 0; node = raw_nodes_[node].parent) {
      if (filter_.hides(raw_nodes_[node].frame)) return symbols_.python_location();
    }
    return symbols_.no_stack_location();
  }

  std::uint32_t child_of(std::uint32_t parent, std::uint32_t location) {
    const std::uint32_t function = symbols_.location(location).function;
    const auto next = static_cast<std::uint32_t>(tree_.nodes_.size());
    const std::uint32_t key = granularity_ == Granularity::Line ? location : function;
    const auto [node, is_new] = children_.find_or_add(parent, key, next);
    if (is_new) {
      tree_.nodes_.push_back({parent, location});
      Path path = paths_[parent];
      if (focus_.active()) path.focused = path.focused || focus_.matches(function);
      if (ignore_.active()) path.ignored = path.ignored || ignore_.matches(function);
      paths_.push_back(path);
    }
    return node;
  }

  bool kept(std::uint32_t node) const { return (!focus_.active() || paths_[node].focused) && !paths_[node].ignored; }

  // Leaves out nodes that neither hold nor lead to a selected figure.
  void drop_empty_nodes() {
    std::vector<CallNode>& nodes = tree_.nodes_;
    std::vector<std::uint32_t> holds(nodes.size(), kDropped), ids(nodes.size(), kDropped);
    std::vector<bool> needed(nodes.size());
    needed[0] = true;
    for (auto node = static_cast<std::uint32_t>(nodes.size()); node-- > 0;) {
      const bool full = kept(node) && !tree_.self_.empty(node);
      if (full) holds[node] = node;
      if (full || needed[node]) needed[node] = needed[nodes[node].parent] = true;
    }
    std::uint32_t used = 0;
    for (std::uint32_t node = 0; node < nodes.size(); ++node) {
      if (!needed[node]) continue;
      ids[node] = used;
      if (holds[node] != kDropped) holds[node] = used;
      nodes[used++] = {ids[nodes[node].parent], nodes[node].location};
    }
    nodes.resize(used);
    tree_.self_.for_each([&](auto& column, auto) { column.renumber(holds); });
    for (std::vector<std::uint32_t>& places : tree_.places_) {
      for (std::uint32_t& place : places) {
        place = place != kNoTarget && kept(place) && needed[place] ? ids[place] : CallTree::kNoNode;
      }
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
  FrameFilter filter_;
  CallTree tree_;
  model::ChildTable children_;  // by function or location
  model::ChildTable steps_;     // by FrameFilter::key(): where a frame leads
  std::vector<Path> paths_{1};
  // Of the process in hand:
  BackwardWork backward_;
  TeamWork teams_;
  std::vector<bool> mapped_;
  std::span<const model::Node> raw_nodes_;
  std::vector<std::uint32_t> target_;               // nodes in the tree, or kNoTarget: not asked for yet
  std::vector<std::uint32_t> through_, innermost_;  // where those functions put them, or kNoTarget
  std::vector<std::uint32_t> python_above_;  // the nearest Python frame on the way to the root, itself included; or 0
  std::vector<std::uint32_t> frames_, locations_, pending_, own_pending_;  // scratch
  static constexpr std::uint32_t kNoTarget = UINT32_MAX;
};

CallTree part_of(const CallTree& whole, const model::Run& run, const Selection& selection) {
  CallTree out(whole.own_, KnownFigures(run, selection));
  out.nodes_ = whole.nodes_;
  out.child_list_ = whole.child_list_;
  out.child_begin_ = whole.child_begin_;
  for (std::size_t i = 0; i < run.processes.size(); ++i) {
    if (!selection.includes(run.processes[i])) continue;
    add_rows(
        run.processes[i], selection, [&](std::uint32_t node) { return whole.node_of(i, node); }, out.self_,
        run.processes[i].tree.cpu);
  }
  out.add_up();
  return out;
}

CallTree build_call_tree(const model::Run& run, const symbols::Symbols& symbols, const Selection& selection,
                         Granularity granularity) {
  return CallTreeBuilder(run, symbols, selection, granularity).run();
}

}  // namespace prof::fold
