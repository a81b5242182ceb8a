#include "report/cli/suggest.hpp"

#include "tests/support/catch.hpp"

using prof::cli::did_you_mean;
using prof::cli::nearest;

TEST_CASE("the nearest word is found, and nothing when none is near") {
  constexpr std::string_view kWords[] = {"functions", "callers", "heap", "processes"};
  CHECK(nearest("function", kWords) == "functions");
  CHECK(nearest("haep", kWords) == "heap");
  CHECK(nearest("proc", kWords) == "processes");
  CHECK(nearest("zzz", kWords).empty());
  CHECK(nearest("", kWords).empty());
  CHECK(nearest(std::string(100'000, 'x'), kWords).empty());
  CHECK(did_you_mean("haep", kWords) == " Did you mean 'heap'?");
  CHECK(did_you_mean("zzz", kWords).empty());
}
