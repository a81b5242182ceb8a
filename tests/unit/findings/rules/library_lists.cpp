// The rules about lists of Python, where it is a library that searches and shifts them.
#include "tests/unit/support/findings_run.hpp"
#include "tests/unit/support/native_library.hpp"

using namespace prof;
using test::FindingsRun;
using test::kMs;

namespace {

constexpr const char* kLists = R"(
extern "C" int list_contains(int x) { return x + 1; }
extern "C" int list_insert(int x) { return x + 2; }
)";

}  // namespace

// Catches what a function of a library does with a list of its own told of who calls it: nothing there is his to mend.
TEST_CASE("findings: lists that a library of Python searches", "[findings]") {
  const auto [rule, function] = GENERATE(table<std::string, std::string>({
      {"list-searches", "list_contains"},
      {"list-shifts", "list_insert"},
  }));
  INFO(rule);
  const test::NativeLibrary library(kLists, "libpython3.so", "-O0");  // without lines: none of the user's own
  // clang before 16 captures no structured binding by reference.
  const auto look = [&, rule = rule, function = function](const char* file) {
    FindingsRun run;
    const auto caller = test::below(run, run.train(30), "members", file);
    run.log.cpu(run.log.node(caller, run.log.native(run.log.module(library.path()), library.in(function))), 80,
                800 * kMs);
    run.log.cpu(run.train(31), 80, 800 * kMs);
    return run.look(rule);
  };
  CHECK(look("/usr/lib/python3.11/typing.py").empty());
  CHECK(look("/v/site-packages/schemas/members.py").empty());
  const auto own = look("/app/members.py");
  REQUIRE(own.size() == 1);
  CHECK(own.front().saves == Approx(0.4));
  CHECK(own.front().places.front() == findings::Place{"/app/members.py", 5, "members"});
}
