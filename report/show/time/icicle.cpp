#include "report/show/time/icicle.hpp"

#include <algorithm>
#include <cmath>

namespace prof::show {

Icicle icicle(const fold::Outline& outline, std::size_t columns, std::size_t most) {
  Icicle out;
  out.narrow = outline.pruned_roots;
  out.narrow_total = outline.pruned_roots_total;
  if (outline.total <= 0) return out;
  const double scale = static_cast<double>(columns) / static_cast<double>(outline.total);
  const auto column = [&](std::int64_t value) {
    return std::min(columns, static_cast<std::size_t>(std::llround(static_cast<double>(value) * scale)));
  };
  // By depth: where the next block begins, and where the one above it ends. Blocked time is worked out at each block,
  // so that those below one may add up to more than it has.
  std::vector<std::int64_t> next{0}, ends{outline.total};
  std::size_t hidden_below = SIZE_MAX;  // rows deeper than this are part of a block that is too narrow
  for (std::size_t i = 0; i < outline.rows.size(); ++i) {
    const fold::OutlineRow& row = outline.rows[i];
    if (row.depth > hidden_below) continue;
    hidden_below = SIZE_MAX;
    next.resize(row.depth + 1);
    ends.resize(row.depth + 1);
    const std::int64_t begin = next[row.depth];
    const std::int64_t end =
        std::min(ends[row.depth], model::saturated_sum(begin, std::max<std::int64_t>(0, row.total)));
    next[row.depth] = end;
    const std::size_t first = column(begin), width = column(end) - first;
    // Whatever is a column wide gets one, wherever it begins.
    if (static_cast<double>(row.total) * scale < 1 || width == 0) {
      ++out.narrow;
      out.narrow_total = model::saturated_sum(out.narrow_total, row.total);
      hidden_below = row.depth;
      continue;
    }
    out.narrow += row.pruned;
    out.narrow_total = model::saturated_sum(out.narrow_total, row.pruned_total);
    next.push_back(begin);
    ends.push_back(end);
    if (most != 0 && row.depth >= most) {
      out.deeper = std::max(out.deeper, row.depth + 1 - most);
      continue;
    }
    if (out.levels.size() <= row.depth) out.levels.resize(row.depth + 1);
    out.levels[row.depth].push_back({i, first, width, begin});
  }
  return out;
}

}  // namespace prof::show
