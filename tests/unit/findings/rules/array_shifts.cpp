// Arrays of JavaScript whose first elements are taken out one after the other.
#include <fstream>

#include "tests/unit/support/findings_run.hpp"
#include "tests/unit/support/native_library.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;

namespace {

constexpr const char* kShiftsOfV8 = R"(
namespace v8 { namespace internal {
int Builtin_ArrayShift(int x) { return x; }
int Builtin_ArrayJoin(int x) { return x + 1; }
} }
)";

// So long in a function of V8's, in a program of that text.
std::vector<findings::Finding> shifted(const std::string& text, std::uint64_t ms, const char* in = "ArrayShift",
                                       bool named = false, const char* exe = "/usr/bin/node") {
  static const test::NativeLibrary library(kShiftsOfV8, "node", "-O0");
  FindingsRun run;
  const std::string file = run.directory() / "jobs.js";
  std::ofstream(file) << text;
  run.log.info(log::InfoKey::Exe, exe);
  run.log.info(log::InfoKey::Argv, std::string("node\0", 5) + file);
  if (named) run.log.info(log::InfoKey::Options, "PROF_WAIT=on PROF_JS=on");
  const std::uint32_t module = run.log.module(library.path());
  const auto function = run.log.node(0, run.log.native(module, library.in(std::string("Builtin_") + in)));
  run.log.cpu(function, ms / 10, ms * kMs);
  run.log.cpu(run.train(4), (1'600 - ms) / 10, (1'600 - ms) * kMs);
  return run.look("array-shifts");
}

}  // namespace

TEST_CASE("findings: long arrays of JavaScript that are shifted", "[findings]") {
  for (const std::uint64_t half : {1, 2}) {
    const auto found = shifted("class Jobs {\n  take() { return this.jobs.shift(); }\n}\n", 800 / half);
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(0.4 / static_cast<double>(half)));
    CHECK(found.front().places.front().line == 2);
    CHECK(has(found.front().places.front().file, "jobs.js"));
  }
}

// Catches a line named where several might be meant, and what is no shift or no program of JavaScript.
TEST_CASE("findings: arrays of JavaScript of which no line is known, and what is not shifted", "[findings]") {
  const auto several = shifted("a.shift();\nb.unshift(1);\n", 800);
  REQUIRE(several.size() == 1);
  CHECK(several.front().places.front().line == 0);
  CHECK(has(several.front().advice, "--js on"));
  CHECK(shifted("a.shift();\nb.unshift(1);\n", 800, "ArrayShift", true).empty());  // names say no line of one's own
  CHECK(shifted("a.shift();\n", 100).empty());
  CHECK(shifted("a.shift();\n", 800, "ArrayJoin").empty());
  CHECK(shifted("a.shift();\n", 800, "ArrayShift", false, "/usr/bin/other").empty());
}
