#include "report/formats/chrome.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/interpreters.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/unit/support/gpu_run.hpp"
#include "tests/unit/support/ops_run.hpp"
#include "tests/unit/support/trace_edit.hpp"
#include "tests/unit/support/wait_run.hpp"

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
  const auto script = test::source_dir() / "tests/unit/support/chrome_check.py";
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

// The annotations of steps in the file: "ProfilerStep#1 10-20", in us.
std::vector<std::string> steps_of(const GpuRun& gpu) {
  formats::ChromeResult result;
  std::vector<std::string> out;
  const json trace = chrome_of(gpu, result);
  for (const json& event : trace.at("traceEvents")) {
    const std::string name = event.at("name");
    if (name.rfind("ProfilerStep", 0) != 0) continue;
    CHECK(event.at("cat") == "user_annotation");
    CHECK(event.at("tid") == 1000);
    const double begin = event.at("ts"), end = begin + event.at("dur").get<double>();
    out.push_back(name + " " + std::to_string(std::lround(begin)) + "-" + std::to_string(std::lround(end)));
  }
  return out;
}
using Lines = std::vector<std::string>;
using test::OpsRun;
using test::WaitRun;

}  // namespace

TEST_CASE("chrome: events, their links and who they are") {
  GpuRun gpu;
  formats::ChromeResult result;
  const json trace = chrome_of(gpu, result);
  CHECK(result.traces == 1);
  CHECK(result.events == 4);
  CHECK(result.overwritten == 2);
  CHECK(trace.at("distributedInfo").at("rank") == 0);
  CHECK_FALSE(trace.at("distributedInfo").contains("world_size"));
  gpu.run.processes[0].world_size = 2;
  gpu.selection.ranks = {0};
  CHECK(chrome_of(gpu, result).at("distributedInfo") == json{{"rank", 0}, {"world_size", 2}});
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

// Catches ids that two operators share, that an operator and what it launched differ in, and operators of another
// thread.
TEST_CASE("chrome: operators, the calls within them and the work that these asked for share an external id") {
  GpuRun gpu;
  test::TraceEdit trace(gpu.run.processes[0]);
  trace.add(log::TraceKind::Operator, "aten::linear", 8, 90);
  trace.add(log::TraceKind::Operator, "aten::addmm", 9, 40);  // around the launch, from 10 to 15 us
  trace.add(log::TraceKind::Operator, "aten::elsewhere", 9, 40).tid = 1001;
  trace.add(log::TraceKind::Operator, "aten::later", 40, 50);
  // The same in another process: their names do not matter.
  auto& others = gpu.run.processes[1].tree.trace.emplace(*gpu.run.processes[0].tree.trace).events;
  std::erase_if(others, [](const auto& event) { return event.kind != log::TraceKind::Operator; });
  for (model::TraceEvent& event : others) event.frame = event.node = 0;
  formats::ChromeResult result;
  std::map<std::string, std::set<std::uint64_t>> ids;
  std::size_t spans = 0;
  const json file = chrome_of(gpu, result);
  for (const json& event : file.at("traceEvents")) {
    if (event.at("ph") != "X" || !event.at("args").contains("External id")) continue;
    ids[event.at("name")].insert(event.at("args").at("External id").get<std::uint64_t>());
    ++spans;
  }
  CHECK(spans == 11);
  const std::set<std::uint64_t> addmm = ids.at("aten::addmm");
  CHECK(addmm.size() == 1);
  CHECK(ids.at("cudaLaunchKernel") == addmm);
  CHECK(ids.at("add(float, float*)") == addmm);
  CHECK(ids.count("Memcpy HtoD (Pinned -> Device)") == 0);  // its call is not in the ring any more
  std::set<std::uint64_t> different;
  for (const char* name : {"step", "aten::linear", "aten::addmm", "aten::elsewhere", "aten::later", "(unnamed)"})
    different.insert(ids.at(name).begin(), ids.at(name).end());
  CHECK(different.size() == 9);
}

// Catches "ProfilerStep#*", which Holistic Trace Analysis takes for a step, and fails for want of its number.
TEST_CASE("chrome: steps of torch.profiler's own schedule have numbers") {
  GpuRun gpu;
  test::TraceEdit trace(gpu.run.processes[0]);
  trace.add(log::TraceKind::Range, "ProfilerStep#*", 140, 180);
  trace.add(log::TraceKind::Range, "ProfilerStep#*", 110, 130);
  trace.add(log::TraceKind::Range, "ProfilerStep#*", 200, 230);
  SECTION("from 1 on where no steps were found") {
    CHECK(steps_of(gpu) == Lines{"ProfilerStep#2 140-180", "ProfilerStep#1 110-130", "ProfilerStep#3 200-230"});
  }
  SECTION("those of the steps that were found by them, and no second annotation") {
    trace.process().steps.source = log::StepSource::Profiler;
    trace.process().steps.name = "ProfilerStep#*";
    trace.step(41, 1, 110, 130);
    trace.step(42, 4, 132, 230);  // of four the ring has the last two
    CHECK(steps_of(gpu) == Lines{"ProfilerStep#44 140-180", "ProfilerStep#41 110-130", "ProfilerStep#45 200-230"});
  }
  SECTION("whatever else steps were found by") {
    trace.process().steps.source = log::StepSource::Optimizer;
    trace.step(1, 1, 100, 120);
    CHECK(steps_of(gpu).size() == 3);
  }
  checked(gpu);
}

// Catches steps that overlap what ran on their thread, steps that the trace has nothing of, and merged ones as one.
TEST_CASE("chrome: the steps of a loop are annotated as torch.profiler annotates its own") {
  GpuRun gpu;
  test::TraceEdit trace(gpu.run.processes[0]);
  model::Steps& steps = trace.process().steps;
  for (const std::uint64_t at : {100, 200, 300, 400, 500, 600})
    trace.add(log::TraceKind::Range, "Optimizer.step#SGD.step", at + 80, at + 100);
  trace.add(log::TraceKind::Range, "epoch", 106, 950);
  SECTION("from the end of one Optimizer.step to the next") {
    steps.source = log::StepSource::Optimizer;
    steps.name = "Optimizer.step#SGD.step";
    trace.step(1, 1, 110, 199);   // a little before the end of the range
    trace.step(2, 1, 201, 302);   // a little behind
    trace.step(3, 3, 302, 601);   // merged: each by its range
    trace.step(6, 8, 601, 1400);  // of which the ring has one
    trace.step(14, 1, 2000, 3000);
    CHECK(steps_of(gpu) == Lines{"ProfilerStep#1 110-200", "ProfilerStep#2 201-302", "ProfilerStep#3 302-400",
                                 "ProfilerStep#4 400-500", "ProfilerStep#5 500-600"});
  }
  SECTION("by ranges of the program's own, which stay") {
    steps.source = log::StepSource::Asked;
    steps.name = "batch";
    trace.add(log::TraceKind::Range, "batch", 110, 190 + 15);
    trace.add(log::TraceKind::Range, "batch", 206, 310);
    trace.step(1, 2, 110, 310);
    CHECK(steps_of(gpu) == Lines{"ProfilerStep#1 110-205", "ProfilerStep#2 206-310"});
  }
  SECTION("with damaged numbers") {
    steps.source = log::StepSource::Optimizer;
    steps.name = "Optimizer.step#SGD.step";
    trace.step(INT64_MAX, 1, 110, 199);
    trace.step(5, INT64_MAX, 110, 900);
    trace.step(-5, 1, 110, 900);
    trace.step(1, 1, 900, 110);
    CHECK(steps_of(gpu).empty());
  }
  checked(gpu);
}

TEST_CASE("chrome: a blocking call is on its thread's track", "[formats]") {
  const WaitRun wait(true);
  std::string out;
  const auto result = formats::chrome(wait.subject(), [&](std::string_view piece) { out += piece; });
  CHECK(result.events == 1);
  const json trace = json::parse(out);
  const auto& events = trace.at("traceEvents");
  const auto event = std::find_if(events.begin(), events.end(), [](const json& at) { return at.at("ph") == "X"; });
  REQUIRE(event != events.end());
  CHECK(event->at("name") == "read");
  CHECK(event->at("cat") == "wait,file");
  CHECK(event->at("tid") == 1000);
  CHECK(event->at("dur").get<double>() == Approx(200'000));
  CHECK(event->at("args").at("bytes") == 4096);
  CHECK(event->at("args").at("Caller") == "train (load.py:20)");
}

TEST_CASE("chrome: an operator is a cpu_op with its shapes") {
  const OpsRun run;
  std::string out;
  const auto result = formats::chrome(run.subject(), [&](std::string_view piece) { out += piece; });
  CHECK(result.events == 1);
  const auto trace = nlohmann::json::parse(out);
  const auto& event = trace.at("traceEvents").front();
  CHECK(event.at("name") == "aten::linear");
  CHECK(event.at("cat") == "cpu_op");
  CHECK(event.at("dur") == 60.0);
  CHECK(event.at("args").at("Input Dims") == nlohmann::json::parse("[[8, 3], [4]]"));
}
