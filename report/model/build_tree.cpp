#include "report/model/build_tree.hpp"

#include <algorithm>

namespace prof::model {
namespace {

// Rows with the same (node, slot) become one.
template <typename Metric>
void merge_rows(std::vector<Row<Metric>>& rows) {
  const auto key = [](const Row<Metric>& row) { return std::uint64_t{row.node} << 32 | row.slot; };
  std::stable_sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  std::size_t used = 0;
  for (const Row<Metric>& row : rows) {
    if (used != 0 && key(rows[used - 1]) == key(row)) {
      rows[used - 1].metric += row.metric;
    } else {
      rows[used++] = row;
    }
  }
  rows.resize(used);
}

MemoryMetric memory_of(const log::HeapWords& words, std::uint64_t peak_epoch) {
  MemoryMetric metric;
  metric.count_units = to_signed(words.count);
  metric.bytes = to_signed(words.bytes);
  metric.freed_units = to_signed(words.freed_count);
  metric.freed_bytes = to_signed(words.freed_bytes);
  metric.samples = to_signed(words.samples);
  // A record that was touched since the peak keeps its value of then. (A running process may have passed a new peak
  // after its header was copied; that record is then of the newer one.)
  const bool touched = words.epoch != 0 && words.epoch >= peak_epoch;
  metric.peak_bytes =
      touched ? static_cast<std::int64_t>(words.at_peak) : saturated_difference(metric.bytes, metric.freed_bytes);
  return metric;
}

class Builder {
 public:
  Builder(const read::RawLog& log, const ModuleIndex& modules, Damage& damage)
      : log_(log), modules_(modules), damage_(damage) {}

  Tree run() {
    frames();
    nodes();
    for (const auto& record : log_.cpu) {
      tree_.cpu.push_back(
          {node(record.node), record.slot, {to_signed(record.words.samples), to_signed(record.words.ns)}});
    }
    memory(log_.heap, log_.header.heap.epoch, tree_.heap);
    memory(log_.maps, log_.header.maps.epoch, tree_.maps);
    merge_rows(tree_.cpu);
    return std::move(tree_);
  }

 private:
  void frames() {
    std::unordered_map<std::uint64_t, std::uint32_t> by_word;
    tree_.frames.push_back({});  // of ids that no frame has
    frame_ids_.assign(log_.frames.size(), 0);
    for (std::size_t id = 1; id < log_.frames.size(); ++id) {
      const std::uint64_t word = log_.frames[id];
      if (word == 0) continue;
      const auto [found, is_new] = by_word.try_emplace(word, static_cast<std::uint32_t>(tree_.frames.size()));
      if (is_new) {
        tree_.frames.push_back(frame_of(word, modules_));
        if (tree_.frames.back().kind == Frame::Kind::Unknown) ++damage_.bad_references;
      }
      frame_ids_[id] = found->second;
    }
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
      const std::uint32_t parent = parent_of(id, word);
      if (depth[parent] >= kLongestPath) {
        ++damage_.bad_references;
        node_ids_[id] = parent;
        continue;
      }
      const std::uint32_t frame = known_frame(log::node_frame(word));
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

  void memory(const std::vector<read::RawRecord<log::HeapWords>>& records, std::uint64_t peak_epoch,
              std::vector<Row<MemoryMetric>>& rows) {
    for (const auto& record : records) {
      rows.push_back({node(record.node), record.slot, memory_of(record.words, peak_epoch)});
    }
    merge_rows(rows);
  }

  static constexpr std::uint32_t kNoNode = UINT32_MAX;

  const read::RawLog& log_;
  const ModuleIndex& modules_;
  Damage& damage_;
  Tree tree_;
  std::vector<std::uint32_t> frame_ids_, node_ids_;  // the writer's id -> ours
};

}  // namespace

Frame frame_of(std::uint64_t word, const ModuleIndex& modules) {
  Frame frame;
  frame.address = log::frame_address(word);
  switch (log::frame_kind(word)) {
    case log::FrameKind::Native:
      if (const auto found = modules.find(log::frame_module(word)); found != modules.end()) {
        frame.kind = Frame::Kind::Native;
        frame.module = found->second;
      }
      break;
    case log::FrameKind::Anonymous:
      frame.kind = Frame::Kind::Anonymous;
      frame.address = log::frame_payload(word);
      break;
    case log::FrameKind::Special:
      switch (static_cast<log::SpecialFrame>(log::frame_payload(word))) {
        case log::SpecialFrame::Truncated:
          frame.kind = Frame::Kind::Truncated;
          break;
        case log::SpecialFrame::NoStack:
          frame.kind = Frame::Kind::NoStack;
          break;
        default:
          break;
      }
      break;
    default:
      break;
  }
  return frame;
}

Tree build_tree(const read::RawLog& log, const ModuleIndex& modules, Damage& damage) {
  return Builder(log, modules, damage).run();
}

}  // namespace prof::model
