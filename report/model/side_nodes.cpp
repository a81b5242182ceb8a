#include "report/model/side_nodes.hpp"

namespace prof::model {

bool SideNodes::take(std::uint32_t id, std::uint32_t parent_id, std::uint32_t frame, const Frame& meaning) {
  if (parent_id == 0 && meaning.kind == Frame::Kind::Aside) {
    nodes_[id] = {static_cast<log::SpecialFrame>(meaning.number), 0, frame, frame};
    return true;
  }
  const auto parent = nodes_.find(parent_id);
  if (parent == nodes_.end()) return false;
  const Node above = parent->second;
  nodes_[id] = {above.root, above.depth + 1, frame, above.frame};
  return true;
}

std::optional<SideNodes::Work> SideNodes::work(std::uint32_t id) const {
  const auto found = nodes_.find(id);
  const bool is_one =
      found != nodes_.end() && found->second.root == log::SpecialFrame::Streams && found->second.depth == 2;
  if (!is_one) return std::nullopt;
  return Work{found->second.above, found->second.frame};
}

std::optional<std::uint32_t> SideNodes::at(std::uint32_t id, log::SpecialFrame root) const {
  const auto found = nodes_.find(id);
  if (found == nodes_.end() || found->second.root != root || found->second.depth != 1) return std::nullopt;
  return found->second.frame;
}

std::optional<std::uint32_t> SideNodes::spread_of(std::uint32_t id) const { return at(id, log::SpecialFrame::Spreads); }

std::optional<std::uint32_t> SideNodes::open_range(std::uint32_t id) const {
  return at(id, log::SpecialFrame::OpenRanges);
}

}  // namespace prof::model
