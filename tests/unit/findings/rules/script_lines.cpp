#include "report/findings/rules/script_lines.hpp"

#include <fstream>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using findings::Lines;
using findings::lines_with;
using findings::script_of;

TEST_CASE("script lines: what a shell was started with", "[findings]") {
  CHECK(script_of({"bash", "build.sh", "all"}) == "build.sh");
  CHECK(script_of({"/bin/sh", "-e", "build.sh"}) == "build.sh");
  CHECK(script_of({"bash", "-c", "make all"}).empty());
  CHECK(script_of({"bash"}).empty());
  CHECK(script_of({"python3", "build.py"}).empty());
  CHECK(script_of({}).empty());
}

TEST_CASE("script lines: where a command stands", "[findings]") {
  const Lines script{"#!/bin/bash",                                            // 1
                     "# git log is slow",                                      // 2
                     "git init -q .",                                          // 3
                     "for f in *; do",                                         // 4
                     "  when=$(git -C \"$1\" log -1 --format=%ct -- \"$f\")",  // 5
                     "  echo \"$f\" | cut -d' ' -f1 | cut -d. -f2",            // 6
                     "  ./mygit --cut > git.txt # cut -d, here",               // 7
                     "done"};
  using Found = std::vector<std::size_t>;
  CHECK(lines_with(script, {"git", "-C", "...", "log", "-1", "--format=%ct", "--", "..."}) == Found{5});
  CHECK(lines_with(script, {"cut", "'-d '", "-f1"}) == Found{6});
  CHECK(lines_with(script, {"git"}) == Found{3, 5});
  CHECK(lines_with(script, {"awk"}).empty());
  CHECK(lines_with(Lines(9, "cut -d, -f1"), {"cut"}).empty());  // one of many
  CHECK(lines_with(script, {}).empty());
}

TEST_CASE("script lines: of the script that a shell runs", "[findings]") {
  test::FindingsRun run;
  const std::string file = run.directory() / "build.sh";
  std::ofstream(file) << "for f in *; do\n  cut -d, -f2 $f\ndone\nsed 1d a\n";
  run.finish();
  const findings::Evidence evidence(run.run, run.symbols, run.selection);
  model::Process shell;
  shell.argv = {"bash", file};
  const auto places = findings::script_places(evidence, shell, {{"cut", "-d,", "-f2", "..."}, {"sed", "..."}, {"tr"}});
  REQUIRE(places.size() == 2);
  CHECK(places[0].file == file);
  CHECK(places[0].line == 2);
  CHECK(places[1].line == 4);
  shell.argv = {"bash", file + ".gone"};
  CHECK(findings::script_places(evidence, shell, {{"cut"}}).empty());
}
