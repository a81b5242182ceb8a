#include "report/model/build_tree.hpp"

#include <algorithm>
#include <tuple>

#include "report/model/build_memory.hpp"
#include "report/model/build_wait.hpp"
#include "report/model/child_table.hpp"
#include "report/model/exact_nodes.hpp"
#include "report/model/merge_rows.hpp"
#include "report/model/operator_nodes.hpp"
#include "report/model/side_nodes.hpp"

namespace prof::model {
namespace {

class TreeBuilder {
 public:
  TreeBuilder(const read::RawLog& log, const Ids& ids, Damage& damage) : log_(log), ids_(ids), damage_(damage) {}

  Tree run() {
    frames();
    nodes();
    for (const auto& record : log_.cpu) {
      tree_.cpu.push_back({node(record.node), record.slot, metric_of(record.words)});
    }
    merge_rows(tree_.cpu);
    memory();
    copies();
    calls();
    lines();
    gpu();
    add_wait_rows(
        log_, side_, [this](std::uint32_t id) { return node(id); }, damage_, tree_);
    operators_.add_rows(log_.operators, damage_, tree_);
    trace();
    return std::move(tree_);
  }

 private:
  void frames() {
    tree_.frames.push_back({});  // of ids that no frame has
    frame_ids_.assign(log_.frames.size(), 0);
    for (std::size_t id = 1; id < log_.frames.size(); ++id) {
      const std::uint64_t word = log_.frames[id];
      if (word == 0) continue;
      const Frame frame = frame_of(word, ids_);
      if (refers_to_nothing(word, frame)) ++damage_.bad_references;
      const auto next = static_cast<std::uint32_t>(tree_.frames.size());
      const auto [found, is_new] = by_word_.try_emplace(with_our_ids(word, frame), next);
      if (is_new) tree_.frames.push_back(frame);
      shared_.resize(tree_.frames.size());
      if (!is_new) shared_[found->second] = true;
      frame_ids_[id] = found->second;
    }
    shared_.resize(tree_.frames.size());
    if (!log_.trace) by_word_ = {};  // the room is wanted for the nodes
  }

  static bool of_code(const Frame& frame) {
    return frame.kind == Frame::Kind::Python || frame.kind == Frame::Kind::PythonLine;
  }
  static bool refers_to_nothing(std::uint64_t word, const Frame& frame) {
    if (of_code(frame)) return frame.code == kNoCode && log::frame_code(word) != 0;
    if (frame.kind == Frame::Kind::Named) return frame.name == kNoName && log::frame_name(word) != 0;
    return frame.kind == Frame::Kind::Unknown;
  }
  // Code made at run time has a name's word, too.
  static std::uint64_t with_our_ids(std::uint64_t word, const Frame& frame) {
    const bool named = log::frame_kind(word) == log::FrameKind::Named;
    if (!of_code(frame) && !named) return word;
    const std::uint32_t ours = named ? frame.name : frame.code;
    const std::uint64_t id = ours == kNoCode ? 0 : std::uint64_t{ours} + 1;
    return log::frame_word(log::frame_kind(word), id << log::kFrameCodeShift | log::frame_place(word));
  }

  // The writer's nodes in one row: those of strands behind the others. kNoNode: there is no such node.
  std::uint32_t index_of(std::uint32_t id) const {
    if (!log::is_strand(id)) return id < others_ ? id : kNoNode;
    const std::uint32_t number = id - log::kStrandNodes;
    return number < log_.strands.size() ? others_ + number : kNoNode;
  }
  std::uint32_t id_of(std::uint32_t at) const { return at < others_ ? at : log::kStrandNodes + (at - others_); }
  std::uint64_t word_at(std::uint32_t at) const { return at < others_ ? log_.nodes[at] : log_.strands[at - others_]; }

  void nodes() {
    others_ = static_cast<std::uint32_t>(std::max<std::size_t>(1, log_.nodes.size()));
    const auto all = static_cast<std::uint32_t>(others_ + log_.strands.size());
    tree_.nodes.push_back({});
    tree_.nodes.reserve(all);
    depth_.reserve(all);
    taken_.resize(all);
    node_ids_.assign(all, kNoNode);
    node_ids_[0] = 0;
    for (std::uint32_t at = 1; at < all; ++at) add_with_parents(at);
    depth_ = {};
    taken_ = {};
  }

  // Of a node and its parent that are both of strands, or both not, the parent has the lower id and has been added;
  // else it may come only later.
  void add_with_parents(std::uint32_t at) {
    for (;; at = waiting_.back(), waiting_.pop_back()) {
      std::uint64_t word = 0;
      std::uint32_t above = 0;
      for (;;) {
        word = word_at(at);
        if (word == 0 || node_ids_[at] < kWaits || taken_[at]) break;
        above = parent_of(at, word);
        if (above == kNoNode || node_ids_[above] != kNoNode || taken_[above] || word_at(above) == 0) {
          add(at, word, above);
          break;
        }
        waiting_.push_back(at);
        node_ids_[at] = kWaits;
        at = above;
      }
      if (waiting_.empty()) return;
    }
  }

  // By their index; kNoNode: there is none, or none that it may be below.
  std::uint32_t parent_of(std::uint32_t at, std::uint64_t word) const {
    const std::uint32_t parent = index_of(log::node_parent(word));
    const bool of_one_kind = parent != 0 && (parent < others_) == (at < others_);
    return of_one_kind && parent >= at ? kNoNode : parent;
  }

  void add(std::uint32_t at, std::uint64_t word, std::uint32_t above) {
    node_ids_[at] = kNoNode;
    const std::uint32_t frame = known_frame(log::node_frame(word));
    if (above != kNoNode && (above == 0 || taken_[above]) && take(id_of(at), log::node_parent(word), frame)) {
      taken_[at] = true;
      return;
    }
    const std::uint32_t parent = node_at(above);
    if (depth_[parent] >= kLongestPath) {
      ++damage_.bad_references;
      node_ids_[at] = parent;
      return;
    }
    node_ids_[at] = place_of(parent, frame);
    if (node_ids_[at] == depth_.size()) depth_.push_back(depth_[parent] + 1);
  }

  // True if the writer's node stands for no stack.
  bool take(std::uint32_t id, std::uint32_t parent, std::uint32_t frame) {
    const Frame& meaning = tree_.frames[frame];
    return exact_.take(id, parent, frame, meaning) || operators_.take_work(id, parent, frame, name_kind(meaning)) ||
           operators_.take(id, parent, frame, meaning, tree_) || side_.take(id, parent, frame, meaning);
  }

  // A new node, or the one of that key that is there already. Two of the writer's nodes with different keys are one
  // only where two of its frames are, on this node or above: elsewhere nobody looks, which saves most of the time.
  std::uint32_t place_of(std::uint32_t parent, std::uint32_t frame) {
    const auto next = static_cast<std::uint32_t>(tree_.nodes.size());
    const bool may_repeat = shared_[frame] || repeats_[parent];
    if (may_repeat) {
      const auto [node, is_new] = children_.find_or_add(parent, frame, next);
      if (!is_new) return node;
    }
    tree_.nodes.push_back({parent, frame});
    repeats_.push_back(may_repeat);
    return next;
  }

  // Of a frame that has no name: that of operators, since nothing tells otherwise.
  log::NameKind name_kind(const Frame& frame) const {
    const bool named = frame.kind == Frame::Kind::Named && frame.name != kNoName && ids_.named != nullptr;
    return named ? (*ids_.named)[frame.name].kind : log::NameKind::Operator;
  }

  std::uint32_t known_frame(std::uint32_t id) {
    if (id < frame_ids_.size() && frame_ids_[id] != 0) return frame_ids_[id];
    ++damage_.bad_references;
    return 0;
  }

  // Of a node by its index.
  std::uint32_t node_at(std::uint32_t at) {
    if (at != kNoNode && node_ids_[at] < kWaits) return node_ids_[at];
    ++damage_.bad_references;
    return 0;
  }
  std::uint32_t node(std::uint32_t id) { return node_at(index_of(id)); }

  void memory() {
    const log::Header& header = log_.header;
    const auto build = [&](const read::RawMemory& raw, const log::PeakClock& clock, log::HeapMode mode) {
      return build_memory(
          raw, clock, mode, [this](std::uint32_t id) { return node(id); }, damage_);
    };
    Memory heap = build(log_.heap, header.heap, header.heap_mode);
    Memory maps = build(log_.maps, header.maps, header.heap_mode);
    Memory python = build(log_.python, header.python, header.heap_mode);
    Memory segments = build(log_.segments, header.segments, log::HeapMode::Off);
    Memory tensors = build(log_.tensors, header.tensors, log::HeapMode::Off);
    tree_.segments = std::move(segments.rows);
    tree_.segment_growth = std::move(segments.growth);
    tree_.tensors = std::move(tensors.rows);
    tree_.tensor_growth = std::move(tensors.growth);
    tree_.heap = std::move(heap.rows);
    tree_.heap_sizes = std::move(heap.sizes);
    tree_.heap_growth = std::move(heap.growth);
    tree_.maps = std::move(maps.rows);
    tree_.map_growth = std::move(maps.growth);
    tree_.python = std::move(python.rows);
    tree_.python_sizes = std::move(python.sizes);
    tree_.python_growth = std::move(python.growth);
  }

  void copies() {
    for (const auto& record : log_.copies) {
      tree_.copies.push_back({node(record.node), record.slot, metric_of(record.words)});
    }
    merge_rows(tree_.copies);
  }

  void calls() {
    for (const auto& record : log_.calls) {
      if (const auto edge = exact_.edge(record.node)) {
        tree_.calls.push_back({edge->caller, edge->callee, record.slot, metric_of(record.words)});
      } else {
        ++damage_.bad_references;
      }
    }
    merge_by(tree_.calls, [](const CallRow& row) { return std::tuple(row.caller, row.callee, row.slot); });
  }

  void lines() {
    for (const auto& record : log_.lines) {
      if (const auto frame = exact_.line(record.node)) {
        tree_.lines.push_back({*frame, record.slot, metric_of(record.words)});
      } else {
        ++damage_.bad_references;
      }
    }
    merge_by(tree_.lines, [](const LineRow& row) { return std::pair(row.frame, row.slot); });
  }

  void gpu() {
    add_gpu_rows(
        log_, side_, operators_, [this](std::uint32_t id) { return node(id); }, damage_, tree_);
    merge_rows(tree_.api);
    merge_rows(tree_.device);
    merge_rows(tree_.idle);
    merge_rows(tree_.ranges);
    merge_rows(tree_.spreads);
    merge_rows(tree_.open_ranges);
    const auto of_operator = [](const auto& row) { return std::tuple(row.node, row.frame, row.slot); };
    merge_by(tree_.operator_work, of_operator);
    merge_by(tree_.operator_calls, of_operator);
    merge_by(tree_.streams, [](const StreamRow& row) { return std::tuple(row.stream, row.work, row.slot); });
  }

  // Events may be of frames that no context has.
  void trace() {
    if (!log_.trace) return;
    const auto frame = [this](std::uint64_t word) {
      const Frame meaning = frame_of(word, ids_);
      const auto next = static_cast<std::uint32_t>(tree_.frames.size());
      const auto [found, is_new] = by_word_.try_emplace(with_our_ids(word, meaning), next);
      if (is_new) tree_.frames.push_back(meaning);
      return found->second;
    };
    tree_.trace = build_trace(*log_.trace, frame, [this](log::TraceKind kind, std::uint32_t id) {
      if (kind == log::TraceKind::Operator) return operators_.node(id);
      const std::uint32_t at = index_of(id);
      return at != kNoNode && node_ids_[at] < kWaits ? node_ids_[at] : 0;
    });
  }

  static constexpr std::uint32_t kNoNode = UINT32_MAX;
  static constexpr std::uint32_t kWaits = kNoNode - 1;  // for its parent to be added

  const read::RawLog& log_;
  const Ids& ids_;
  Damage& damage_;
  Tree tree_;
  ExactNodes exact_;
  SideNodes side_;
  OperatorNodes operators_;
  std::unordered_map<std::uint64_t, std::uint32_t> by_word_;  // with our ids: two of the writer's may be one
  std::uint32_t others_ = 1;                                  // nodes of no strand, the root among them
  std::vector<std::uint32_t> frame_ids_;                      // the writer's id -> ours
  std::vector<std::uint32_t> node_ids_;                       // the same by index_of it
  std::vector<bool> taken_;                                   // likewise: belongs to no stack, like all below it
  std::vector<std::uint32_t> waiting_;                        // indices, each below the next
  std::vector<std::uint32_t> depth_{0};                       // by our node
  std::vector<bool> shared_;                                  // by frame: several of the writer's are this one
  std::vector<bool> repeats_{false};                          // by node: one with its key may come again
  ChildTable children_;                                       // of such nodes
};

}  // namespace

Tree build_tree(const read::RawLog& log, const Ids& ids, Damage& damage) { return TreeBuilder(log, ids, damage).run(); }

}  // namespace prof::model
