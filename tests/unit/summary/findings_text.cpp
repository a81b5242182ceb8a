#include "report/summary/findings_text.hpp"
#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;

TEST_CASE("findings: through which functions a place is called", "[show]") {
  FindingsRun run;
  const auto module = run.line(0, run.code("<module>", "/app/app.py"), 90);
  const auto main = run.line(module, run.code("main", "/app/app.py"), 40);
  const auto report = run.line(main, run.code("report", "/app/app.py"), 38);
  run.log.cpu(run.line(report, run.code("row", "/app/rows.py"), 21), 100, 1'000 * kMs);
  const show::Subject subject = run.subject();
  const std::string text = show::findings_text(subject, {}, {});
  CHECK(has(text, "   where  row (rows.py:21)\n   from   report (app.py:38) <- main (app.py:40)\n"));
  // As many as fit into a line; the first one always.
  CHECK(has(show::findings_text(subject, {}, {.width = 40}), "   from   report (app.py:38)\n"));

  FindingsRun direct;
  const auto top = direct.line(0, direct.code("<module>", "/app/app.py"), 90);
  direct.log.cpu(direct.line(top, direct.code("row", "/app/rows.py"), 21), 100, 1'000 * kMs);
  CHECK(has(show::findings_text(direct.subject(), {}, {}), "   from   <module> (app.py:90)\n"));

  FindingsRun none;
  none.log.cpu(none.line(0, none.code("row", "/app/rows.py"), 21), 100, 1'000 * kMs);
  CHECK_FALSE(has(show::findings_text(none.subject(), {}, {}), "   from"));
}
