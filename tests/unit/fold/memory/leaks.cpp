#include "report/fold/memory/leaks.hpp"

#include <cmath>

#include "report/fold/memory/sizes.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/support/memory_run.hpp"

using namespace prof;
using fold::growing;
using Values = std::vector<std::int64_t>;

namespace {

Values made(std::size_t count, const std::function<double(double)>& level) {
  Values out;
  for (std::size_t i = 1; i <= count; ++i)
    out.push_back(static_cast<std::int64_t>(level(static_cast<double>(i)) * 1e6));
  return out;
}

fold::Leaks leaks_of(const test::MemoryRun& memory) {
  const fold::CallTree tree =
      fold::build_call_tree(memory.run, memory.symbols, memory.selection, fold::Granularity::Line);
  return fold::leaks(memory.run, tree, memory.selection);
}

}  // namespace

TEST_CASE("Student's t distribution: values of its tables", "[fold]") {
  const auto near = [](double a, double b) { return std::abs(a - b) < 1e-3; };
  CHECK(near(fold::student_probability(0, 5), 0.5));
  CHECK(near(fold::student_probability(6.314, 1), 0.95));
  CHECK(near(fold::student_probability(2.920, 2), 0.95));
  CHECK(near(fold::student_probability(2.353, 3), 0.95));
  CHECK(near(fold::student_probability(3.747, 4), 0.99));
  CHECK(near(fold::student_probability(1.943, 6), 0.95));
  CHECK(near(fold::student_probability(2.998, 7), 0.99));
  CHECK(near(fold::student_probability(-2.015, 5), 0.05));
}

TEST_CASE("steady growth is found, with its rate", "[fold]") {
  for (const std::size_t moments : {4, 5, 8, 9, 16}) {
    INFO(moments);
    const auto trend = growing(made(moments, [](double x) { return x; }), 0.5);
    REQUIRE(trend);
    CHECK(trend->per_s == Approx(2e6));
    CHECK(trend->grown == static_cast<std::int64_t>(moments - 1) * 1'000'000);
    CHECK(trend->seconds == Approx(0.5 * static_cast<double>(moments - 1)));
  }
  // Surer the longer it lasts.
  CHECK(growing(made(16, [](double x) { return x; }), 1)->confidence >
        growing(made(4, [](double x) { return x; }), 1)->confidence);
}

TEST_CASE("growth that is no straight line is growth", "[fold]") {
  CHECK(growing(made(16, [](double x) { return x + (std::fmod(x, 2) == 0 ? 0.3 : 0); }), 1));
  CHECK(growing(made(16, [](double x) { return std::floor(x / 3); }), 1));        // every third moment
  CHECK(growing(made(16, [](double x) { return x < 13 ? 0.001 : x - 12; }), 1));  // began late
  CHECK(growing(made(16, [](double x) { return 100 + 0.5 * x; }), 1));            // on top of something large
  CHECK(growing(made(16, [](double x) { return x * x; }), 1));
  CHECK(growing(made(16, [](double x) { return x > 14 ? 0 : x; }), 1));  // given back at the end
}

TEST_CASE("what fills up, is kept or comes and goes is no growth", "[fold]") {
  for (const double full : {2., 4., 8., 10., 12., 13.}) {
    INFO(full);
    CHECK_FALSE(growing(made(16, [full](double x) { return std::min(x, full); }), 1));
  }
  CHECK_FALSE(growing(made(16, [](double x) { return 1 - std::exp(-x / 3); }), 1));  // slower and slower
  CHECK_FALSE(growing(made(16, [](double) { return 5; }), 1));
  CHECK_FALSE(growing(made(16, [](double x) { return x < 15 ? 0 : 5; }), 1));
  CHECK_FALSE(growing(made(16, [](double x) { return 16 - x; }), 1));
  CHECK_FALSE(growing(made(16, [](double x) { return std::fmod(x, 4); }), 1));
  CHECK_FALSE(growing(made(16, [](double x) { return std::fmod(x * 7, 5); }), 1));
  CHECK_FALSE(growing(made(16, [](double) { return 0; }), 1));
  CHECK_FALSE(growing(made(16, [](double x) { return x > 13 ? 0 : x; }), 1));  // given back earlier
  CHECK_FALSE(growing(made(16, [](double x) { return x > 14 ? 0 : std::min(x, 5.); }), 1));
  CHECK_FALSE(growing(made(3, [](double x) { return x; }), 1));  // too few moments
  CHECK_FALSE(growing({}, 1));
  CHECK_FALSE(growing(Values(16, INT64_MAX), 1));
  CHECK_FALSE(growing(Values(16, INT64_MIN), 1));
}

TEST_CASE("chance is rarely taken for growth", "[fold]") {
  std::uint64_t state = 1;
  int found = 0;
  for (int round = 0; round < 2000; ++round) {
    Values values;
    for (int i = 0; i < 16; ++i) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      values.push_back(static_cast<std::int64_t>(state >> 40));
    }
    found += growing(values, 1) ? 1 : 0;
  }
  CHECK(found < 40);
}

TEST_CASE("a line that grows through several native stacks is one leak, and the only one", "[fold]") {
  const test::MemoryRun memory;
  const fold::Leaks leaks = leaks_of(memory);
  CHECK(leaks.known == fold::LeaksKnown::Yes);
  REQUIRE(leaks.rows.size() == 1);
  const fold::Leak& leak = leaks.rows[0];
  const symbols::Location& where = memory.symbols.location(leak.stack.at(leak.frame));
  CHECK(memory.symbols.function(where.function).name == "main");
  CHECK(where.line == 10);
  CHECK(leak.contexts == 2);
  CHECK(leak.trend.per_s == Approx(1.5e6));
  CHECK(leak.trend.grown == 15 * 150'000);
  CHECK(leak.held_bytes == 16 * 150'000);
  CHECK(leak.trend.confidence > 0.99);
}

TEST_CASE("leaks: without code of the program's own, the innermost Python line answers", "[fold]") {
  const test::MemoryRun memory(log::HeapMode::Exact, "/venv/lib/python3.11/site-packages/x/leak.py");
  const fold::Leaks leaks = leaks_of(memory);
  REQUIRE(leaks.rows.size() == 2);
  const auto line = [&](std::size_t i) {
    return memory.symbols.location(leaks.rows[i].stack.at(leaks.rows[i].frame)).line;
  };
  CHECK(line(0) == 3);
  CHECK(line(1) == 10);
  CHECK(leaks.rows[0].trend.per_s == Approx(1e6));
}

TEST_CASE("leaks: where they cannot be told", "[fold]") {
  test::MemoryRun memory;
  memory.selection.threads = {"1000"};
  CHECK(leaks_of(memory).known == fold::LeaksKnown::ByThread);
  memory.selection = {};
  memory.run.processes[0].tree.heap_growth.moments = 3;
  CHECK(leaks_of(memory).known == fold::LeaksKnown::TooShort);
  memory.run.processes[0].heap_mode = log::HeapMode::Sampled;
  CHECK(leaks_of(memory).known == fold::LeaksKnown::Sampled);
}

TEST_CASE("leaks obey focus and ignore", "[fold]") {
  test::MemoryRun memory;
  memory.selection.ignore = fold::Pattern("helper");
  REQUIRE(leaks_of(memory).rows.size() == 1);
  CHECK(leaks_of(memory).rows[0].trend.per_s == Approx(0.5e6));
  memory.selection = {};
  memory.selection.focus = fold::Pattern("0x300");
  CHECK(leaks_of(memory).rows.empty());
}

TEST_CASE("the growth metric is what malloc's live bytes gained in the second half", "[fold]") {
  const test::MemoryRun memory;
  const fold::CallTree tree = fold::build_call_tree(memory.run, memory.symbols);
  CHECK(tree.total().growth_bytes == 8 * 150'000);
  CHECK(tree.exact());
}

TEST_CASE("size classes: of the selection, and only where all is exact", "[fold]") {
  test::MemoryRun memory;
  const auto classes = [&] {
    const fold::CallTree tree = fold::build_call_tree(memory.run, memory.symbols, memory.selection);
    return fold::size_classes(memory.run, tree, memory.selection, fold::MemoryKind::Heap);
  };
  REQUIRE(classes());
  CHECK((*classes())[3].allocations == 70);
  CHECK((*classes())[3].known_bytes == 7000);
  memory.selection.ignore = fold::Pattern("0x300");
  CHECK((*classes())[3].allocations == 0);
  memory.selection = {};
  memory.selection.threads = {"nobody"};
  CHECK((*classes())[3].allocations == 0);
  memory.run.processes[0].heap_mode = log::HeapMode::Sampled;
  CHECK_FALSE(classes());
  CHECK(fold::largest_of_class(0) == 16U);
  CHECK_FALSE(fold::largest_of_class(log::kSizeClasses - 1));
}
