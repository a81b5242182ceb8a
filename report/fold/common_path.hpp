// What several call paths have in common.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace prof::fold {

struct WeighedPath {
  std::vector<std::uint32_t> steps;  // locations, the outermost first
  std::int64_t weight = 0;
};

// How paths are compared: the function of a location, and what stands for places of a function that differ.
struct PathNames {
  std::function<std::uint32_t(std::uint32_t location)> function;
  std::function<std::uint32_t(std::uint32_t location)> anywhere;
};

// The steps that paths with nine tenths of the weight have in common: from the outermost on, and, where they part,
// those in which they end. Paths that are at different places of one function are in that function, and go on together.
// What differs is left out: it would be said of all that is true of a part.
std::vector<std::uint32_t> common_path(const std::vector<WeighedPath>& paths, const PathNames& names);

}  // namespace prof::fold
