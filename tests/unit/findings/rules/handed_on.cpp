#include "report/findings/rules/shared/handed_on.hpp"

#include "tests/support/catch.hpp"

using prof::findings::hands_values_on;

// Catches sums, maxima and differences of neighbours, which whole arrays have functions for.
TEST_CASE("handed on: loops whose turns depend on the last one", "[findings]") {
  const prof::findings::Lines align = {"for note in one:",
                                       "    left = 0",
                                       "    for j, against in enumerate(other, 1):",
                                       "        score = above[j - 1] + (match if note == against else miss)",
                                       "        if left + gap > score:",
                                       "            score = left + gap",
                                       "        row.append(score)",
                                       "        left = score",
                                       "    above = row"};
  CHECK(hands_values_on(align, 4));
  CHECK(hands_values_on(align, 6));
  CHECK_FALSE(hands_values_on(align, 0));
  CHECK_FALSE(hands_values_on(align, 99));
  CHECK_FALSE(hands_values_on({"for x in xs:", "    total += x", "    if x > best:", "        best = x"}, 2));
  CHECK_FALSE(hands_values_on({"for x in xs:", "    out.append(x - last)", "    last = x"}, 2));
  CHECK_FALSE(hands_values_on({"for x in xs:", "    y = x * 2", "    if y > best:", "        best = y"}, 2));
  CHECK_FALSE(hands_values_on({"seed = 1", "y = seed", "seed = y"}, 2));
  CHECK_FALSE(hands_values_on({"for x in xs:", "    seed = (seed * 5 + 1) % 7", "    out.append(seed)"}, 2));
}
