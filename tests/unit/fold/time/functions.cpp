// Sums by function.
#include "report/fold/time/functions.hpp"

#include "report/fold/line_tree.hpp"
#include "report/fold/time/lines.hpp"
#include "report/fold/walk.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/folded.hpp"
#include "tests/unit/support/show_run.hpp"

using namespace prof;

// Catches figures that the first screen takes for time, made in another way than those of the functions' table.
TEST_CASE("functions: times alone are those beside other figures", "[fold]") {
  const test::SmallRun small;
  const fold::CallTree tree = fold::line_tree(small.run, small.symbols, small.selection);
  const std::vector<fold::FunctionRow> times = fold::functions(tree, fold::Figures::Times);
  std::vector<fold::FunctionRow> all = fold::functions(tree);
  std::erase_if(all, [](const fold::FunctionRow& row) {
    const model::Metrics& its = row.cumulative;
    return its.cpu == model::CpuMetric{} && its.wait == model::WaitMetric{} && its.gpu.get() == model::GpuMetrics{};
  });
  REQUIRE_FALSE(all.empty());
  REQUIRE(times.size() == all.size());
  bool memory = false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(times[i].function == all[i].function);
    for (const auto side : {&fold::FunctionRow::self, &fold::FunctionRow::cumulative}) {
      CHECK((times[i].*side).cpu == (all[i].*side).cpu);
      CHECK((times[i].*side).wait == (all[i].*side).wait);
      CHECK((times[i].*side).gpu.get() == (all[i].*side).gpu.get());
      CHECK((times[i].*side).heap == model::MemoryMetric{});
      memory |= (all[i].*side).heap != model::MemoryMetric{};
    }
  }
  CHECK(memory);
}

// Catches sums that depend on whether a tree's totals are there.
TEST_CASE("functions, modules and lines: the same with totals that were made", "[fold]") {
  const test::SmallRun small;
  const fold::CallTree without = fold::line_tree(small.run, small.symbols, small.selection);
  const fold::CallTree with = fold::line_tree(small.run, small.symbols, small.selection);
  with.make_totals();
  with.make_order();
  REQUIRE(without.totals_if_made() == nullptr);
  REQUIRE(with.totals_if_made() != nullptr);
  const auto check = [](const auto& a, const auto& b) {
    REQUIRE_FALSE(a.empty());
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      CHECK(a[i].self.cpu == b[i].self.cpu);
      CHECK(a[i].self.heap == b[i].self.heap);
      CHECK(a[i].cumulative.cpu == b[i].cumulative.cpu);
      CHECK(a[i].cumulative.heap == b[i].cumulative.heap);
    }
  };
  check(fold::functions(without), fold::functions(with));
  check(fold::modules(without), fold::modules(with));
  const std::vector<fold::SourceLine> a = fold::lines(without).rows, b = fold::lines(with).rows;
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    CHECK(a[i].line == b[i].line);
    CHECK(a[i].cumulative_ns == b[i].cumulative_ns);
    CHECK(a[i].memory == b[i].memory);
    CHECK(a[i].cum_memory == b[i].cum_memory);
  }
}

// Catches a walk that comes to other nodes, or leaves them at other times, when the order was made before.
TEST_CASE("functions: a walk in an order that was made is the walk by children", "[fold]") {
  const test::SmallRun small;
  const fold::CallTree tree = fold::line_tree(small.run, small.symbols, small.selection);
  const auto walked = [&](std::uint32_t left_out) {
    std::vector<std::int64_t> out;
    fold::walk(
        tree, [&](std::uint32_t node) { out.push_back(node); },
        [&](std::uint32_t node) { out.push_back(-std::int64_t{node}); },
        [&](std::uint32_t node) { return node != left_out; });
    return out;
  };
  std::vector<std::vector<std::int64_t>> before;
  for (std::uint32_t node = 0; node < tree.nodes().size(); ++node) before.push_back(walked(node));
  REQUIRE(before.size() > 3);
  tree.make_order();
  for (std::uint32_t node = 0; node < tree.nodes().size(); ++node) CHECK(walked(node) == before[node]);
}

TEST_CASE("functions: of a row's nodes on one path the outermost has them all", "[fold]") {
  test::Program p;
  const auto f = p.log.node(0, p.log.native(1, 1)), g = p.log.node(f, p.log.native(1, 2));
  const auto again = p.log.node(g, p.log.native(1, 1));
  p.log.cpu(again, 1, 10);
  p.log.cpu(g, 1, 5);
  const test::Folded folded({&p});
  folded.tree.make_totals();
  const auto rows = fold::functions(folded.tree);
  REQUIRE(rows.size() == 2);
  for (const fold::FunctionRow& row : rows) CHECK(row.cumulative.cpu.ns == 15);
  CHECK(rows[0].self.cpu.ns == 10);
}
