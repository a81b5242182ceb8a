#include "report/findings/made_members.hpp"

#include "tests/support/catch.hpp"

using prof::findings::Lines;
using prof::findings::parameter_by_value;

TEST_CASE("made members: parameters by value", "[findings]") {
  const auto line = [](const char* code) { return parameter_by_value({"struct Market {", "};", code}, "Market"); };
  CHECK(line("double value(Market market, const Trade& t) const {  // Market m)") == 3);
  CHECK(line("double value(const Trade& t, Market market);") == 3);
  CHECK(line("double value(int n, const Market market) {") == 3);
  CHECK(line("double value(const Market& market) {") == 0);
  CHECK(line("double value(Market* market) {") == 0);
  CHECK(line("double value(Market &&market) {") == 0);
  CHECK(line("Market market(read(path), 3);") == 0);
  CHECK(line("double value(Marketing market) {") == 0);
  CHECK(line("value(Market(3), 4);") == 0);
  CHECK(line("// value(Market market)") == 0);
  CHECK(parameter_by_value({"f(Market market)"}, "") == 0);
}
