#include "report/fold/watched.hpp"

#include "tests/support/catch.hpp"

using namespace prof;

namespace {

void add(model::Run& run, std::int64_t operators, std::int64_t kernels) {
  model::Process& process = run.processes.emplace_back();
  model::Row<model::OperatorMetric> op{};
  op.metric.calls = operators;
  process.tree.operators.push_back(op);
  model::Row<model::DeviceMetric> work{};
  work.metric.count = kernels;
  process.tree.device.push_back(work);
}

}  // namespace

TEST_CASE("what is watched has its price, by its number in all processes", "[fold]") {
  model::Run run;
  CHECK(fold::watched(run).ns == 0);
  add(run, 1'000, 0);
  const std::int64_t of_operators = fold::watched(run).ns;
  CHECK(of_operators == 100'000);  // the least that was seen: 100 ns each
  CHECK(of_operators == fold::operators_ns(1'000));
  add(run, 1'000, 100);
  const fold::Watched both = fold::watched(run);
  CHECK(both.operators == 2'000);
  CHECK(both.device_work == 100);
  CHECK(both.ns > 2 * of_operators);
}

TEST_CASE("a log that counts more than can be has a price in range", "[fold]") {
  model::Run run;
  add(run, INT64_MAX, INT64_MAX);
  add(run, INT64_MAX, -5);
  CHECK(fold::watched(run).ns > 0);
  CHECK(fold::operators_ns(INT64_MAX) > 0);
  CHECK(fold::operators_ns(-5) == 0);
}
