// Statements of Python that go over several lines.
#include "report/findings/statement_lines.hpp"

#include "tests/support/catch.hpp"

using namespace prof::findings;

TEST_CASE("findings: the first line of a statement", "[findings]") {
  const Lines lines{
      "def trace(self,",                                     // 1
      "          what):",                                    // 2
      "    log.debug(f\"{what:<8}({self} \"",                // 3
      "              f\"waiting={[s for s in self.all]}\"",  // 4
      "              f\" yard={self.yard}\")",               // 5
      "    print('(', \"# (\")  # (",                        // 6
      "    table = {",                                       // 7
      "        'a': [1,",                                    // 8
      "              2],",                                   // 9
      "        'b': 3,",                                     // 10
      "    }",                                               // 11
      "    return table",                                    // 12
  };
  const std::size_t first[] = {0, 1, 1, 3, 3, 3, 6, 7, 7, 7, 7, 7, 12, 13};
  for (std::size_t number = 0; number <= lines.size() + 1; ++number) {
    INFO(number);
    CHECK(first_line_of_statement(lines, number) == first[number]);
  }
  CHECK(statement_around(lines, 9) == statement_around(lines, 7));
  CHECK(statement_around(lines, 8).find("'b': 3,    }") != std::string::npos);
  CHECK(statement_around(lines, 12) == "    return table");
  // A text that ends elsewhere, as an apostrophe of a docstring.
  const Lines told{"    \"\"\"Rounds (doesn't lose cents).", "    \"\"\"", "    total = sum_up(x)"};
  CHECK(first_line_of_statement(told, 3) == 3);
  CHECK(statement_around(lines, 0).empty());
  CHECK(statement_around(lines, 13).empty());
}
