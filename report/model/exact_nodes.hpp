// Nodes of exact counts: they are in the writer's tree, but stand for edges and lines, not for stacks.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "report/model/process.hpp"

namespace prof::model {

class ExactNodes {
 public:
  // True if the writer's node belongs to exact counts: its frame is one of their roots, or its parent is such a node.
  // `frame` indexes `frames`.
  bool take(std::uint32_t id, std::uint32_t parent_id, std::uint32_t frame, const Frame& meaning);

  struct Edge {
    std::optional<std::uint32_t> caller;
    std::uint32_t callee = 0;
  };
  // What a node counts; nothing if it is no node of that kind.
  std::optional<Edge> edge(std::uint32_t id) const;
  std::optional<std::uint32_t> line(std::uint32_t id) const;  // its frame

 private:
  enum class Role : std::uint8_t { CallsRoot, Caller, Callee, LinesRoot, Line, Astray };
  struct Node {
    Role role = Role::Astray;
    std::optional<std::uint32_t> caller;
    std::uint32_t frame = 0;
  };
  static Node below(const Node& parent, std::uint32_t frame, const Frame& meaning);

  std::unordered_map<std::uint32_t, Node> nodes_;  // by the writer's id
};

}  // namespace prof::model
