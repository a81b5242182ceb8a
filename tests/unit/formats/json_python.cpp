#include <nlohmann/json.hpp>

#include "report/formats/json.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/support/python_run.hpp"
#include "tests/unit/support/show_run.hpp"

using namespace prof;
using nlohmann::json;

namespace {

json document(const show::Subject& subject) {
  return json::parse(formats::json(subject, show::ViewOptions{.everything = true}));
}

const json& row_with(const json& rows, const std::string& key, const json& value) {
  for (const json& row : rows) {
    if (row.at(key) == value) return row;
  }
  FAIL("no row with " << key << " " << value);
  throw std::logic_error(key);
}

}  // namespace

TEST_CASE("JSON lines: the contract's fields, and null for what was not measured") {
  const test::PythonRun python;
  const json report = document(python.subject());
  const json& line = row_with(report.at("lines"), "line", 5);
  CHECK(line.at("file") == "train.py");
  CHECK(line.at("function") == "Trainer.fit");
  CHECK(line.at("language") == "python");
  CHECK(line.at("cpu_python_s").get<double>() == Approx(0.030));
  CHECK(line.at("cpu_native_s").get<double>() == Approx(0.030));
  CHECK(line.at("cumtime_s").get<double>() == Approx(0.060));
  CHECK(row_with(report.at("lines"), "line", 6).at("alloc_bytes") == 4096);
  for (const char* key : {"blocked_s", "copy_bytes", "gpu_s"}) CHECK(line.at(key).is_null());
}

TEST_CASE("JSON calls: figures of each function and of its callers") {
  const test::PythonRun python;
  const json report = document(python.subject());
  const json& fit = row_with(report.at("calls"), "name", "Trainer.fit");
  CHECK(fit.at("code_name") == "fit");
  CHECK(fit.at("line") == 4);
  CHECK(fit.at("calls") == 8);
  CHECK(fit.at("primitive_calls") == 2);
  CHECK(fit.at("tottime_s").get<double>() == Approx(0.040));
  CHECK(fit.at("cumtime_s").get<double>() == Approx(0.090));
  CHECK(fit.at("raised") == 1);
  REQUIRE(fit.at("callers").size() == 2);
  const json& itself = row_with(fit.at("callers"), "name", "Trainer.fit");
  CHECK(itself.at("calls") == 6);
  CHECK(itself.at("primitive_calls") == 2);
  CHECK(itself.at("cumtime_s").get<double>() == Approx(0.060));
  const json& module = row_with(report.at("calls"), "name", "<module>");
  CHECK(module.at("callers").at(0).at("name").is_null());
  CHECK(row_with(report.at("calls"), "calls", 12).at("file").is_null());
}

TEST_CASE("JSON line hits and imports") {
  const test::PythonRun python;
  const json report = document(python.subject());
  const json& hit = row_with(report.at("line_hits"), "line", 6);
  CHECK(hit.at("hits") == 4);
  CHECK(hit.at("time_s").get<double>() == Approx(0.018));
  CHECK(hit.at("function_line") == 4);
  const json& import = row_with(report.at("imports"), "module", "json.decoder");
  CHECK(import.at("depth") == 1);
  CHECK(import.at("pid") == 200);
  CHECK(import.at("tid") == 1000);
  CHECK(import.at("self_s").get<double>() == Approx(0.004));
  CHECK(import.at("total_s").get<double>() == Approx(0.005));
  CHECK(import.at("start_s").get<double>() == Approx(0.011));
  CHECK(row_with(report.at("imports"), "module", "json.encoder").at("failed") == true);
  CHECK(report.at("loading").at("loader_cpu_s") == 0);
}

TEST_CASE("JSON has null for Python's sections where there is no Python") {
  const test::SmallRun native;
  const json report = document(native.subject());
  for (const char* section : {"lines", "calls", "line_hits", "imports"}) CHECK(report.at(section).is_null());
}
