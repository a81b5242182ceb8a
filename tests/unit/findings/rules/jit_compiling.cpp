// The rule about functions that are compiled while the program runs.
#include <fstream>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;

namespace {

constexpr const char* kJax = "/v/site-packages/jax/_src/compiler.py";
constexpr const char* kDispatcher = "/v/site-packages/numba/core/dispatcher.py";

// A program of this source whose second line from the end takes `ms` of two seconds below that function.
std::vector<findings::Finding> found(const std::string& source, std::uint64_t ms, const char* function, const char* in,
                                     std::uint64_t blocked_ms = 0) {
  FindingsRun run;
  const std::string file = (run.directory() / "fit.py").string();
  std::ofstream(file) << source;
  const auto lines = static_cast<std::uint32_t>(std::count(source.begin(), source.end(), '\n'));
  const std::uint32_t call = run.line(0, run.code("fit", file), lines - 1);
  const std::uint32_t compiles = run.line(call, run.code(function, in), 5);
  run.log.cpu(compiles, static_cast<std::uint32_t>(ms / 10), ms * kMs);
  if (blocked_ms > 0) run.wait(compiles, "pthread_cond_wait", "lock", 1, blocked_ms * kMs);
  run.log.cpu(call, 20, 200 * kMs);
  return run.look("jit-compiling");
}

}  // namespace

TEST_CASE("findings: a function that is compiled anew in each turn of a loop", "[findings]") {
  const auto all = found(
      "def fit():\n    for rate in rates:\n        step = jax.jit(lambda w: w - rate * slope(w))\n"
      "        w = step(w)\n    return w\n",
      400, "backend_compile", kJax);
  REQUIRE(all.size() == 1);
  CHECK(all.front().title == "A function is compiled anew in each turn of a loop");
  CHECK(has(all.front().seen, "400 ms (20.0 % of the run's time) went by in compiling (JAX)."));
  CHECK(all.front().saves == Approx(0.2));
  REQUIRE(all.front().places.size() == 2);
  CHECK(all.front().places[0].line == 3);
  CHECK(all.front().places[1].line == 4);
}

// Catches what waits for compilers that run beside it left out, and what is compiled once told as if it were not.
TEST_CASE("findings: functions that are compiled while a program runs", "[findings]") {
  const std::string once =
      "def fit():\n    step = numba.njit(slope)\n    for w in all:\n        w = step(w)\n    return w\n";
  const auto all = found(once, 200, "_compile_for_args", kDispatcher, 900);
  REQUIRE(all.size() == 1);
  CHECK(all.front().title == "Code is compiled while the program runs");
  CHECK(all.front().saves == Approx(0.55));
  CHECK(has(all.front().advice, "cache=True"));
  REQUIRE(all.front().places.size() == 1);
  CHECK(all.front().places.front().line == 4);
  // A part of a run that one has to expect, and what is called when it is compiled.
  CHECK(found(once, 300, "_compile_for_args", kDispatcher).empty());
  CHECK(found(once, 600, "_compile_for_args", kDispatcher).empty());
  CHECK(found(once, 900, "__call__", kDispatcher).empty());
}
