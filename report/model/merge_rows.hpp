// Rows with the same key become one.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "report/model/process.hpp"

namespace prof::model {

template <typename RowType, typename Key>
void merge_by(std::vector<RowType>& rows, Key key) {
  std::stable_sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  std::size_t used = 0;
  for (const RowType& row : rows) {
    if (used != 0 && key(rows[used - 1]) == key(row)) {
      rows[used - 1].metric += row.metric;
    } else {
      rows[used++] = row;
    }
  }
  rows.resize(used);
}

template <typename Metric>
void merge_rows(std::vector<Row<Metric>>& rows) {
  merge_by(rows, [](const Row<Metric>& row) { return std::pair(row.node, row.slot); });
}

template <typename Metric>
void merge_rows(std::vector<FrameRow<Metric>>& rows) {
  merge_by(rows, [](const FrameRow<Metric>& row) { return std::pair(row.frame, row.slot); });
}

}  // namespace prof::model
