#include "report/model/build_tree.hpp"

#include <algorithm>
#include <tuple>

#include "report/model/build_memory.hpp"
#include "report/model/exact_nodes.hpp"

namespace prof::model {
namespace {

// Rows with the same key become one.
template <typename RowType, typename Key>
void merge_by(std::vector<RowType>& rows, Key key) {
  std::stable_sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  std::size_t used = 0;
  for (const RowType& row : rows) {
    if (used != 0 && key(rows[used - 1]) == key(row)) {
      rows[used - 1].metric += row.metric;
    } else {
      rows[used++] = row;
    }
  }
  rows.resize(used);
}

template <typename Metric>
void merge_rows(std::vector<Row<Metric>>& rows) {
  merge_by(rows, [](const Row<Metric>& row) { return std::pair(row.node, row.slot); });
}

CallMetric calls_of(const log::CallWords& words) {
  CallMetric metric;
  metric.calls = to_signed(words.calls);
  metric.primitive = to_signed(words.primitive);
  metric.self_ns = to_signed(words.self_ns);
  metric.outer_ns = to_signed(words.outer_ns);
  metric.edge_calls = to_signed(words.edge_calls);
  metric.edge_outer_ns = to_signed(words.edge_outer_ns);
  metric.raised = to_signed(words.raised);
  return metric;
}

class Builder {
 public:
  Builder(const read::RawLog& log, const Ids& ids, Damage& damage) : log_(log), ids_(ids), damage_(damage) {}

  Tree run() {
    frames();
    nodes();
    for (const auto& record : log_.cpu) {
      tree_.cpu.push_back(
          {node(record.node), record.slot, {to_signed(record.words.samples), to_signed(record.words.ns)}});
    }
    merge_rows(tree_.cpu);
    memory();
    copies();
    calls();
    lines();
    return std::move(tree_);
  }

 private:
  void frames() {
    std::unordered_map<std::uint64_t, std::uint32_t> by_word;  // with our ids of code: two of the writer's may be one
    tree_.frames.push_back({});                                // of ids that no frame has
    frame_ids_.assign(log_.frames.size(), 0);
    for (std::size_t id = 1; id < log_.frames.size(); ++id) {
      const std::uint64_t word = log_.frames[id];
      if (word == 0) continue;
      const Frame frame = frame_of(word, ids_);
      if (refers_to_nothing(word, frame)) ++damage_.bad_references;
      const auto next = static_cast<std::uint32_t>(tree_.frames.size());
      const auto [found, is_new] = by_word.try_emplace(with_our_code(word, frame), next);
      if (is_new) tree_.frames.push_back(frame);
      frame_ids_[id] = found->second;
    }
  }

  static bool of_code(const Frame& frame) {
    return frame.kind == Frame::Kind::Python || frame.kind == Frame::Kind::PythonLine;
  }
  static bool refers_to_nothing(std::uint64_t word, const Frame& frame) {
    if (of_code(frame)) return frame.code == kNoCode && log::frame_code(word) != 0;
    return frame.kind == Frame::Kind::Unknown;
  }
  static std::uint64_t with_our_code(std::uint64_t word, const Frame& frame) {
    if (!of_code(frame)) return word;
    const std::uint64_t code = frame.code == kNoCode ? 0 : frame.code + 1;
    return log::frame_word(log::frame_kind(word), code << log::kFrameCodeShift | log::frame_place(word));
  }

  void nodes() {
    std::unordered_map<std::uint64_t, std::uint32_t> by_key;
    std::vector<std::uint32_t> depth{0};
    tree_.nodes.push_back({});
    node_ids_.assign(std::max<std::size_t>(1, log_.nodes.size()), kNoNode);
    node_ids_[0] = 0;
    for (std::size_t id = 1; id < log_.nodes.size(); ++id) {
      const std::uint64_t word = log_.nodes[id];
      if (word == 0) continue;
      const std::uint32_t frame = known_frame(log::node_frame(word));
      if (exact_.take(static_cast<std::uint32_t>(id), log::node_parent(word), frame, tree_.frames[frame])) continue;
      const std::uint32_t parent = parent_of(id, word);
      if (depth[parent] >= kLongestPath) {
        ++damage_.bad_references;
        node_ids_[id] = parent;
        continue;
      }
      const auto next = static_cast<std::uint32_t>(tree_.nodes.size());
      const auto [found, is_new] = by_key.try_emplace(log::node_word(parent, frame), next);
      if (is_new) {
        tree_.nodes.push_back({parent, frame});
        depth.push_back(depth[parent] + 1);
      }
      node_ids_[id] = found->second;
    }
  }

  std::uint32_t parent_of(std::size_t id, std::uint64_t word) {
    const std::uint32_t parent = log::node_parent(word);
    if (parent < id && node_ids_[parent] != kNoNode) return node_ids_[parent];
    ++damage_.bad_references;
    return 0;
  }

  std::uint32_t known_frame(std::uint32_t id) {
    if (id < frame_ids_.size() && frame_ids_[id] != 0) return frame_ids_[id];
    ++damage_.bad_references;
    return 0;
  }

  std::uint32_t node(std::uint32_t id) {
    if (id < node_ids_.size() && node_ids_[id] != kNoNode) return node_ids_[id];
    ++damage_.bad_references;
    return 0;
  }

  void memory() {
    const log::Header& header = log_.header;
    const auto build = [&](const read::RawMemory& raw, const log::PeakClock& clock) {
      Memory memory = build_memory(
          raw, clock, header.heap_mode, [this](std::uint32_t id) { return node(id); }, damage_);
      merge_rows(memory.rows);
      return memory;
    };
    Memory heap = build(log_.heap, header.heap), maps = build(log_.maps, header.maps);
    Memory python = build(log_.python, header.python);
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
      const log::CopyWords& words = record.words;
      tree_.copies.push_back(
          {node(record.node), record.slot, {to_signed(words.count), to_signed(words.bytes), to_signed(words.samples)}});
    }
    merge_rows(tree_.copies);
  }

  void calls() {
    for (const auto& record : log_.calls) {
      if (const auto edge = exact_.edge(record.node)) {
        tree_.calls.push_back({edge->caller, edge->callee, record.slot, calls_of(record.words)});
      } else {
        ++damage_.bad_references;
      }
    }
    merge_by(tree_.calls, [](const CallRow& row) { return std::tuple(row.caller, row.callee, row.slot); });
  }

  void lines() {
    for (const auto& record : log_.lines) {
      if (const auto frame = exact_.line(record.node)) {
        tree_.lines.push_back({*frame, record.slot, {to_signed(record.words.hits), to_signed(record.words.ns)}});
      } else {
        ++damage_.bad_references;
      }
    }
    merge_by(tree_.lines, [](const LineRow& row) { return std::pair(row.frame, row.slot); });
  }

  static constexpr std::uint32_t kNoNode = UINT32_MAX;

  const read::RawLog& log_;
  const Ids& ids_;
  Damage& damage_;
  Tree tree_;
  ExactNodes exact_;
  std::vector<std::uint32_t> frame_ids_, node_ids_;  // the writer's id -> ours
};

Frame special_frame(std::uint64_t payload) {
  Frame frame;
  switch (static_cast<log::SpecialFrame>(payload)) {
    case log::SpecialFrame::Truncated:
      frame.kind = Frame::Kind::Truncated;
      break;
    case log::SpecialFrame::NoStack:
      frame.kind = Frame::Kind::NoStack;
      break;
    case log::SpecialFrame::ExactCalls:
      frame.kind = Frame::Kind::ExactCalls;
      break;
    case log::SpecialFrame::ExactLines:
      frame.kind = Frame::Kind::ExactLines;
      break;
    case log::SpecialFrame::NoCaller:
      frame.kind = Frame::Kind::NoCaller;
      break;
    default:
      break;
  }
  return frame;
}

}  // namespace

Frame frame_of(std::uint64_t word, const Ids& ids) {
  Frame frame;
  switch (log::frame_kind(word)) {
    case log::FrameKind::Native:
      frame.address = log::frame_address(word);
      if (const auto found = ids.modules.find(log::frame_module(word)); found != ids.modules.end()) {
        frame.kind = Frame::Kind::Native;
        frame.module = found->second;
      }
      break;
    case log::FrameKind::Anonymous:
      frame.kind = Frame::Kind::Anonymous;
      frame.address = log::frame_payload(word);
      break;
    case log::FrameKind::Special:
      return special_frame(log::frame_payload(word));
    case log::FrameKind::Python:
    case log::FrameKind::PythonLine:
      if (const auto found = ids.codes.find(log::frame_code(word)); found != ids.codes.end())
        frame.code = found->second;
      if (log::frame_kind(word) == log::FrameKind::Python) {
        frame.kind = Frame::Kind::Python;
        frame.place = log::frame_place(word);
      } else {
        frame.kind = Frame::Kind::PythonLine;
        frame.line = log::frame_place(word);
      }
      break;
    default:
      break;
  }
  return frame;
}

Tree build_tree(const read::RawLog& log, const Ids& ids, Damage& damage) { return Builder(log, ids, damage).run(); }

}  // namespace prof::model
