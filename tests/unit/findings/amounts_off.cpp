#include "report/findings/amounts_off.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "report/findings/rules/look.hpp"
#include "tests/support/catch.hpp"

using namespace prof::findings;

// Catches a rule that was given another name, so that its amounts say no more how far they may be off.
TEST_CASE("findings: amounts that may be off are of rules that there are", "[findings]") {
  std::set<std::string_view> names;
  for (const Rule& rule : rules()) names.insert(rule.name);
  for (const AmountOff& off : amounts_off()) {
    INFO(std::string(off.rule));
    CHECK(names.count(off.rule) == 1);
    CHECK(off.part > 0.05);
    CHECK(off.part < 0.5);
  }
  // They are looked for by halves.
  CHECK(std::is_sorted(amounts_off().begin(), amounts_off().end(),
                       [](const AmountOff& a, const AmountOff& b) { return a.rule < b.rule; }));
}

// Catches an error that takes the place of another one, and one that is added to it as if both always went one way.
TEST_CASE("findings: how far an amount may be off", "[findings]") {
  Finding finding;
  finding.rule = "small-deques";  // 0.4
  finding.saves_ns = 1'000;
  finding.error_ns = 300;
  finding.saves_bytes = 2'000;
  state_amount_off(finding);
  CHECK(finding.error_ns == 500);
  CHECK(finding.error_bytes == 800);

  Finding other;
  other.rule = "sleeping";
  other.saves_ns = 1'000;
  other.error_ns = 300;
  state_amount_off(other);
  CHECK(other.error_ns == 300);
  CHECK(other.error_bytes == 0);
}
