#include "report/fold/time/edges.hpp"

#include <unordered_map>

#include "report/fold/path_sums.hpp"

namespace prof::fold {

std::vector<GraphEdge> edges(const CallTree& tree) {
  std::vector<GraphEdge> found;
  std::vector<std::uint32_t> open;  // by edge: how often it is on the path
  std::unordered_map<std::uint64_t, std::size_t> index;
  std::vector<std::size_t> path;
  std::vector<std::uint32_t> functions{kNoCaller};
  walk_sums(
      tree,
      [&](std::uint32_t node) {
        const std::uint32_t caller = functions.back(), callee = tree.function_id(node);
        const auto [at, is_new] = index.try_emplace(std::uint64_t{caller} << 32 | callee, found.size());
        if (is_new) {
          found.push_back({caller, callee, {}, {}});
          open.push_back(0);
        }
        const std::size_t edge = at->second;
        tree.self().add_to(found[edge].self, node);
        ++open[edge];
        path.push_back(edge);
        functions.push_back(callee);
      },
      [&](std::uint32_t, const Inside& inside) {
        if (--open[path.back()] == 0) inside.add_to(found[path.back()].cumulative);
        path.pop_back();
        functions.pop_back();
      });
  return found;
}

}  // namespace prof::fold
