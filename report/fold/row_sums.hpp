// Sums of a tree's nodes by rows of a table: what a row's nodes have themselves, and what is in them, each stack once.
#pragma once

#include <cstdint>
#include <vector>

#include "report/fold/call_tree.hpp"
#include "report/fold/path_sums.hpp"
#include "report/fold/walk.hpp"

namespace prof::fold {

inline constexpr std::uint32_t kNoRow = UINT32_MAX;

// By node: whether no node above it has the same row. row_of(node): a row, or kNoRow; it is asked in the order of a
// walk.
template <typename RowOf>
std::vector<bool> outermost(const CallTree& tree, RowOf row_of) {
  std::vector<bool> out(tree.nodes().size());
  std::vector<std::uint32_t> open, path;  // by row: how often it is on the path
  walk(
      tree,
      [&](std::uint32_t node) {
        const std::uint32_t row = row_of(node);
        path.push_back(row);
        if (row == kNoRow) return;
        if (row >= open.size()) open.resize(std::size_t{row} + 1);
        out[node] = open[row]++ == 0;
      },
      [&](std::uint32_t) {
        if (path.back() != kNoRow) --open[path.back()];
        path.pop_back();
      });
  return out;
}

// Adds up figures by row. row_of(node) makes the row where there is none yet; rows[row] has `self` and `cumulative`.
template <Figures figures = Figures::All, typename Rows, typename RowOf>
void add_by_row(const CallTree& tree, Rows& rows, RowOf row_of) {
  const Columns* totals = figures == Figures::All ? tree.totals_if_made() : nullptr;
  std::vector<bool> outer;
  if (totals != nullptr) {
    outer = outermost(tree, row_of);
  } else {
    std::vector<std::uint32_t> open;
    walk_sums<figures>(
        tree,
        [&](std::uint32_t node) {
          const std::uint32_t row = row_of(node);
          if (row == kNoRow) return;
          if (row >= open.size()) open.resize(std::size_t{row} + 1);
          ++open[row];
        },
        [&](std::uint32_t node, const Inside& inside) {
          const std::uint32_t row = row_of(node);
          if (row != kNoRow && --open[row] == 0) inside.add_to(rows[row].cumulative);
        });
  }
  // Nodes in their order lie side by side, and so do their figures: not so in the order of a walk.
  for (std::uint32_t node = 1; node < tree.nodes().size(); ++node) {
    if (figures == Figures::Times && !tree.self().has_times(node)) continue;
    const std::uint32_t row = row_of(node);
    if (row == kNoRow) continue;
    if constexpr (figures == Figures::Times)
      tree.self().add_times_to(rows[row].self, node);
    else
      tree.self().add_to(rows[row].self, node);
    if (totals != nullptr && outer[node]) totals->add_to(rows[row].cumulative, node);
  }
}

}  // namespace prof::fold
