#include "report/page/prune.hpp"

#include <algorithm>
#include <cmath>

namespace prof::page {
namespace {

// By node, its largest share of a measure; never less than that of a child.
std::vector<float> importance(const StackTree& tree) {
  const std::size_t count = tree.nodes.size();
  std::vector<float> out(count);
  std::vector<double> sums(count);
  const std::size_t measures = tree.measures.size();
  for (std::size_t measure = 0; measure < measures; ++measure) {
    std::fill(sums.begin(), sums.end(), 0.0);
    for (const StackPart& part : tree.parts) {
      if (part.thread) continue;
      for (const auto& [node, value] : part.own[measure]) sums[node] += std::fabs(static_cast<double>(value));
    }
    for (std::size_t node = count; node-- > 1;) sums[tree.nodes[node].parent] += sums[node];
    if (sums[0] <= 0) continue;
    for (std::size_t node = 0; node < count; ++node)
      out[node] = std::max(out[node], static_cast<float>(sums[node] / sums[0]));
  }
  for (std::size_t node = count; node-- > 1;) {
    float& parent = out[tree.nodes[node].parent];
    parent = std::max(parent, out[node]);
  }
  return out;
}

// Whether each node stays. Of equals the first do, and parents come before their children.
std::vector<bool> chosen(const StackTree& tree, std::size_t most) {
  const std::vector<float> shares = importance(tree);
  std::vector<float> sorted = shares;
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(most), sorted.end(), std::greater<>());
  const float least = sorted[most];
  auto room = most - static_cast<std::size_t>(
                         std::count_if(shares.begin(), shares.end(), [&](float share) { return share > least; }));
  std::vector<bool> stays(shares.size());
  stays[0] = true;
  for (std::size_t node = 1; node < shares.size(); ++node) {
    if (!stays[tree.nodes[node].parent]) continue;
    stays[node] = shares[node] > least || (shares[node] == least && room > 0);
    if (stays[node] && shares[node] == least) --room;
  }
  return stays;
}

void move_figures(StackTree& tree, const std::vector<std::uint32_t>& ids, std::size_t count) {
  std::vector<std::int64_t> sums(count);
  for (StackPart& part : tree.parts) {
    for (Sparse& column : part.own) {
      std::fill(sums.begin(), sums.end(), 0);
      for (const auto& [node, value] : column) sums[ids[node]] = model::saturated_sum(sums[ids[node]], value);
      column.clear();
      for (std::uint32_t node = 0; node < count; ++node) {
        if (sums[node] != 0) column.emplace_back(node, sums[node]);
      }
      column.shrink_to_fit();
    }
  }
}

}  // namespace

void prune(StackTree& tree, std::size_t most) {
  const std::size_t count = tree.nodes.size();
  const std::vector<bool> stays = chosen(tree, most);
  std::vector<std::uint32_t> ids(count);
  std::vector<StackNode> nodes;
  for (std::uint32_t node = 0; node < count; ++node) {
    if (!stays[node]) continue;
    ids[node] = static_cast<std::uint32_t>(nodes.size());
    nodes.push_back({ids[tree.nodes[node].parent], tree.nodes[node].location});
  }
  std::vector<std::uint32_t> others(nodes.size());  // by the new node: its child for others; 0: it has none
  std::vector<std::uint32_t> left_out(nodes.size());
  for (std::uint32_t node = 1; node < count; ++node) {
    if (stays[node]) continue;
    const std::uint32_t parent = tree.nodes[node].parent;
    if (!stays[parent]) {
      ids[node] = ids[parent];
    } else {
      std::uint32_t& child = others[ids[parent]];
      if (child == 0) {
        child = static_cast<std::uint32_t>(nodes.size());
        nodes.push_back({ids[parent], kOthers});
        left_out.push_back(0);
      }
      ids[node] = child;
    }
    ++left_out[ids[node]];
  }
  tree.nodes = std::move(nodes);
  tree.left_out = std::move(left_out);
  move_figures(tree, ids, tree.nodes.size());
}

}  // namespace prof::page
