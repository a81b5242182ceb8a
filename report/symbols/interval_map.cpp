#include "report/symbols/interval_map.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace prof::symbols {

IntervalMap::IntervalMap(std::vector<Interval> intervals) {
  std::erase_if(intervals, [](const Interval& i) { return i.low >= i.high; });
  struct Edge {
    std::uint64_t at;
    std::uint32_t interval;
    bool begins;
  };
  std::vector<Edge> edges;
  edges.reserve(intervals.size() * 2);
  for (std::uint32_t i = 0; i < intervals.size(); ++i) {
    edges.push_back({intervals[i].low, i, true});
    edges.push_back({intervals[i].high, i, false});
  }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.at < b.at; });

  // Those that hold the address the sweep is at: deepest first, then in the order they were given.
  const auto deeper = [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(intervals[b].depth, a) < std::pair(intervals[a].depth, b);
  };
  std::set<std::uint32_t, decltype(deeper)> open(deeper);
  for (std::size_t i = 0; i < edges.size();) {
    const std::uint64_t at = edges[i].at;
    for (; i < edges.size() && edges[i].at == at; ++i) {
      if (edges[i].begins) {
        open.insert(edges[i].interval);
      } else {
        open.erase(edges[i].interval);
      }
    }
    const std::uint32_t value = open.empty() ? kNone : intervals[*open.begin()].value;
    if (steps_.empty() || steps_.back().value != value) steps_.push_back({at, value});
  }
}

std::uint32_t IntervalMap::find(std::uint64_t address) const {
  const auto after = std::upper_bound(steps_.begin(), steps_.end(), address,
                                      [](std::uint64_t a, const Step& step) { return a < step.from; });
  return after == steps_.begin() ? kNone : (after - 1)->value;
}

}  // namespace prof::symbols
