// What PyTorch tells of operators in a Chrome trace: which backward function comes of which operator, and modules.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/fold/training/trace_backward.hpp"
#include "report/formats/chrome.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/interpreters.hpp"
#include "tests/unit/support/operator_trace_run.hpp"

using namespace prof;
using nlohmann::json;
using test::OperatorTraceRun;
using TraceLines = std::vector<std::string>;

namespace {

// The file, which a checker that knows nothing of us accepts.
json chrome_of(const OperatorTraceRun& run) {
  std::string text;
  formats::chrome(run.subject(), [&](std::string_view piece) { text += piece; });
  const test::TempDir temp;
  std::ofstream(temp / "a.json") << text;
  REQUIRE_FALSE(test::interpreters().empty());
  const auto script = test::source_dir() / "tests/unit/support/chrome_check.py";
  const test::Outcome outcome =
      test::Command({test::interpreters().front().program.string(), "-I", script.string(), (temp / "a.json").string()})
          .run();
  INFO(outcome);
  REQUIRE(outcome.ok());
  return json::parse(text);
}

// "aten::norm@126 -> NormBackward@140", by what begins where the arrow's ends are, the innermost one.
TraceLines arrows_of(const json& trace) {
  std::map<std::pair<std::uint64_t, double>, std::string> at;
  std::map<std::uint64_t, std::string> from;
  TraceLines out;
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("ph") == "X" && event.at("cat") == "cpu_op")
      at[{event.at("tid"), event.at("ts")}] =
          event.at("name").get<std::string>() + "@" + std::to_string(std::lround(event.at("ts").get<double>()));
  }
  for (const json& event : trace.at("traceEvents")) {
    if (event.value("cat", "") != "fwdbwd") continue;
    const std::string& end = at.at({event.at("tid"), event.at("ts")});
    if (event.at("ph") == "s")
      from[event.at("id")] = end;
    else
      out.push_back(from.at(event.at("id")) + " -> " + end);
  }
  return out;
}

// "Net_0 105-130 -", with the module around it.
TraceLines modules_of(const json& trace) {
  std::map<std::uint64_t, std::string> names;
  TraceLines out;
  for (const json& event : trace.at("traceEvents")) {
    if (event.value("cat", "") != "python_function") continue;
    const json& args = event.at("args");
    const std::string name = event.at("name").get<std::string>().substr(std::string("nn.Module: ").size());
    CHECK(name.substr(name.find('_') + 1) == std::to_string(args.at("Python module id").get<int>()));
    names[args.at("Python id")] = name;
    const double begin = event.at("ts"), end = begin + event.at("dur").get<double>();
    const json& outer = args.at("Python parent id");
    out.push_back(name + ' ' + std::to_string(std::lround(begin)) + '-' + std::to_string(std::lround(end)) + ' ' +
                  (outer.is_null() ? "-" : names.at(outer)));
  }
  return out;
}

model::TraceEvent& event_of(OperatorTraceRun& run, const std::string& name) {
  model::Process& process = run.run.processes[0];
  for (model::TraceEvent& event : process.tree.trace->events) {
    if (process.names.at(process.tree.frames.at(event.frame).name).name == name) return event;
  }
  FAIL("no event " << name);
  return process.tree.trace->events.front();
}

}  // namespace

// Catches arrows to a function within the one that it is, from an operator around the maker, from another thread's of
// the same number, and to functions of which nothing is known.
TEST_CASE("chrome: an arrow leads from the operator that made a backward function to that") {
  OperatorTraceRun run;
  const json trace = chrome_of(run);
  CHECK(arrows_of(trace) == TraceLines{"aten::norm@126 -> NormBackward@140", "aten::mm@111 -> MmBackward@151"});
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("name") == "MmBackward") {
      CHECK(event.at("args").at("Sequence number") == 41);
      CHECK(event.at("args").at("Fwd thread id") == 5);
      CHECK(event.at("args").at("Caller") == "Linear.forward (linear.py:114)");
    }
    if (event.at("name") == "aten::mm") {
      CHECK(event.at("args").at("Sequence number") == 41);
      CHECK(event.at("args").at("Fwd thread id") == 0);
    }
    if (event.at("name") == "aten::sub") CHECK_FALSE(event.at("args").contains("Sequence number"));
  }
  SECTION("where the maker is not in the trace, from what gave the number with it inside") {
    event_of(run, "aten::mm").numbers = 0;
    CHECK(arrows_of(chrome_of(run)).at(1).rfind("aten::linear@105", 0) == 0);
  }
  SECTION("another thread counts for itself") {
    event_of(run, "aten::mm").sequence_thread = event_of(run, "aten::linear").sequence_thread = 6;
    CHECK(arrows_of(chrome_of(run)).size() == 1);
  }
  SECTION("numbers and times of a damaged log") {
    model::TraceEvent& norm = event_of(run, "aten::norm");
    norm.sequence = UINT64_MAX;
    norm.numbers = UINT32_MAX;
    event_of(run, "aten::mm").start_monotonic_ns = event_of(run, "aten::mm").end_monotonic_ns =
        event_of(run, "aten::after").end_monotonic_ns;
    event_of(run, "aten::linear").numbers = 0;
    CHECK(arrows_of(chrome_of(run)).empty());
  }
}

// Catches modules that go on over others, into the next step, into backward functions, or out of what is around them.
TEST_CASE("chrome: modules are slices around the operators that followed each other in them") {
  OperatorTraceRun run;
  const TraceLines both{"Net_0 105-130 -", "Linear_0 105-125 Net_0", "Norm_0 126-130 Net_0",
                        "Net_0 210-240 -", "Linear_0 210-220 Net_0", "Linear_1 222-240 Net_0"};
  CHECK(modules_of(chrome_of(run)) == both);
  SECTION("a range in a module is a part of it") {
    model::TraceEvent range = event_of(run, "loss");
    range.start_monotonic_ns = event_of(run, "aten::norm").start_monotonic_ns - 500;
    range.end_monotonic_ns = event_of(run, "aten::norm").end_monotonic_ns + 1'000;
    run.run.processes[0].tree.trace->events.push_back(range);
    TraceLines want = both;
    want[0] = "Net_0 105-131 -";
    CHECK(modules_of(chrome_of(run)) == want);
  }
  SECTION("a range that begins in one step and ends in another is no part of a module") {
    model::TraceEvent range = event_of(run, "loss");
    range.start_monotonic_ns = event_of(run, "aten::norm").start_monotonic_ns - 500;
    range.end_monotonic_ns = event_of(run, "aten::after").end_monotonic_ns + 50'000;
    run.run.processes[0].tree.trace->events.push_back(range);
    CHECK(modules_of(chrome_of(run)) == TraceLines{"Net_0 105-125 -", "Linear_0 105-125 Net_0", "Net_0 126-130 -",
                                                   "Norm_0 126-130 Net_0", "Net_0 210-240 -", "Linear_0 210-220 Net_0",
                                                   "Linear_1 222-240 Net_0"});
  }
  SECTION("of a chosen thread") {
    run.selection.threads = {"1001"};
    CHECK(modules_of(chrome_of(run)).empty());
  }
}
