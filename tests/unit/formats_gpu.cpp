#include <algorithm>

#include "report/formats/chrome.hpp"
#include "report/formats/json.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/gpu_run.hpp"
#include "tests/unit/show_run.hpp"

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

json chrome_of(const GpuRun& gpu, formats::ChromeResult& result) {
  std::string out;
  result = formats::chrome(gpu.subject(), [&](std::string_view piece) { out += piece; });
  return out.empty() ? json() : json::parse(out);
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

TEST_CASE("chrome: events, their links and who they are", "[formats]") {
  GpuRun gpu;
  formats::ChromeResult result;
  const json trace = chrome_of(gpu, result);
  CHECK(result.traces == 1);
  CHECK(result.events == 4);
  CHECK(result.overwritten == 2);
  CHECK(trace.at("distributedInfo").at("rank") == 0);
  CHECK(trace.at("baseTimeNanoseconds") == 1'700'000'000'000'000'000);
  CHECK(trace.at("deviceProperties").at(0).at("numSms") == 108);
  const auto& events = trace.at("traceEvents");
  const auto named = [&](const std::string& name) -> const json& {
    const auto found =
        std::find_if(events.begin(), events.end(), [&](const json& event) { return event.at("name") == name; });
    REQUIRE(found != events.end());
    return *found;
  };
  const json& call = named("cudaLaunchKernel");
  CHECK(call.at("cat") == "cuda_runtime");
  CHECK(call.at("ts").get<double>() == Approx(10));
  CHECK(call.at("dur").get<double>() == Approx(5));
  CHECK(call.at("tid") == 1000);
  CHECK(call.at("args").at("correlation") == 77);
  CHECK(call.at("args").at("Caller") == "train (train.py:10)");
  const json& kernel = named("add(float, float*)");
  CHECK(kernel.at("cat") == "kernel");
  CHECK(kernel.at("pid") == 0);
  CHECK(kernel.at("args").at("stream") == 7);
  CHECK(kernel.at("args").at("correlation") == 77);
  CHECK(named("Memcpy HtoD (Pinned -> Device)").at("cat") == "gpu_memcpy");
  CHECK(named("step").at("cat") == "user_annotation");
  const auto arrows =
      std::count_if(events.begin(), events.end(), [](const json& event) { return event.value("cat", "") == "ac2g"; });
  CHECK(arrows == 2);  // the copy's call is not in the ring any more
  CHECK(named("process_labels").at("args").at("labels") == "CPU");

  gpu.selection.ranks = {1};
  CHECK(chrome_of(gpu, result).is_null());
  CHECK(result.traces == 0);
}

TEST_CASE("chrome: processes of one file keep their ids apart", "[formats]") {
  GpuRun gpu;
  gpu.run.processes[1].tree.trace = gpu.run.processes[0].tree.trace;
  auto& events = gpu.run.processes[1].tree.trace->events;
  for (model::TraceEvent& event : events) event.frame = event.node = 0;
  formats::ChromeResult result;
  const json trace = chrome_of(gpu, result);
  CHECK(result.traces == 2);
  CHECK(result.ranks == 2);
  CHECK_FALSE(trace.contains("distributedInfo"));
  std::vector<std::uint64_t> ids;
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("ph") == "f") ids.push_back(event.at("id"));
  }
  REQUIRE(ids.size() == 2);
  CHECK(ids[0] != ids[1]);
}
