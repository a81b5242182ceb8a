#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/formats/json_ops.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/support/operator_stack_run.hpp"
#include "tests/unit/support/ops_run.hpp"

using namespace prof;
using test::OpsRun;
using test::StackRun;

TEST_CASE("json: operators, and what is not known of them as null") {
  const OpsRun run;
  const auto ops = formats::ops_json(run.subject());
  REQUIRE(ops.size() == 6);
  CHECK(ops[0]["name"] == "aten::addmm");
  CHECK(ops[0]["shapes"] == "[[4]]");
  CHECK(ops[0]["calls"] == 3);
  CHECK(ops[0]["self_cpu_s"] == Approx(40e-6));
  CHECK(ops[0]["self_mem_bytes"] == 10);
  CHECK(ops[0]["gpu_s"].is_null());
  CHECK(ops[0]["gpu_mem_bytes"].is_null());
  CHECK(formats::ops_json(OpsRun(true, false).subject())[0]["mem_bytes"].is_null());
}

TEST_CASE("json: operators by stack") {
  const StackRun run;
  const auto ops = formats::ops_json(run.subject());
  REQUIRE(ops.size() == 5);
  CHECK(std::count_if(ops.begin(), ops.end(), [](const auto& row) { return row["flops"] == 4500; }) == 1);
  const auto by_stack = formats::ops_by_stack_json(run.subject());
  CHECK(by_stack["backward_calls"] == 2);
  CHECK(by_stack["unlinked_calls"] == 1);
  REQUIRE(by_stack["rows"].size() == 6);
  const auto& row = *std::find_if(by_stack["rows"].begin(), by_stack["rows"].end(),
                                  [](const auto& r) { return r["name"] == "MmBackward"; });
  CHECK(row["kind"] == "backward");
  CHECK(row["calls"] == 2);
  CHECK(row["stack"][1]["function"] == "forward");
  CHECK(row["stack"][1]["file"] == "/x/net.py");
  CHECK(row["stack"][1]["line"] == 30);
}
