// The stacks of a run for the flame graph: one tree that all parts of the run share, by line, and of each part its own
// figures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/fold/call_tree.hpp"
#include "report/model/metrics.hpp"
#include "report/show/view.hpp"

namespace prof::page {

// Node and value, for nodes whose own value is not 0; by node.
using Sparse = std::vector<std::pair<std::uint32_t, std::int64_t>>;

// What of the run can be looked at by itself: a process, or a thread of one.
struct StackPart {
  bool thread = false;
  std::string process, name;  // "train.py (pid 100)", "worker (tid 101)"
  std::uint32_t pid = 0, tid = 0;
  std::optional<std::int32_t> rank;
  // By StackTree::measures, then idle time. Blocked time of a node is below 0 where CPU time, an estimate, is more than
  // the calls took: only so that sums are those that the report has, which are never below 0.
  std::vector<Sparse> own;
};

struct StackNode {
  std::uint32_t parent = 0;
  std::uint32_t location = 0;  // of `symbols`; kOthers for what stands for nodes that were left out
};
inline constexpr std::uint32_t kOthers = UINT32_MAX;

struct StackTree {
  std::vector<StackNode> nodes{StackNode{}};  // nodes[0] is the root; parents stand before their children
  std::vector<std::uint32_t> left_out;        // of a node for others: how many those are. By node; else 0
  std::vector<model::Measure> measures;       // those that any part has figures of
  std::vector<StackPart> parts;               // processes: their figures add up to the run's. Then threads
  bool threads = false;                       // whether threads are parts
  std::size_t all_nodes = 0;                  // before any was left out
};

// Of the subject's selection, with at most about `most` nodes: those that matter most by any measure. What is left out
// is added up in a node below the nearest one that is not, so that all sums stay. `most` 0: all nodes. `lines`:
// fold::line_tree() of the same.
StackTree stack_tree(const show::Subject& subject, const fold::CallTree& lines, std::size_t most);

}  // namespace prof::page
