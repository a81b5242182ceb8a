// The rules about objects that Python makes of each number of an array, by the functions of libraries that the test
// compiles for itself.
#include <fstream>

#include "tests/unit/support/findings_run.hpp"
#include "tests/unit/support/native_library.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;
using test::lines_of;

namespace {

constexpr const char* kFunctions = R"(
#define FUNCTION(name) extern "C" int name(int x) { return x + __LINE__; }
FUNCTION(array_item)
FUNCTION(loop)
namespace torch { namespace utils { int tensor_ctor(int x) { return x + 1; } } }
FUNCTION(PySequence_Fast)
)";

}  // namespace

// Catches two lines that do the same, of which samples have one below the threshold, and what is taken of steps alone.
TEST_CASE("findings: tensors of lists at two lines", "[findings]") {
  const test::NativeLibrary library(kFunctions, "libtorch_python.so", "-O0");
  const auto found = [&](std::uint64_t first_ms, std::uint64_t second_ms) {
    FindingsRun run;
    run.steps(10, 100);
    const std::uint32_t module = run.log.module(library.path());
    const auto make = [&](std::uint32_t line, std::uint64_t ms) {
      const std::uint32_t made = run.log.node(run.train(line), run.log.native(module, library.in("tensor_ctor")));
      run.log.cpu(made, (400 - ms) / 10, (400 - ms) * kMs);
      run.log.cpu(run.log.node(made, run.log.native(module, library.in("PySequence_Fast"))), ms / 10, ms * kMs);
    };
    make(33, first_ms);
    make(34, second_ms);
    return run.look("tensors-from-lists");
  };
  const auto both = found(140, 110);
  REQUIRE(both.size() == 1);
  CHECK(both.front().places.size() == 2);
  CHECK(both.front().saves == Approx(0.4));
  CHECK(has(both.front().seen, "800 ms of CPU time"));
  // Measured over the run of 2 s, of which the steps are one: none of it is taken to be outside of them.
  CHECK(both.front().of_run);
  CHECK(both.front().saves_ns == 800 * static_cast<std::int64_t>(kMs));
  const auto one = found(140, 50);
  REQUIRE(one.size() == 1);
  CHECK(lines_of(one.front()) == std::vector<std::int64_t>{33});
  CHECK(one.front().saves == Approx(0.2));
  CHECK(found(110, 110).empty());
}

// Catches "give numpy whole arrays" told of a line that does.
TEST_CASE("findings: a function of Python's that goes through an array", "[findings]") {
  const test::NativeLibrary library(kFunctions, "v/site-packages/numpy/core/_multiarray_umath.so", "-O0");
  const auto title = [&](const char* line, const char* function) {
    FindingsRun run;
    const std::string file = run.directory() / "app.py";
    std::ofstream(file) << line << "\n";
    const auto at = run.line(0, run.code("peak", file), 1);
    const auto numpy = run.log.node(at, run.log.native(run.log.module(library.path()), library.in(function)));
    run.log.cpu(numpy, 40, 400 * kMs);
    run.log.cpu(run.interpreter(numpy), 20, 400 * kMs);
    run.log.cpu(run.train(61), 40, 400 * kMs);
    const auto found = run.look("small-arrays");
    REQUIRE(found.size() == 1);
    return found.front().title;
  };
  constexpr const char* kThrough = "Python goes through an array of numpy one number at a time";
  CHECK(title("highest = max(smoothed)", "array_item") == kThrough);
  CHECK(title("if any(mask): return", "array_item") == kThrough);
  CHECK(title("highest = max(smoothed)", "loop") != kThrough);  // of single numbers, say
  CHECK(title("highest = smoothed.max()", "array_item") != kThrough);
  CHECK(title("highest = max(a, b)", "array_item") != kThrough);
  CHECK(title("total = sum(x * w for x, w in rows)", "array_item") != kThrough);
}
