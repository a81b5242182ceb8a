#include "report/model/exact_nodes.hpp"

namespace prof::model {

bool ExactNodes::take(std::uint32_t id, std::uint32_t parent_id, std::uint32_t frame, const Frame& meaning) {
  if (parent_id == 0 && meaning.kind == Frame::Kind::ExactCalls) {
    nodes_[id] = {Role::CallsRoot, {}, frame};
  } else if (parent_id == 0 && meaning.kind == Frame::Kind::ExactLines) {
    nodes_[id] = {Role::LinesRoot, {}, frame};
  } else if (const auto parent = nodes_.find(parent_id); parent != nodes_.end()) {
    const Node node = below(parent->second, frame, meaning);
    nodes_[id] = node;
  } else {
    return false;
  }
  return true;
}

ExactNodes::Node ExactNodes::below(const Node& parent, std::uint32_t frame, const Frame& meaning) {
  const bool python = meaning.kind == Frame::Kind::Python;
  if (parent.role == Role::CallsRoot && meaning.kind == Frame::Kind::NoCaller) return {Role::Caller, {}, frame};
  if (parent.role == Role::CallsRoot && python) return {Role::Caller, frame, frame};
  if (parent.role == Role::Caller && python) return {Role::Callee, parent.caller, frame};
  if (parent.role == Role::LinesRoot && meaning.kind == Frame::Kind::PythonLine) return {Role::Line, {}, frame};
  return {};
}

std::optional<ExactNodes::Edge> ExactNodes::edge(std::uint32_t id) const {
  const auto found = nodes_.find(id);
  if (found == nodes_.end() || found->second.role != Role::Callee) return std::nullopt;
  return Edge{found->second.caller, found->second.frame};
}

std::optional<std::uint32_t> ExactNodes::line(std::uint32_t id) const {
  const auto found = nodes_.find(id);
  if (found == nodes_.end() || found->second.role != Role::Line) return std::nullopt;
  return found->second.frame;
}

}  // namespace prof::model
