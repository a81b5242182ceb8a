#include "report/findings/source_words.hpp"

#include <string>
#include <vector>

#include "tests/unit/support/findings_run.hpp"

using prof::findings::Lines;
using prof::findings::without_docstrings;

// Catches an index, or an element that is given back, that a file's own description wishes for.
TEST_CASE("findings: texts that say what a program should do", "[findings]") {
  CHECK(without_docstrings({"# one", "", "\"\"\"Asks.", "CREATE INDEX a", "\"\"\"", "import x"}) ==
        Lines{"# one", "", "", "", "", "import x"});
  CHECK(without_docstrings({"'''Asks.'''", "import x"}) == Lines{"", "import x"});
  CHECK(without_docstrings({"def f():  # one", "  \"\"\"Use root.clear().\"\"\"", "  g()"}) ==
        Lines{"def f():  # one", "", "  g()"});
  // What is given to a call, or kept, is no such text.
  CHECK(without_docstrings({"run(", "\"\"\"CREATE INDEX", "\"\"\")"}) ==
        Lines{"run(", "\"\"\"CREATE INDEX", "\"\"\")"});
  CHECK(without_docstrings({"import x", "'''", "CREATE INDEX", "'''"}) ==
        Lines{"import x", "'''", "CREATE INDEX", "'''"});
  CHECK(without_docstrings({"HELP = \"\"\"", "Usage:", "\"\"\"", "run()"}) ==
        Lines{"HELP = \"\"\"", "Usage:", "\"\"\"", "run()"});
  CHECK(without_docstrings({"a = '''x''' + '''", "def f():", "'''", "\"\"\"no\"\"\"", "g()"}) ==
        Lines{"a = '''x''' + '''", "def f():", "'''", "\"\"\"no\"\"\"", "g()"});
  CHECK(without_docstrings({"\"\"\"no end", "x"}) == Lines{"", ""});
  CHECK(without_docstrings({}).empty());
}
