#include "report/cli/fitting_options.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/support/complaint.hpp"

using namespace prof;
using namespace prof::cli;
using test::complaint;

// Catches options that are taken and then make no difference.
TEST_CASE("an option that the view would ignore is refused, with what takes it") {
  CHECK(complaint({"report", "--view", "heap", "--metric", "peak"}) ==
        "the view heap makes no use of --metric, which goes with --view tree, flame, callers");
  CHECK(complaint({"report", "--bottom-up"}) ==
        "the view summary makes no use of --bottom-up, which goes with --view tree, flame");
  CHECK(complaint({"report", "--view", "lines", "--by-function"}) ==
        "the view lines makes no use of --by-function, which goes with --view own");
  CHECK(complaint({"report", "--view", "own", "--function", "f"}).find("goes with --view callers") !=
        std::string::npos);
  for (const char* view : {"tree", "flame", "callers"})
    CHECK(complaint({"report", "--view", view, "--metric", "peak"}) == "");
  CHECK(complaint({"report", "--function", "f", "--metric", "peak"}) == "");  // that is the view callers
  CHECK(complaint({"report", "--format", "folded", "--metric", "peak"}) == "");
  CHECK(complaint({"report", "--format", "json", "--steps", "9"}) == "");
}

TEST_CASE("a key that the view is not sorted by is refused, with those that it is") {
  CHECK(complaint({"report", "--view", "locks", "--sort", "peak"}) ==
        "the view locks is not sorted by 'peak': its --sort takes calls, total, avg, name");
  CHECK(complaint({"report", "--view", "ops", "--sort", "peak"}).find("cpu_memory_usage") != std::string::npos);
  CHECK(complaint({"report", "--sort", "peak"}).find("the view summary has an order of its own; --sort goes with ") ==
        0);
  CHECK(complaint({"report", "--view", "tree", "--sort", "peak"}).find("an order of its own") != std::string::npos);
  CHECK(complaint({"report", "--view", "own", "--sort", "peak"}) == "");
  CHECK(complaint({"report", "--view", "functions", "--sort", "cumulative"}) == "");
  CHECK(complaint({"report", "--view", "ops", "--sort", "self_cuda_time_total"}) == "");
  CHECK(complaint({"report", "--format", "json", "--sort", "peak"}) == "");
}

TEST_CASE("sections are those of JSON, and of nothing else") {
  CHECK(complaint({"report", "--format", "json", "--section", "findings,steps", "--section", "run"}) == "");
  CHECK(complaint({"report", "--section", "findings"}).find("goes with --format json") != std::string::npos);
  CHECK(complaint({"report", "--format", "csv", "--section", "run"}).find("--format json") != std::string::npos);
  CHECK(complaint({"report", "--html", "--section", "findings"}).find("--format json") != std::string::npos);
  CHECK(complaint({"report", "--format", "json", "--section", "finding"}).find("'findings'?") != std::string::npos);
}
