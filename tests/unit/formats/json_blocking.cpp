#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/formats/json.hpp"
#include "report/formats/json_value.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/support/held_locks_run.hpp"
#include "tests/unit/support/json_document.hpp"
#include "tests/unit/support/locks_run.hpp"
#include "tests/unit/support/wait_run.hpp"

using namespace prof;
using nlohmann::json;
using test::HeldRun;
using test::LockRun;
using test::WaitRun;

TEST_CASE("JSON: blocking calls by the contract", "[formats]") {
  const json report = test::document(WaitRun().subject());
  const json& blocking = report.at("blocking");
  const auto read =
      std::find_if(blocking.begin(), blocking.end(), [](const json& row) { return row.at("call") == "read"; });
  REQUIRE(read != blocking.end());
  CHECK(read->at("class") == "file");
  CHECK(read->at("calls") == 1'000);
  CHECK(read->at("total_s").get<double>() == Approx(0.5));
  CHECK(read->at("avg_s").get<double>() == Approx(0.0005));
  CHECK(read->at("min_s").get<double>() == Approx(1e-6));
  CHECK(read->at("max_s").get<double>() == Approx(0.2));
  CHECK(read->at("bytes") == 1 << 20);
  CHECK(read->at("last_errno_name") == "EAGAIN");
  CHECK(report.at("blocking_sites").at(0).at("blocked_s").get<double>() == Approx(1.5));
  for (const json& row : report.at("functions")) {
    if (row.at("name") == "read") CHECK(row.at("blocked_s").get<double>() == Approx(0.4));
    if (row.at("name") == "train") CHECK(row.at("cumblocked_s").get<double>() == Approx(1.15));
  }
  for (const json& row : report.at("lines")) {
    if (row.at("line") == 20) CHECK(row.at("blocked_s").get<double>() == Approx(0.4));
  }
  const json& thread = report.at("processes").at(0).at("thread_list").at(0);
  CHECK(thread.at("split").at("blocked").at("sleep").get<double>() == Approx(0.7));
  CHECK(thread.at("split").at("residual_s").get<double>() == Approx(0.22));
  CHECK(thread.at("use").at("major_faults").is_null());
  CHECK(report.at("processes").at(1).at("split").at("blocked_s").is_null());
}

TEST_CASE("locks in JSON", "[formats]") {
  LockRun run;
  const auto locks = formats::Json::parse(formats::json(run.subject(), {})).at("locks");
  CHECK(locks.at("uncontended") == 2000);
  const auto& lock = locks.at("locks").at(0);
  CHECK(lock.at("kind") == "mutex");
  CHECK(lock.at("waits") == 6);
  CHECK(lock.at("max_s").get<double>() == Approx(0.04));
  CHECK(lock.at("longest_holder") == "keeper (tid 1001)");
  CHECK(lock.at("longest_holder_tid") == 1001);
  CHECK(lock.at("created").is_null());
  CHECK(locks.at("locks").at(1).at("created").at("name") == "make");
}

TEST_CASE("locks in JSON: where their holder was", "[formats]") {
  const HeldRun run;
  const auto locks = formats::Json::parse(formats::json(run.subject(), {})).at("locks").at("locks");
  CHECK(locks.at(0).at("name") == "0x7ffd00001000 (stack)");
  CHECK(locks.at(0).at("held_in").at("name") == "flush");
  CHECK(locks.at(0).at("held_in").at("line") == 30);
  CHECK(locks.at(2).at("held_in").is_null());
}
