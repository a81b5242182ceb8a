#include "report/model/metrics.hpp"

#include "report/model/operator_metric.hpp"
#include "tests/support/catch.hpp"

using namespace prof;

TEST_CASE("metrics add up by the rules of the words they are made of", "[model]") {
  model::WaitTotal total = model::metric_of(log::WaitTotalWords{2, 1, 100, 10, 20, 80, 4096, 5, 7});
  CHECK(total.each == model::Extremes{20, 80});
  total += model::metric_of(log::WaitTotalWords{3, 0, UINT64_MAX, 0, 30, 90, 1, 0, 1});
  total += model::metric_of(log::WaitTotalWords{0, 0, 0, 0, 1, 1000, 0, 0, 0});  // counted nothing
  CHECK(total.calls == 5);
  CHECK(total.failed == 1);
  CHECK(total.ns == INT64_MAX);
  CHECK(total.nested_ns == 10);
  CHECK(total.each == model::Extremes{20, 90});
  CHECK(total.bytes == 4097);
  CHECK(total.last_errno == 5);
  CHECK(total.uncontended == 8);

  log::FileWords use{};
  use.reads = 2;
  use.read_max_ns = 30;
  model::FileMetric file = model::metric_of(use);
  use.read_max_ns = 20;
  use.failed = 1;
  file += model::metric_of(use);
  CHECK(file.reads == 4);
  CHECK(file.read_max_ns == 30);
  CHECK(file.failed == 1);
}

TEST_CASE("what has a sign keeps it, and an unknown least time is none", "[model]") {
  log::OperatorWords words{};
  words.calls = 1;
  words.min_ns = UINT64_MAX;
  words.max_ns = 7;
  words.host_bytes = static_cast<std::uint64_t>(-4096);
  model::OperatorMetric sum = model::metric_of(words);
  CHECK(sum.each == model::Extremes{std::nullopt, 7});
  CHECK(sum.host_bytes == -4096);
  words.min_ns = 5;
  sum += model::metric_of(words);
  CHECK(sum.each == model::Extremes{5, 7});
  CHECK(sum.host_bytes == -8192);
  log::ApiWords call{};
  call.last_error = static_cast<std::uint64_t>(-3);
  CHECK(model::metric_of(call).last_error == -3);
}

TEST_CASE("works without a usable time have no least and most", "[model]") {
  CHECK(model::metric_of(log::DeviceWords{3, 10, 4, 6, 0, 1}).each == model::Extremes{4, 6});
  CHECK(model::metric_of(log::DeviceWords{3, 0, 4, 6, 0, 3}).each == model::Extremes{});
}
