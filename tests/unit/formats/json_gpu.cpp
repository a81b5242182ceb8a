#include <algorithm>

#include "report/formats/json.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/support/gpu_run.hpp"
#include "tests/unit/support/show_run.hpp"

#include <nlohmann/json.hpp>

using namespace prof;
using nlohmann::json;
using test::GpuRun;

namespace {

json document(const GpuRun& gpu) {
  show::ViewOptions options;
  options.everything = true;
  return json::parse(formats::json(gpu.subject(), options));
}

}  // namespace

TEST_CASE("JSON: CUDA by the contract", "[formats]") {
  const json report = document(GpuRun());
  const json& api = report.at("api").at(0);
  CHECK(api.at("name") == "cudaEventRecord");
  CHECK(api.at("avg_s").get<double>() == Approx(1e-6));
  CHECK(api.at("med_s").is_null());
  const json& kernel = report.at("kernels").at(1);
  CHECK(kernel.at("name") == "add(float, float*)");
  CHECK(kernel.at("device") == 0);
  CHECK(kernel.at("calls") == 4);
  CHECK(kernel.at("total_s").get<double>() == Approx(1.2e-3));
  CHECK(kernel.at("launched_by").at(0).at("site").at("line") == 10);
  CHECK(report.at("copies").at(0).at("kind") == "HtoD");
  CHECK(report.at("copies").at(0).at("bytes") == 5000);
  CHECK(report.at("streams").at(0).at("stream") == "7");
  CHECK(report.at("devices").at(0).at("compute_capability") == "8.0");
  CHECK(report.at("devices").at(0).at("uuid") == "GPU-00000000-0000-0000-0000-000000000001");
  CHECK(report.at("devices").at(1).at("busy_s").is_null());
  const json& memory = report.at("device_memory");
  CHECK(memory.at("segments").at("live_bytes") == 2 << 20);
  CHECK(memory.at("tensors").at("sites").at(0).at("stack").at(0).at("line") == 50);
  CHECK(memory.at("timeline").at(0).at("points").at(1).at("busy").get<double>() == Approx(0.8));
  CHECK(memory.at("timeline").at(0).at("points").at(1).at("temperature_c").is_null());
  CHECK(report.at("ranges").at(1).at("name") == "step");
  CHECK(report.at("ranges").at(1).at("gpu_s").get<double>() == Approx(2.35e-3));
  CHECK(report.at("ranges").at(0).at("gpu_s").is_null());
  CHECK(report.at("flops").at(0).at("precision") == "FP16");
  CHECK(report.at("idle").at("waiting_s").get<double>() == Approx(3e-4));
  CHECK(report.at("idle").at("sites").at(0).at("site").at("line") == 10);
  CHECK(report.at("ops").is_null());
  const auto& lines = report.at("lines");
  const auto ten = std::find_if(lines.begin(), lines.end(), [](const json& line) { return line.at("line") == 10; });
  REQUIRE(ten != lines.end());
  CHECK(ten->at("gpu_s").get<double>() == Approx(1.25e-3));
  const json& process = report.at("processes").at(0);
  CHECK(process.at("cuda").at("cupti") == "13.0.1");
  CHECK(process.at("thread_list").size() == 1);
}

TEST_CASE("JSON: what was not measured of CUDA is null", "[formats]") {
  const test::SmallRun none;
  show::ViewOptions options;
  const json report = json::parse(formats::json(none.subject(), options));
  for (const char* section :
       {"api", "kernels", "copies", "streams", "devices", "device_memory", "ranges", "flops", "idle", "ops"}) {
    INFO(section);
    CHECK(report.at(section).is_null());
  }
  CHECK(report.at("functions").at(0).at("gpu_s").is_null());
  CHECK(report.at("processes").at(0).at("cuda").is_null());
}
