#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"
#include "tests/unit/support/json_document.hpp"
#include "tests/unit/support/python_run.hpp"
#include "tests/unit/support/show_run.hpp"

using namespace prof;
using nlohmann::json;

TEST_CASE("JSON calls: figures of each function and of its callers") {
  const test::PythonRun python;
  const json report = test::document(python.subject());
  const json& fit = test::row_with(report.at("calls"), "name", "Trainer.fit");
  CHECK(fit.at("code_name") == "fit");
  CHECK(fit.at("line") == 4);
  CHECK(fit.at("calls") == 8);
  CHECK(fit.at("primitive_calls") == 2);
  CHECK(fit.at("tottime_s").get<double>() == Approx(0.040));
  CHECK(fit.at("cumtime_s").get<double>() == Approx(0.090));
  CHECK(fit.at("raised") == 1);
  REQUIRE(fit.at("callers").size() == 2);
  const json& itself = test::row_with(fit.at("callers"), "name", "Trainer.fit");
  CHECK(itself.at("calls") == 6);
  CHECK(itself.at("primitive_calls") == 2);
  CHECK(itself.at("cumtime_s").get<double>() == Approx(0.060));
  const json& module = test::row_with(report.at("calls"), "name", "<module>");
  CHECK(module.at("callers").at(0).at("name").is_null());
  CHECK(test::row_with(report.at("calls"), "calls", 12).at("file").is_null());
}

TEST_CASE("JSON line hits and imports") {
  const test::PythonRun python;
  const json report = test::document(python.subject());
  const json& hit = test::row_with(report.at("line_hits"), "line", 6);
  CHECK(hit.at("hits") == 4);
  CHECK(hit.at("time_s").get<double>() == Approx(0.018));
  CHECK(hit.at("function_line") == 4);
  const json& import = test::row_with(report.at("imports"), "module", "json.decoder");
  CHECK(import.at("depth") == 1);
  CHECK(import.at("pid") == 200);
  CHECK(import.at("tid") == 1000);
  CHECK(import.at("self_s").get<double>() == Approx(0.004));
  CHECK(import.at("total_s").get<double>() == Approx(0.005));
  CHECK(import.at("start_s").get<double>() == Approx(0.011));
  CHECK(test::row_with(report.at("imports"), "module", "json.encoder").at("failed") == true);
  CHECK(report.at("loading").at("loader_cpu_s") == 0);
}

TEST_CASE("JSON has null for Python's sections where there is no Python") {
  const test::SmallRun native;
  const json report = test::document(native.subject());
  for (const char* section : {"lines", "calls", "line_hits", "imports"}) CHECK(report.at(section).is_null());
}
