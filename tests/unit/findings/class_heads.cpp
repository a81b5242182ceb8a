#include "report/findings/class_heads.hpp"

#include <fstream>
#include <string>
#include <vector>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::kMs;

// Catches the copy that a compiler writes told at the line on which its class begins.
TEST_CASE("findings: lines on which a class begins", "[findings]") {
  FindingsRun run;
  const std::string path = run.directory() / "raster.py.cpp";
  std::ofstream(path) << "class Raster {\n  int rows;\n};\nvoid work(Raster& in) {\n  Raster out = in;\n}\n";
  const auto called = run.line(run.train(30), run.code("work", path, 1), 4);
  run.log.cpu(run.line(called, run.code("Raster", path, 1), 0), 10, 100 * kMs);
  const auto alone = run.line(0, run.code("Raster", path, 1), 1);
  run.log.cpu(alone, 10, 100 * kMs);
  run.finish();
  const auto look = [&](std::vector<findings::Place> places) {
    std::vector<findings::Finding> all(1);
    all.front().places = std::move(places);
    findings::name_callers_of_class_heads(findings::Evidence(run.run, run.symbols, run.selection), all);
    std::vector<std::int64_t> lines;
    for (const findings::Place& place : all.front().places) lines.push_back(place.line);
    for (const findings::Place& place : all.front().instead_of) lines.push_back(-place.line);
    return lines;
  };
  using Lines = std::vector<std::int64_t>;
  CHECK(look({{path, 1, "Raster"}}) == Lines{5, -1});
  CHECK(look({{path, 5, "work"}, {path, 1, "Raster"}}) == Lines{5, -1});
  const std::string lines = run.directory() / "record.cpp";
  std::ofstream(lines) << "void count() {\n  struct record r = all[0];\n}\n";
  CHECK(look({{lines, 2, "count"}}) == Lines{2});  // no head
  CHECK(look({{path, 2, "Raster"}}) == Lines{2});  // a line of its own
  CHECK(look({{path, 1, "other"}}) == Lines{1});   // nobody was seen to call it
  CHECK(look({{"", 0, "cut -d,"}}) == Lines{0});
}
