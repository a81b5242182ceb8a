// Counters that are added up by making a new one each time.
#include <fstream>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::below;
using test::FindingsRun;
using test::has;
using test::kMs;

namespace {

// So long in a method of Counter, called by a line of that text.
std::vector<findings::Finding> added(const char* text, std::uint64_t ms, const char* method = "Counter.__add__") {
  FindingsRun run;
  const std::string own = (run.directory() / "terms.py").string();
  std::ofstream(own) << "def totals(counters):\n    " << text << '\n';
  const auto add =
      below(run, run.line(0, run.code("totals", own, 1), 1), method, "/usr/lib/python3.11/collections/__init__.py");
  run.log.cpu(add, ms / 10, ms * kMs);
  run.log.cpu(run.train(40), 100, 1'000 * kMs);
  return run.look("concatenations");
}

}  // namespace

TEST_CASE("findings: Counters that are added up by copies", "[findings]") {
  const char* const text = GENERATE("return sum(counters, Counter())", "total = total + counts",
                                    "total = counts + total", "return functools.reduce(operator.add, counters)");
  INFO(text);
  for (const std::uint64_t half : {1, 2}) {
    const auto found = added(text, 800 / half);
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(0.4 / static_cast<double>(half)));
    CHECK(found.front().places.front().line == 2);
    CHECK(has(found.front().advice, "total.update(counts)"));
  }
}

// The look through all of the total, and not what it adds.
TEST_CASE("findings: Counters that are added in place, and looked through each time", "[findings]") {
  CHECK(added("total += counts", 800, "Counter._keep_positive").size() == 1);
  CHECK(added("total += counts", 800, "Counter.__iadd__").empty());
}

// Catches two Counters that are added once, and what update() does.
TEST_CASE("findings: Counters that are not copied again", "[findings]") {
  CHECK(added("both = first + second", 800).empty());
  CHECK(added("total = first + second  # sum", 800).empty());
  CHECK(added("total.update(counts)", 800, "Counter.update").empty());
  CHECK(added("return sum(counters, Counter())", 90).empty());
}
