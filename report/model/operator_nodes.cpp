#include "report/model/operator_nodes.hpp"

#include "report/model/merge_rows.hpp"

namespace prof::model {
bool OperatorNodes::take(std::uint32_t id, std::uint32_t parent_id, std::uint32_t frame, const Frame& meaning,
                         Tree& tree) {
  constexpr auto kRoot = static_cast<std::uint32_t>(log::SpecialFrame::Operators);
  if (parent_id == 0) {
    if (meaning.kind != Frame::Kind::Aside || meaning.number != kRoot) return false;
    if (tree.operator_nodes.empty()) tree.operator_nodes.push_back({});
    nodes_[id] = 0;
    return true;
  }
  const auto parent = nodes_.find(parent_id);
  if (parent == nodes_.end()) return false;
  const auto next = static_cast<std::uint32_t>(tree.operator_nodes.size());
  const auto [found, is_new] = by_key_.try_emplace(log::node_word(parent->second, frame), next);
  if (is_new) tree.operator_nodes.push_back({parent->second, frame});
  nodes_[id] = found->second;
  return true;
}

bool OperatorNodes::take_work(std::uint32_t id, std::uint32_t parent_id, std::uint32_t frame, log::NameKind kind) {
  if (kind != log::NameKind::Kernel && kind != log::NameKind::Copy && kind != log::NameKind::Api) return false;
  const auto parent = nodes_.find(parent_id);
  if (parent == nodes_.end() || parent->second == 0) return false;
  work_[id] = {parent->second, frame};
  return true;
}

std::uint32_t OperatorNodes::node(std::uint32_t id) const {
  const auto found = nodes_.find(id);
  return found == nodes_.end() ? 0 : found->second;
}

std::optional<OperatorNodes::Work> OperatorNodes::work(std::uint32_t id) const {
  const auto found = work_.find(id);
  return found == work_.end() ? std::nullopt : std::optional(found->second);
}

void OperatorNodes::add_rows(const std::vector<read::RawRecord<log::OperatorWords>>& records, Damage& damage,
                             Tree& tree) const {
  for (const auto& record : records) {
    const auto node = nodes_.find(record.node);
    if (node == nodes_.end() || node->second == 0) {
      ++damage.bad_references;
      continue;
    }
    tree.operators.push_back({node->second, record.slot, metric_of(record.words)});
  }
  merge_rows(tree.operators);
}

}  // namespace prof::model
