#include "report/formats/firefox/firefox.hpp"

#include <algorithm>

#include "report/show/text.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/support/checked_file.hpp"
#include "tests/unit/support/gpu_run.hpp"
#include "tests/unit/support/heap_run.hpp"
#include "tests/unit/support/hostile_run.hpp"
#include "tests/unit/support/operator_trace_run.hpp"
#include "tests/unit/support/python_run.hpp"
#include "tests/unit/support/wait_run.hpp"

using namespace prof;

namespace {

std::string firefox_of(const show::Subject& subject, model::Measure measure = model::Measure::CpuTime) {
  std::string out;
  formats::firefox(subject, {measure, false}, [&out](std::string_view piece) { out += piece; });
  return out;
}

std::vector<std::string> firefox_lines(const show::Subject& subject, model::Measure measure = model::Measure::CpuTime) {
  return test::checked("firefox_check.py", firefox_of(subject, measure));
}

bool has_firefox_line(const std::vector<std::string>& lines, const std::string& line) {
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

std::size_t count_of(const std::vector<std::string>& lines, const std::string& begin) {
  return static_cast<std::size_t>(
      std::count_if(lines.begin(), lines.end(), [&](const std::string& line) { return line.rfind(begin, 0) == 0; }));
}

}  // namespace

TEST_CASE("firefox: a thread for each thread, with weights in ms") {
  const test::PythonRun python;
  const std::vector<std::string> lines = firefox_lines(python.subject());
  CHECK(has_firefox_line(lines, "thread python3 train.py tracing-ms 45"));
  CHECK(has_firefox_line(lines, "thread helper tracing-ms 30"));
  CHECK(has_firefox_line(lines, "stack helper 30 <module> Trainer.fit libwork.so+0x100"));
  CHECK(has_firefox_line(lines, "stack python3 train.py 10 <module> Trainer.fit Trainer.fit"));
  CHECK(has_firefox_line(lines, "heap python3 train.py 4096 4096"));
}

TEST_CASE("firefox: other measures, and what is told by process alone") {
  const test::WaitRun wait;
  const std::vector<std::string> blocked = firefox_lines(wait.subject(), model::Measure::Blocked);
  CHECK(std::any_of(blocked.begin(), blocked.end(), [](const std::string& line) {
    return line.rfind("stack ", 0) == 0 && line.find(" 400 train libwork.so+0x100 read") != std::string::npos;
  }));
  test::HeapRun heap;
  const std::vector<std::string> peak = firefox_lines(heap.subject(), model::Measure::Peak);
  CHECK(has_firefox_line(peak, "thread ./work bytes 1400"));
  // 7003 bytes in all, of which 1200 live.
  CHECK(has_firefox_line(peak, "heap ./work 7003 1200"));
  CHECK(has_firefox_line(peak, "counter RSS 2097152 4194304"));
  CHECK(has_firefox_line(peak, "counter Heap 650 1250"));
  heap.selection.pids = {1};
  CHECK(firefox_of(heap.subject()).empty());
}

TEST_CASE("firefox: events of a trace are markers, those of streams in threads of their own") {
  const test::GpuRun gpu;
  const std::vector<std::string> lines = firefox_lines(gpu.subject());
  CHECK(count_of(lines, "marker GPU 0 stream 7 add(float, float*) 0.02 0.05 {") == 1);
  CHECK(count_of(lines, "marker GPU 0 stream 7 ") == 2);
  CHECK(std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    return line.find(
               " cudaLaunchKernel 0.01 0.015 {\"type\": \"api\", \"class\": \"cuda_runtime\", "
               "\"correlation\": 77, \"caller\": \"train (train.py:10)\"}") != std::string::npos;
  }));
  CHECK(count_of(lines, "counter GPU 0 memory 10485760 10485760") == 1);
  const test::WaitRun wait(true);
  const std::vector<std::string> waits = firefox_lines(wait.subject());
  CHECK(std::any_of(waits.begin(), waits.end(), [](const std::string& line) {
    return line.find(" read 10 210 {\"type\": \"wait\", \"class\": \"file\", \"bytes\": 4096") != std::string::npos;
  }));
  const test::OperatorTraceRun traced;
  const std::vector<std::string> steps = firefox_lines(traced.subject());
  CHECK(std::any_of(steps.begin(), steps.end(), [](const std::string& line) {
    return line.rfind("marker ", 0) == 0 &&
           line.find(" ProfilerStep#7 0.1 0.205 {\"type\": \"step\"}") != std::string::npos;
  }));
}

TEST_CASE("firefox: names stay strings") {
  const test::HostileRun run;
  const std::vector<std::string> lines = firefox_lines(run.subject());
  CHECK(count_of(lines, "stack ") == 1);
  CHECK(std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    return line.find(show::printable(test::kHostile)) != std::string::npos;
  }));
}
