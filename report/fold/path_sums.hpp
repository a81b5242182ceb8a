// Figures of all that is below a node, while a tree is walked: they take memory for the nodes of one path, where
// CallTree::totals() takes it for all of millions.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "report/fold/call_tree.hpp"
#include "report/fold/columns.hpp"
#include "report/fold/walk.hpp"

namespace prof::fold {

// Of one kind of figures. Nodes of the path are named by their depth.
template <typename Value>
class PathColumn {
 public:
  // The path gains a last node.
  void enter(const Column<Value>& self, std::uint32_t node, std::uint32_t depth) {
    if (self.has(node)) sums_.push_back({depth, self[node]});
  }

  // It loses that: what was below it is below its parent.
  void leave(std::uint32_t depth) {
    if (!has(depth)) return;
    if (sums_.size() > 1 && sums_[sums_.size() - 2].first == depth - 1) {
      accumulate(sums_[sums_.size() - 2].second, sums_.back().second);
      sums_.pop_back();
    } else {
      --sums_.back().first;
    }
  }

  // Of the last node alone, when all that is below it was visited.
  bool has(std::uint32_t depth) const { return !sums_.empty() && sums_.back().first == depth; }
  void add_to(Value& sum, std::uint32_t depth) const {
    if (has(depth)) accumulate(sum, sums_.back().second);
  }

 private:
  std::vector<std::pair<std::uint32_t, Value>> sums_;  // of the nodes that have any: the deepest is the last
};

using PathSums = Kinds<PathColumn>;

// The figures of a node and of all below it, when all of these were visited.
class Inside {
 public:
  Inside(const PathSums& sums, std::uint32_t depth) : sums_(sums), depth_(depth) {}

  void add_to(model::Metrics& sum) const { sums_.add_to(sum, depth_); }
  template <typename Value>
  void add_to(Value& sum, PathColumn<Value> PathSums::*kind) const {
    (sums_.*kind).add_to(sum, depth_);
  }

 private:
  const PathSums& sums_;
  std::uint32_t depth_;
};

// By node: whether it, or any below it, has figures of time.
inline std::vector<bool> with_times(const CallTree& tree) {
  std::vector<bool> out(tree.nodes().size());
  for (auto i = static_cast<std::uint32_t>(out.size()); i-- > 1;) {
    if (out[i] || tree.self().has_times(i)) out[i] = out[tree.nodes()[i].parent] = true;
  }
  return out;
}

// walk() with leave(node, inside), which has these figures; without the nodes that have none of them, at or below.
template <Figures figures = Figures::All, typename Enter, typename Leave>
void walk_sums(const CallTree& tree, Enter enter, Leave leave) {
  const std::vector<bool> timed = figures == Figures::Times ? with_times(tree) : std::vector<bool>();
  const auto goes_to = [&](std::uint32_t node) { return figures == Figures::All || timed[node]; };
  PathSums sums;
  std::uint32_t depth = 0;
  walk(
      tree,
      [&](std::uint32_t node) {
        enter(node);
        ++depth;
        sums.for_each_with(tree.self(), [&]<typename Value>(PathColumn<Value>& sum, const Column<Value>& self) {
          if constexpr (kWanted<figures, Value>) sum.enter(self, node, depth);
        });
      },
      [&](std::uint32_t node) {
        leave(node, Inside(sums, depth));
        sums.for_each([&]<typename Value>(PathColumn<Value>& sum, auto) {
          if constexpr (kWanted<figures, Value>) sum.leave(depth);
        });
        --depth;
      },
      goes_to);
}

}  // namespace prof::fold
