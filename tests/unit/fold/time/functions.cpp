// Sums by function.
#include "report/fold/time/functions.hpp"

#include "report/fold/line_tree.hpp"
#include "tests/support/catch.hpp"
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
