// Nodes of totals by stream, of distributions, of ranges that end anywhere, of totals of blocking calls, files and
// locks: they are in the writer's tree, but stand for no stack.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "report/model/process.hpp"

namespace prof::model {

class SideNodes {
 public:
  // True if the writer's node belongs here: its frame is one of these roots, or its parent is such a node. `frame`
  // indexes the tree's frames.
  bool take(std::uint32_t id, std::uint32_t parent_id, std::uint32_t frame, const Frame& meaning);

  struct Work {
    std::uint32_t stream = 0, work = 0;  // frames
  };
  // What a node stands for; nothing if it is no node of that kind.
  std::optional<Work> work(std::uint32_t id) const;                 // of a stream
  std::optional<std::uint32_t> spread_of(std::uint32_t id) const;   // its frame
  std::optional<std::uint32_t> open_range(std::uint32_t id) const;  // its frame
  // The frame of a node directly below a root.
  std::optional<std::uint32_t> at(std::uint32_t id, log::SpecialFrame root) const;

 private:
  struct Node {
    log::SpecialFrame root{};
    std::uint32_t depth = 0;  // below the root; what is deeper than it may be stands for nothing
    std::uint32_t frame = 0, above = 0;
  };

  std::unordered_map<std::uint32_t, Node> nodes_;  // by the writer's id
};

}  // namespace prof::model
