#include "report/fold/columns.hpp"
#include "report/fold/path_sums.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/folded.hpp"

using namespace prof;

TEST_CASE("a column has nothing where nothing was put", "[fold]") {
  fold::Column<std::int64_t> column;
  CHECK_FALSE(column.any());
  CHECK(column[1'000'000] == 0);
  column.make(3) += 7;
  column.make(1) += 5;
  column.make(3) += 1;
  CHECK(column.any());
  CHECK(column[3] == 8);
  CHECK(column[1] == 5);
  CHECK(column.has(1));
  CHECK_FALSE(column.has(2));
  CHECK(column[2] == 0);
}

TEST_CASE("a column keeps the figures of the nodes that are kept", "[fold]") {
  fold::Column<std::int64_t> column;
  for (const std::uint32_t node : {0U, 2U, 3U, 5U}) column.make(node) = 10 * node + 1;
  column.renumber(std::vector<std::uint32_t>{0, fold::kDropped, 1, fold::kDropped, fold::kDropped, 2});
  CHECK(column[0] == 1);
  CHECK(column[1] == 21);
  CHECK(column[2] == 51);
  CHECK_FALSE(column.has(3));
}

TEST_CASE("totals are those of a node and all below it, whichever column is asked for first", "[fold]") {
  test::Program p(100, "/nowhere/app");
  const std::uint32_t outer = p.log.node(0, p.log.native(1, 1)), inner = p.log.node(outer, p.log.native(1, 2));
  const std::uint32_t leaf = p.log.node(inner, p.log.native(1, 3));
  p.log.cpu(outer, 1, 1);
  p.log.cpu(inner, 1, 10);
  p.log.cpu(leaf, 1, 100);
  const test::Folded folded({&p});
  const fold::CallTree& tree = folded.tree;
  REQUIRE(tree.nodes().size() == 4);
  CHECK(tree.totals(&fold::Columns::wait)[1].empty());
  CHECK(tree.totals(&fold::Columns::cpu)[1].ns == 111);
  CHECK(tree.totals(&fold::Columns::cpu)[2].ns == 110);
  CHECK(tree.totals(&fold::Columns::cpu)[3].ns == 100);
  CHECK(tree.self().cpu[2].ns == 10);
  CHECK(tree.total_value(2, model::Measure::WallTime) == 110);
  CHECK(tree.self_value(2, model::Measure::WallTime) == 10);
}

// Catches nodes that share the figures of a child when they have some of their own, or of another child.
TEST_CASE("what is added up is the sum of all at or below a node, in trees of any shape", "[fold]") {
  std::mt19937 random(7);
  for (int tree = 0; tree < 200; ++tree) {
    const auto below = [&](std::uint32_t end) { return static_cast<std::uint32_t>(random() % end); };
    const std::uint32_t nodes = 1 + below(40), branching = 1 + below(20);
    std::vector<std::uint32_t> parents{0};
    fold::Column<std::int64_t> self;
    std::vector<std::int64_t> sums(nodes);
    for (std::uint32_t node = 1; node < nodes; ++node) parents.push_back(node - 1 - below(std::min(node, branching)));
    for (std::uint32_t node = 0; node < nodes; ++node) {
      if (random() % 3 == 0) sums[node] = self.make(node) = 1 + random() % 1000;
    }
    for (std::uint32_t node = nodes; node-- > 1;) sums[parents[node]] += sums[node];
    const auto added = self.added_up(nodes, [&](std::uint32_t node) { return parents[node]; });
    for (std::uint32_t node = 0; node < nodes; ++node) {
      CHECK(added[node] == sums[node]);
      CHECK(added.has(node) == (sums[node] != 0));
    }
  }
}

TEST_CASE("figures below a node are the same by walking and by the columns of totals", "[fold]") {
  test::Program p(100, "/nowhere/app");
  const std::uint32_t a = p.log.node(0, p.log.native(1, 1)), b = p.log.node(a, p.log.native(1, 2));
  const std::uint32_t c = p.log.node(b, p.log.native(1, 3)), d = p.log.node(a, p.log.native(1, 4));
  const std::uint32_t e = p.log.node(d, p.log.native(1, 5)), other = p.log.node(0, p.log.native(1, 6));
  p.log.cpu(c, 1, 1);  // a and b have none of their own: what is below goes up through them
  p.log.cpu(e, 1, 10);
  p.log.cpu(d, 1, 100);
  p.log.cpu(other, 1, 1000);
  const test::Folded folded({&p});
  const fold::CallTree& tree = folded.tree;
  std::vector<std::uint32_t> left;
  model::Metrics all;
  fold::walk_sums(
      tree, [](std::uint32_t) {},
      [&](std::uint32_t node, const fold::Inside& inside) {
        model::Metrics sum;
        inside.add_to(sum);
        CHECK(sum.cpu == tree.totals(&fold::Columns::cpu)[node]);
        left.push_back(node);
        if (tree.nodes()[node].parent == 0) inside.add_to(all);
      });
  CHECK(left.size() == 6);
  CHECK(all == tree.total());
  CHECK(all.cpu.ns == 1111);
}
