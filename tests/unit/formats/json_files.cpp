#include "report/formats/json.hpp"
#include "report/formats/json_value.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/support/loading_run.hpp"

using namespace prof;
using test::LoadingRun;

TEST_CASE("data loading in JSON", "[formats]") {
  const LoadingRun run({.workers = {{.cpu = 1'000, .file = 8'500, .idle = 300}, {.cpu = 900, .file = 9'000}}});
  const auto loading = formats::Json::parse(formats::json(run.subject(), {})).at("data_loading");
  REQUIRE(loading.size() == 1);
  CHECK(loading[0].at("kind") == "torch");
  CHECK(loading[0].at("verdict") == "slow disk");
  CHECK(loading[0].at("loop").at("name") == "train");
  CHECK(loading[0].at("wait_s").get<double>() == Approx(8));
  CHECK(loading[0].at("workers").size() == 2);
  CHECK(loading[0].at("workers")[0].at("pid") == 101);
  CHECK(loading[0].at("workers")[0].at("waits_s").at("file").get<double>() == Approx(8.5));
  CHECK(loading[0].at("pin_memory").is_null());
}
