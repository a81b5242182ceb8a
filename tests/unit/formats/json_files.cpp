#include "report/formats/json.hpp"
#include "report/formats/json_value.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/support/loading_run.hpp"

using namespace prof;
using test::LoadingRun;

TEST_CASE("data loading in JSON", "[formats]") {
  const LoadingRun run({.workers = {{.cpu = 1'000, .file = 8'500, .idle = 300}, {.cpu = 900, .file = 9'000}}});
  const auto json = formats::Json::parse(formats::json(run.subject(), {})).at("data_loading");
  REQUIRE(json.size() == 1);
  CHECK(json[0].at("kind") == "torch");
  CHECK(json[0].at("verdict") == "slow disk");
  CHECK(json[0].at("loop").at("name") == "train");
  CHECK(json[0].at("wait_s").get<double>() == Approx(8));
  CHECK(json[0].at("workers").size() == 2);
  CHECK(json[0].at("workers")[0].at("pid") == 101);
  CHECK(json[0].at("workers")[0].at("waits_s").at("file").get<double>() == Approx(8.5));
  CHECK(json[0].at("pin_memory").is_null());
}
