#include "report/model/build_process.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_builder.hpp"
#include "tests/unit/support/parsed.hpp"

using namespace prof;
using test::LogBuilder;

TEST_CASE("names: two records of one content are one, and frames with them too", "[read]") {
  LogBuilder log;
  const auto first = log.name(log::NameKind::Api, "cudaMalloc", "CUDA runtime");
  const auto second = log.name(log::NameKind::Api, "cudaMalloc", "CUDA runtime");
  const auto driver = log.name(log::NameKind::Api, "cudaMalloc", "CUDA driver");
  const auto a = log.node(0, log.named(first)), b = log.node(0, log.named(second)), c = log.node(0, log.named(driver));
  for (const auto node : {a, b, c}) log.record(log::RecordClass::Api, node, log::ApiWords{1, 0, 10, 10, 10, 0, 0, 0});
  const model::Process process = test::built(log);
  CHECK(process.names.size() == 2);
  REQUIRE(process.tree.api.size() == 2);
  CHECK(process.tree.api[0].metric.calls == 2);
  CHECK_FALSE(process.damage.any());
}
