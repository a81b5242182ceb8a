#include "report/fold/own/main_caller.hpp"

#include "report/fold/line_tree.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::kMs;

namespace {

constexpr const char* kFile = "/home/user/train.py";

std::optional<fold::MainCaller> caller_of(FindingsRun& run, std::uint32_t line) {
  const show::Subject& subject = run.subject();
  const fold::CallTree tree = fold::line_tree(subject.run, subject.symbols, subject.selection);
  for (const fold::OwnLine& row : fold::own_lines(tree).rows) {
    if (row.own && row.line == line) return fold::main_caller(tree, row);
  }
  FAIL("no line " << line);
  return std::nullopt;
}

std::uint32_t line_of(FindingsRun& run, const fold::MainCaller& caller) {
  return run.subject().symbols.location(caller.location).line;
}

}  // namespace

// Catches the call within a helper named in place of the program's call of the helper.
TEST_CASE("the main caller is the outermost that takes hardly more", "[fold]") {
  FindingsRun run;
  const std::uint32_t loop = run.line(0, run.code("main", kFile), 80);
  const std::uint32_t job = run.line(loop, run.code("job", kFile), 70);
  const std::uint32_t shade = run.line(job, run.code("shade", kFile), 20);
  const auto scale = run.code("scale", kFile);
  run.log.cpu(run.line(shade, scale, 30), 50, 500 * kMs);
  run.log.cpu(shade, 5, 50 * kMs);
  run.log.cpu(loop, 20, 200 * kMs);
  const auto found = caller_of(run, 30);
  REQUIRE(found);
  CHECK(line_of(run, *found) == 70);
  CHECK(found->cumulative_ns == 550 * kMs);
  CHECK_FALSE(caller_of(run, 80));
}

TEST_CASE("a line that many lines call has no main caller", "[fold]") {
  FindingsRun run;
  const std::uint32_t loop = run.line(0, run.code("main", kFile), 80);
  const auto scale = run.code("scale", kFile);
  for (std::uint32_t line = 71; line < 74; ++line)
    run.log.cpu(run.line(run.line(loop, run.code("other", kFile), line), scale, 30), 15, 150 * kMs);
  CHECK_FALSE(caller_of(run, 30));
}

// Catches functions that call each other taken for ever more callers.
TEST_CASE("of functions that call each other a main caller is found", "[fold]") {
  FindingsRun run;
  std::uint32_t at = run.line(0, run.code("main", kFile), 80);
  for (int depth = 0; depth < 200; ++depth)
    at = run.line(at, run.code(depth % 2 ? "odd" : "even", kFile), 10 + depth % 2);
  run.log.cpu(run.line(at, run.code("leaf", kFile), 30), 50, 500 * kMs);
  const auto found = caller_of(run, 30);
  REQUIRE(found);
  CHECK(found->cumulative_ns == 500 * kMs);
}
