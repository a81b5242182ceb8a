#include "report/findings/brace_lines.hpp"

#include <fstream>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;

// Catches the end of a block, where an object is taken apart, named beside the line that made it.
TEST_CASE("findings: lines on which a block ends", "[findings]") {
  FindingsRun run;
  const std::string path = run.directory() / "work.cpp";
  std::ofstream(path)
      << "void work() {\n  Guard guard(lock);\n  ++count;\n}\nvoid rest() {\n  use();\n  }  // of rest\n";
  run.finish();
  const auto look = [&](std::vector<findings::Place> places) {
    std::vector<findings::Finding> all(1);
    all.front().places = std::move(places);
    findings::name_lines_before_braces(findings::Evidence(run.run, run.symbols, run.selection), all);
    std::vector<std::int64_t> lines;
    for (const findings::Place& place : all.front().places) lines.push_back(place.line);
    return lines;
  };
  using Lines = std::vector<std::int64_t>;
  CHECK(look({{path, 4, "work"}, {path, 2, "work"}}) == Lines{2});
  CHECK(look({{path, 2, "work"}, {path, 4, "work"}}) == Lines{2});
  CHECK(look({{path, 4, "work"}, {path, 6, "rest"}}) == Lines{4, 6});  // of another function
  CHECK(look({{path, 7, "rest"}}) == Lines{7});                        // nothing else is known
  CHECK(look({{path, 3, "work"}, {path, 2, "work"}}) == Lines{3, 2});
  CHECK(look({{"", 0, "cut -d,"}}) == Lines{0});
}
