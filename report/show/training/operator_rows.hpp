// What the table of operators and its figures share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/fold/training/operators.hpp"
#include "report/show/view.hpp"

namespace prof::show {

// What of the rows is sorted, bounded and shared by itself: those of one step, else all.
using Block = std::pair<std::optional<std::size_t>, std::optional<std::int64_t>>;
Block block_of(const fold::OperatorRow& row, bool by_step);

struct BlockSums {
  std::size_t rows = 0;
  std::int64_t self_ns = 0, self_gpu_ns = 0;
};
std::map<Block, BlockSums> block_sums(const std::vector<fold::OperatorRow>& rows, bool by_step);

// Of one call; 0 without any.
double average_ns(const fold::OperatorRow& row);
double gpu_average_ns(const fold::OperatorRow& row);

// A line of the stack: "Linear.forward (linear.py:114)".
std::string line_text(const Subject& subject, std::uint32_t location, bool wide);

}  // namespace prof::show
