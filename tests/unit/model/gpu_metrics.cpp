#include "report/model/build_process.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_builder.hpp"
#include "tests/unit/support/parsed.hpp"

using namespace prof;
using test::LogBuilder;

TEST_CASE("the least of no time at all is none", "[read]") {
  LogBuilder log;
  const auto node = log.node(0, log.named(log::NameKind::Kernel, "k"));
  log.record(log::RecordClass::Device, node, log::DeviceWords{3, 0, 0, 0, 0, 3}, 0);
  log.record(log::RecordClass::Device, node, log::DeviceWords{2, 30, 10, 20, 0, 0}, 1);
  const model::Process process = test::built(log);
  REQUIRE(process.tree.device.size() == 2);
  CHECK_FALSE(process.tree.device[0].metric.each.min_ns);
  model::DeviceMetric sum = process.tree.device[0].metric;
  sum += process.tree.device[1].metric;
  CHECK(sum.each.min_ns == 10);
  CHECK(sum.timed() == 2);
}

TEST_CASE("sums over hostile records stay in range", "[read]") {
  LogBuilder log;
  const auto node = log.node(0, log.named(log::NameKind::Api, "f", "cuBLAS"));
  for (std::uint32_t slot = 0; slot < 3; ++slot) {
    log.record(log::RecordClass::Api, node,
               log::ApiWords{UINT64_MAX, UINT64_MAX, UINT64_MAX, 0, UINT64_MAX, UINT64_MAX, UINT64_MAX, 1}, slot);
    log.record(log::RecordClass::Idle, node, log::IdleWords{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, 1, 1, 1, 1},
               slot);
  }
  const model::Process process = test::built(log);
  model::ApiMetric sum;
  for (const auto& row : process.tree.api) sum += row.metric;
  CHECK(sum.calls == INT64_MAX);
  CHECK(sum.flops == INT64_MAX);
  model::IdleMetric idle;
  for (const auto& row : process.tree.idle) idle += row.metric;
  CHECK(idle.synchronising_ns == INT64_MAX);
}

TEST_CASE("medians: within their class, never outside of what was seen", "[model]") {
  model::Spread spread;
  spread.count[log::spread_class(1000)] = 10;
  const auto middle = model::median_ns(spread, {});
  REQUIRE(middle);
  CHECK(*middle >= static_cast<double>(log::spread_floor(log::spread_class(1000))));
  CHECK(*middle <= static_cast<double>(log::spread_floor(log::spread_class(1000) + 1)));
  CHECK(model::median_ns(spread, {990, 1001}) >= 990.0);
  CHECK(model::median_ns(spread, {1000, 1000}) == 1000.0);
  spread.count[log::spread_class(1'000'000)] = 11;
  CHECK(*model::median_ns(spread, {}) > 800'000);
  spread.count[0] = 100;
  CHECK(*model::median_ns(spread, {}) < 4);
  CHECK_FALSE(model::median_ns(model::Spread{}, {}));
  model::Spread last;
  last.count[log::kSpreadClasses - 1] = 1;
  CHECK(*model::median_ns(last, {}) > 0);
}
