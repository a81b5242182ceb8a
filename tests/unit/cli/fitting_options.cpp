#include "report/cli/fitting_options.hpp"

#include <string>
#include <vector>

#include "report/cli/arguments.hpp"
#include "report/cli/common/usage_error.hpp"
#include "tests/support/catch.hpp"

using namespace prof;
using namespace prof::cli;

namespace {

std::string refusal(const std::vector<std::string>& words) {
  try {
    parse(words);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

// Catches options that are taken and then make no difference.
TEST_CASE("an option that the view would ignore is refused, with what takes it") {
  CHECK(refusal({"report", "--view", "heap", "--metric", "peak"}) ==
        "the view heap makes no use of --metric, which goes with --view tree, flame, callers");
  CHECK(refusal({"report", "--bottom-up"}) ==
        "the view summary makes no use of --bottom-up, which goes with --view tree, flame");
  CHECK(refusal({"report", "--view", "lines", "--by-function"}) ==
        "the view lines makes no use of --by-function, which goes with --view own");
  CHECK(refusal({"report", "--view", "own", "--function", "f"}).find("goes with --view callers") != std::string::npos);
  for (const char* view : {"tree", "flame", "callers"})
    CHECK(refusal({"report", "--view", view, "--metric", "peak"}) == "");
  CHECK(refusal({"report", "--function", "f", "--metric", "peak"}) == "");  // that is the view callers
  CHECK(refusal({"report", "--format", "folded", "--metric", "peak"}) == "");
  CHECK(refusal({"report", "--format", "json", "--steps", "9"}) == "");
}

TEST_CASE("a key that the view is not sorted by is refused, with those that it is") {
  CHECK(refusal({"report", "--view", "locks", "--sort", "peak"}) ==
        "the view locks is not sorted by 'peak': its --sort takes calls, total, avg, name");
  CHECK(refusal({"report", "--view", "ops", "--sort", "peak"}).find("cpu_memory_usage") != std::string::npos);
  CHECK(refusal({"report", "--sort", "peak"}).find("the view summary has an order of its own; --sort goes with ") == 0);
  CHECK(refusal({"report", "--view", "tree", "--sort", "peak"}).find("an order of its own") != std::string::npos);
  CHECK(refusal({"report", "--view", "own", "--sort", "peak"}) == "");
  CHECK(refusal({"report", "--view", "functions", "--sort", "cumulative"}) == "");
  CHECK(refusal({"report", "--view", "ops", "--sort", "self_cuda_time_total"}) == "");
  CHECK(refusal({"report", "--format", "json", "--sort", "peak"}) == "");
}
