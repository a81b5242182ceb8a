#include "report/cli/common/opened_run.hpp"

#include "report/cli/common/usage_error.hpp"
#include "tests/support/catch.hpp"

using namespace prof;

// Catches bytes allocated shown as bytes live: what a thread allocated others free.
TEST_CASE("stacks of what is live are refused where threads were selected", "[cli]") {
  fold::Selection selection;
  CHECK_NOTHROW(cli::check_measure(model::Measure::Live, selection));
  selection.threads = {"main"};
  for (const auto level : {model::Measure::Live, model::Measure::Peak, model::Measure::PythonLive})
    CHECK_THROWS_AS(cli::check_measure(level, selection), cli::UsageError);
  CHECK_NOTHROW(cli::check_measure(model::Measure::Allocated, selection));
}
