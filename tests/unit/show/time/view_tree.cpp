#include "report/formats/folded.hpp"
#include "report/show/measure.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sheets.hpp"
#include "tests/unit/support/gpu_run.hpp"
#include "tests/unit/support/memory_run.hpp"
#include "tests/unit/support/sheet_cells.hpp"
#include "tests/unit/support/show_run.hpp"
#include "tests/unit/support/wait_run.hpp"

using namespace prof;
using show::Sheet;
using test::cell;
using test::GpuRun;
using test::milliseconds;
using test::number;
using test::says;
using test::text;
using test::WaitRun;
using test::whole;

TEST_CASE("every measure of CUDA can be drawn as a tree", "[show]") {
  const GpuRun gpu;
  const Sheet tree = test::sheet_of("tree", gpu.subject(), {.measure = model::Measure::GpuTime});
  REQUIRE_FALSE(tree.rows.empty());
  CHECK(cell(tree, 0, "name") == text("step"));
  CHECK(cell(tree, 1, "name") == text("train"));
  CHECK(cell(tree, 1, "cum_gpu_ns") == number(2'350'000));
  CHECK(says(tree, "GPU time: exact; % is of 3.34 ms"));
  for (const show::MeasureNames& words : show::kMeasures) {
    INFO(words.name);
    CHECK(&show::names_of(words.measure) == &words);
    CHECK_FALSE(test::sheet_of("tree", gpu.subject(), {.measure = words.measure}).title.empty());
  }
  const test::SmallRun none;
  CHECK(says(test::sheet_of("tree", none.subject(), {.measure = model::Measure::GpuTime}),
             "No selected process used CUDA"));
}

TEST_CASE("trees of any measure, and why one has no figures", "[show]") {
  const test::MemoryRun memory;
  const Sheet growth = test::sheet_of("tree", memory.subject(), {.measure = model::Measure::Growth});
  REQUIRE_FALSE(growth.rows.empty());
  CHECK(cell(growth, 0, "name") == text("main"));
  CHECK(cell(growth, 0, "cum_growth_bytes") == number(1'200'000));
  CHECK(test::sheet_of("tree", memory.subject(), {.measure = model::Measure::Copied, .bottom_up = true}).rows.size() ==
        2);

  test::MemoryRun sampled(log::HeapMode::Sampled);
  const Sheet none = test::sheet_of("tree", sampled.subject(), {.measure = model::Measure::Temporary});
  CHECK(none.rows.empty());
  CHECK(says(none, "Only exact mode tells that"));
  sampled.run.processes[0].copies_counted = false;
  CHECK(
      says(test::sheet_of("tree", sampled.subject(), {.measure = model::Measure::Copied}), "Copies were not counted"));
  sampled.selection.threads = {"1000"};
  CHECK(says(test::sheet_of("tree", sampled.subject(), {.measure = model::Measure::Peak}), "cannot be told by thread"));
}

TEST_CASE("trees and folded stacks by blocked and wall time", "[show]") {
  const WaitRun wait;
  for (const auto measure : {model::Measure::Blocked, model::Measure::WallTime, model::Measure::BlockingCalls}) {
    const Sheet tree = whole(test::sheet_of("tree", wait.subject(), {.measure = measure}));
    CHECK_FALSE(tree.rows.empty());
    CHECK(says(tree, "100 us"));
  }
  const Sheet tree = test::sheet_of("tree", wait.subject(), {.measure = model::Measure::WallTime});
  CHECK(cell(tree, "function", "read", "cumwall_ns") == milliseconds(500));
  std::string folded;
  formats::folded(fold::build_call_tree(wait.run, wait.symbols), model::Measure::Blocked, false,
                  [&](std::string_view piece) { folded += piece; });
  CHECK(folded.find("train;libwork.so+0x100;read 400000000\n") != std::string::npos);
  CHECK(folded.find("train;nanosleep 700000000\n") != std::string::npos);
  CHECK(folded.find("train 5") == std::string::npos);
}
