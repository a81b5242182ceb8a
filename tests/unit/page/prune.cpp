#include "report/page/prune.hpp"

#include <algorithm>
#include <numeric>

#include "tests/support/catch.hpp"

using namespace prof;
using page::StackTree;

namespace {

// A main path of 10 nodes with 90 % of the first measure; 500 side nodes below it share the rest; node 500 has all of
// the second.
StackTree wide_tree() {
  StackTree tree;
  page::StackPart part;
  part.own.resize(3);
  for (std::uint32_t node = 1; node <= 10; ++node) tree.nodes.push_back({node - 1, node});
  for (std::uint32_t node = 11; node <= 510; ++node) tree.nodes.push_back({node % 2 == 0 ? 5U : node - 1, node});
  for (std::uint32_t node = 1; node <= 10; ++node) part.own[0].emplace_back(node, 9000);
  for (std::uint32_t node = 11; node <= 510; ++node) part.own[0].emplace_back(node, 20 + node % 3);
  part.own[1].emplace_back(500, 77);
  part.own[2].emplace_back(20, 5);
  tree.measures = {model::Measure::CpuTime, model::Measure::Live};
  tree.parts.push_back(part);
  part.thread = true;
  tree.parts.push_back(part);
  tree.all_nodes = tree.nodes.size();
  tree.left_out.assign(tree.nodes.size(), 0);
  return tree;
}

std::int64_t sum(const page::Sparse& column) {
  return std::accumulate(column.begin(), column.end(), std::int64_t{0},
                         [](std::int64_t all, const auto& one) { return all + one.second; });
}

}  // namespace

TEST_CASE("page: what is left out of the flame graph is added up where it was") {
  const StackTree whole = wide_tree();
  for (const std::size_t most : {1UL, 5UL, 20UL, 100UL, 400UL}) {
    StackTree tree = wide_tree();
    page::prune(tree, most);
    CAPTURE(most);
    for (std::size_t part = 0; part < 2; ++part) {
      for (std::size_t column = 0; column < 3; ++column)
        CHECK(sum(tree.parts[part].own[column]) == sum(whole.parts[part].own[column]));
    }
    std::size_t kept = 0, gone = 0;
    for (std::size_t node = 1; node < tree.nodes.size(); ++node) {
      CHECK(tree.nodes[node].parent < node);
      const bool others = tree.nodes[node].location == page::kOthers;
      CHECK((tree.left_out[node] > 0) == others);
      gone += tree.left_out[node];
      kept += others ? 0 : 1;
    }
    CHECK(kept <= most);
    CHECK(kept + gone + 1 == whole.nodes.size());
  }
}

TEST_CASE("page: what matters by any measure stays in the flame graph") {
  StackTree tree = wide_tree();
  page::prune(tree, 20);
  const auto has = [&](std::uint32_t location) {
    return std::any_of(tree.nodes.begin(), tree.nodes.end(),
                       [&](const auto& node) { return node.location == location; });
  };
  for (std::uint32_t location = 1; location <= 10; ++location) CHECK(has(location));
  CHECK(has(500));
  CHECK_FALSE(has(301));
}
