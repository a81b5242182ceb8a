#include "report/formats/chrome.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/interpreters.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/unit/gpu_run.hpp"

using namespace prof;
using nlohmann::json;
using test::GpuRun;

namespace {

std::string text_of(const GpuRun& gpu, formats::ChromeResult& result) {
  std::string out;
  result = formats::chrome(gpu.subject(), [&](std::string_view piece) { out += piece; });
  return out;
}

json chrome_of(const GpuRun& gpu, formats::ChromeResult& result) {
  const std::string out = text_of(gpu, result);
  return out.empty() ? json() : json::parse(out);
}

// What a checker that knows nothing of us finds in a trace: the lines of chrome_check.py, in their order.
std::vector<std::string> checked(const GpuRun& gpu) {
  formats::ChromeResult result;
  const test::TempDir temp;
  std::ofstream(temp / "a.json") << text_of(gpu, result);
  REQUIRE_FALSE(test::interpreters().empty());
  const auto script = test::source_dir() / "tests/unit/chrome_check.py";
  const test::Outcome outcome =
      test::Command({test::interpreters().front().program.string(), "-I", script.string(), (temp / "a.json").string()})
          .run();
  INFO(outcome.err);
  REQUIRE(outcome.ok());
  std::vector<std::string> lines;
  std::istringstream text(outcome.out);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("chrome: events, their links and who they are") {
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

TEST_CASE("chrome: processes of one file keep their ids apart") {
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

// Catches spans that overlap on their thread, arrows that share an id or lead nowhere, ranks that tools do not find.
TEST_CASE("chrome: a graph's launch has an arrow to each of its kernels; a range that ends anywhere is no span") {
  GpuRun gpu;
  auto& events = gpu.run.processes[0].tree.trace->events;
  const auto kernel = std::find_if(events.begin(), events.end(),
                                   [](const auto& event) { return event.kind == log::TraceKind::Device; });
  REQUIRE(kernel != events.end());
  model::TraceEvent second = *kernel;
  second.start_monotonic_ns = kernel->end_monotonic_ns;
  second.end_monotonic_ns += 1'234;
  second.tid = 9;
  model::TraceEvent loose = events.front();
  REQUIRE(loose.kind == log::TraceKind::Range);
  loose.node = 0;
  loose.start_monotonic_ns += 12'345;
  loose.end_monotonic_ns += 500'000;
  events.push_back(second);
  events.push_back(loose);
  CHECK(checked(gpu) == std::vector<std::string>{"rank 0", "user_annotation\tstep\t400\t1000\t-",
                                                 "cuda_runtime\tcudaLaunchKernel\t400\t1000\t77",
                                                 "user_annotation\tstep\t400\t1000\tasync",
                                                 "kernel\tadd(float, float*)\t0\t7\t77",
                                                 "gpu_memcpy\tMemcpy HtoD (Pinned -> Device)\t0\t7\t78",
                                                 "kernel\tadd(float, float*)\t0\t9\t77", "arrows 2"});
}

TEST_CASE("chrome: a damaged log leads to a file that can be read") {
  GpuRun gpu;
  auto& process = gpu.run.processes[0];
  process.names.at(process.tree.frames.at(process.tree.trace->events[1].frame).name).name = "\"\n\xff\\ \x01";
  process.tree.trace->events[0].start_monotonic_ns = 0;
  process.tree.trace->events[0].end_monotonic_ns = 1;
  CHECK(checked(gpu).back() == "arrows 1");
}
