#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"
#include "tests/unit/support/json_document.hpp"
#include "tests/unit/support/python_run.hpp"

using namespace prof;
using nlohmann::json;

TEST_CASE("JSON lines: the contract's fields, and null for what was not measured") {
  const test::PythonRun python;
  const json report = test::document(python.subject());
  const json& line = test::row_with(report.at("lines"), "line", 5);
  CHECK(line.at("file") == "train.py");
  CHECK(line.at("function") == "Trainer.fit");
  CHECK(line.at("language") == "python");
  CHECK(line.at("cpu_python_s").get<double>() == Approx(0.030));
  CHECK(line.at("cpu_native_s").get<double>() == Approx(0.030));
  CHECK(line.at("cumtime_s").get<double>() == Approx(0.060));
  CHECK(test::row_with(report.at("lines"), "line", 6).at("alloc_bytes") == 4096);
  for (const char* key : {"blocked_s", "copy_bytes", "gpu_s"}) CHECK(line.at(key).is_null());
}
