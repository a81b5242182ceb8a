// Nodes of operators: they are in the writer's tree, but stand for no stack of code. They have a tree of their own.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "report/model/process.hpp"
#include "report/read/raw_log.hpp"

namespace prof::model {

class OperatorNodes {
 public:
  // True if the writer's node belongs here: its frame is the root of operators, or its parent is such a node. Its own
  // node is added to `tree`, unless one with its parent and frame is there. `frame` indexes the tree's frames.
  bool take(std::uint32_t id, std::uint32_t parent_id, std::uint32_t frame, const Frame& meaning, Tree& tree);

  // True if the writer's node is work of a device or a call of an API below an operator: `kind` is that of its frame's
  // name. To be asked before take().
  bool take_work(std::uint32_t id, std::uint32_t parent_id, std::uint32_t frame, log::NameKind kind);

  // Index into Tree::operator_nodes of such a node; 0: it is none.
  std::uint32_t node(std::uint32_t id) const;

  struct Work {
    std::uint32_t node = 0, frame = 0;  // index into Tree::operator_nodes, and of what was done for that
  };
  // What such a node stands for; nothing if it is none.
  std::optional<Work> work(std::uint32_t id) const;

  // The rows of `tree`, from the log's records; those of other nodes are damage.
  void add_rows(const std::vector<read::RawRecord<log::OperatorWords>>& records, Damage& damage, Tree& tree) const;

 private:
  std::unordered_map<std::uint32_t, std::uint32_t> nodes_;   // the writer's id -> index into Tree::operator_nodes
  std::unordered_map<std::uint32_t, Work> work_;             // likewise
  std::unordered_map<std::uint64_t, std::uint32_t> by_key_;  // two of the writer's may be one
};

}  // namespace prof::model
