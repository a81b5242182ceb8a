#include "report/fold/columns.hpp"
#include "report/fold/path_sums.hpp"

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
