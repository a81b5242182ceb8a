// Visiting a call tree depth first, without recursion: trees of damaged logs can be deep.
#pragma once

#include <cstdint>
#include <vector>

#include "report/fold/call_tree.hpp"

namespace prof::fold {

struct Everywhere {
  bool operator()(std::uint32_t) const { return true; }
};

// walk() by an order that was made.
template <typename Enter, typename Leave, typename GoesTo>
void walk_in_order(const CallTree& tree, const std::vector<CallTree::Visit>& order, Enter& enter, Leave& leave,
                   GoesTo& goes_to) {
  constexpr std::size_t kAhead = 16;  // nodes lie anywhere: each is fetched while those before it are looked at
  std::vector<std::uint32_t> path;
  const auto up_to = [&](std::size_t depth) {
    for (; path.size() > depth; path.pop_back()) leave(path.back());
  };
  std::uint32_t left_out = UINT32_MAX;  // what is deeper is below a node that it does not go to
  for (std::size_t i = 0; i < order.size(); ++i) {
    const CallTree::Visit& visit = order[i];
    if (i + kAhead < order.size()) __builtin_prefetch(&tree.nodes()[order[i + kAhead].node]);
    if (visit.depth > left_out) continue;
    left_out = goes_to(visit.node) ? UINT32_MAX : visit.depth;
    if (left_out != UINT32_MAX) continue;
    up_to(visit.depth - 1);
    enter(visit.node);
    path.push_back(visit.node);
  }
  up_to(0);
}

// Calls enter(node) before a node's children and leave(node) after them, for all nodes but the root, and but those that
// goes_to(node) is false for, with all below them.
template <typename Enter, typename Leave, typename GoesTo = Everywhere>
void walk(const CallTree& tree, Enter enter, Leave leave, GoesTo goes_to = {}) {
  if (const auto* order = tree.order_if_made()) return walk_in_order(tree, *order, enter, leave, goes_to);
  struct Step {
    std::uint32_t node, next_child;
  };
  std::vector<Step> path{{0, 0}};
  while (!path.empty()) {
    Step& step = path.back();
    const auto children = tree.children(step.node);
    if (step.next_child < children.size()) {
      const std::uint32_t child = children[step.next_child++];
      if (!goes_to(child)) continue;
      enter(child);
      path.push_back({child, 0});
    } else {
      if (step.node != 0) leave(step.node);
      path.pop_back();
    }
  }
}

}  // namespace prof::fold
