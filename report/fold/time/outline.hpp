// A tree as lines to print: top-down (from the outermost callers) or bottom-up (from the functions that did the work).
#pragma once

#include <cstdint>
#include <vector>

#include "report/fold/call_tree.hpp"

namespace prof::fold {

struct OutlineOptions {
  model::Measure measure = model::Measure::CpuTime;
  bool bottom_up = false;
  double min_fraction = 0;  // of the tree's total; smaller branches are pruned
  std::uint32_t max_depth = UINT32_MAX;
};

struct OutlineRow {
  std::uint32_t depth = 0;  // 0: a root of the outline
  std::uint32_t function = 0;
  std::int64_t total = 0;         // in the measure's unit
  std::int64_t self = 0;          // bottom-up: the part of `total` whose stacks begin here
  std::uint32_t pruned = 0;       // children that are left out
  std::int64_t pruned_total = 0;  // what they add up to
};

struct Outline {
  std::vector<OutlineRow> rows;  // each row before its children, siblings by total, descending
  std::int64_t total = 0;        // of the whole tree: what percentages are of
  std::uint32_t pruned_roots = 0;
  std::int64_t pruned_roots_total = 0;
};

Outline outline(const CallTree& tree, const OutlineOptions& options);

}  // namespace prof::fold
