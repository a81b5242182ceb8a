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

// Catches functions that are known again, or kept, told as made anew; and words in text.
TEST_CASE("findings: functions that a loop does not make anew", "[findings]") {
  const auto title = [](const std::string& line, const char* function, const char* in) {
    const auto all =
        found("def fit():\n    for w in all:\n" + line + "        w = step(w)\n    return w\n", 1'200, function, in);
    return all.empty() ? std::string() : all.front().title;
  };
  const auto jax = [&](const std::string& line) { return title(line, "backend_compile", kJax); };
  const auto numba = [&](const std::string& line) { return title(line, "_compile_for_args", kDispatcher); };
  const std::string anew = "A function is compiled anew in each turn of a loop";
  CHECK(jax("        step = jax.jit(lambda w: w * rate)\n") == anew);
  CHECK(jax("        step = jax.jit(make(rate))\n") == anew);
  CHECK(jax("        @jax.jit\n        def step(w): return w * rate\n") == anew);
  CHECK(numba("        step = numba.njit(slope)\n") == anew);
  const std::string once = "Code is compiled while the program runs";
  CHECK(jax("        step = jax.jit(slope)\n") == once);  // the same function: what was compiled serves it
  CHECK(jax("        if step is None:\n            step = jax.jit(lambda w: w * rate)\n") == once);
  CHECK(jax("        print(\"jit(lambda\")\n") == once);
  CHECK(numba("        texts = numpy.vectorize(str)(w)\n") == once);
  CHECK(numba("        pattern = re.compile(w)\n") == once);
}

// Catches a loop in another function, and what is compiled elsewhere claimed for it.
TEST_CASE("findings: a function that a loop calls, and that makes one", "[findings]") {
  FindingsRun run;
  const std::string file = (run.directory() / "fit.py").string();
  std::ofstream(file) << "def update(w, rate):\n    step = jax.jit(lambda w: w * rate)\n    return step(w)\n"
                         "def fit(w):\n    for rate in rates:\n        w = update(w, rate)\n    return other(w)\n";
  const std::uint32_t fit = run.line(0, run.code("fit", file), 6);
  const std::uint32_t call = run.line(fit, run.code("update", file), 3);
  run.log.cpu(run.line(call, run.code("backend_compile", kJax), 5), 60, 600 * kMs);
  const std::uint32_t elsewhere = run.line(0, run.code("fit", file), 7);
  run.log.cpu(run.line(elsewhere, run.code("backend_compile", kJax), 5), 30, 300 * kMs);
  const auto all = run.look("jit-compiling");
  REQUIRE(all.size() == 1);
  CHECK(all.front().title == "A function is compiled anew in each turn of a loop");
  CHECK(all.front().saves == Approx(0.3));
  CHECK(all.front().places.front().line == 2);
}

// Catches a comprehension that is no loop, and a function of the same file that makes one, or keeps it.
TEST_CASE("findings: a function that a comprehension calls, and whose maker stands elsewhere", "[findings]") {
  const auto anew = [](const std::string& above, const std::string& fit = "[cool(rate) for rate in rates]",
                       const std::string& above_cool = "", const std::string& in_kernel = "") {
    FindingsRun run;
    const std::string file = (run.directory() / "cool.py").string();
    std::ofstream(file) << above << "\ndef kernel(rate):\n    @njit\n    def step(w):\n        return w * rate"
                        << in_kernel << "\n    return step\n"
                        << above_cool << "\ndef cool(rate):\n    step = kernel(rate)\n"
                        << "    return step(w)\ndef fit():\n    return " << fit << "\n";
    const std::uint32_t call = run.line(run.line(0, run.code("fit", file), 12), run.code("cool", file), 10);
    run.log.cpu(run.line(call, run.code("_compile_for_args", kDispatcher), 5), 130, 1'300 * kMs);
    const auto all = run.look("jit-compiling");
    REQUIRE(all.size() == 1);
    return all.front().title == "A function is compiled anew in each turn of a loop" &&
           all.front().places.front().line == 9;
  };
  CHECK(anew("import numba"));
  CHECK_FALSE(anew("@lru_cache"));
  CHECK_FALSE(anew("import numba", "[cool(rate) for rate in rates]", "@functools.cache"));
  CHECK_FALSE(anew("import numba", "cool([float(rate) for rate in rates])"));  // called once
  CHECK_FALSE(anew("import numba", "print(cool([float(rate) for rate in rates]))"));
  CHECK_FALSE(anew("import numba", "[cool(rate) for rate in rates]", "", " * eval(text)"));  // other code each time
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
