#include "report/findings/rules/processes/script_lines.hpp"

#include <fstream>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using findings::CommandWords;
using findings::Lines;
using findings::lines_with;
using findings::script_of;

TEST_CASE("script lines: what a shell was started with", "[findings]") {
  CHECK(script_of({"bash", "build.sh", "all"}) == "build.sh");
  CHECK(script_of({"/bin/sh", "-e", "build.sh"}) == "build.sh");
  CHECK(script_of({"bash", "-o", "errexit", "build.sh"}) == "build.sh");
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
  CHECK(lines_with(script, {"git"}) == Found{5});  // the other one is run once
  CHECK(lines_with(script, {"awk"}).empty());
  CHECK(lines_with(Lines(9, "f() { cut -d, -f1; }"), {"cut"}).empty());  // one of many
  CHECK(lines_with(script, {}).empty());
}

// Catches text of a script taken for what it runs.
TEST_CASE("script lines: what is no command", "[findings]") {
  const CommandWords sed{"sed", "-n", "1p", "a"};
  for (const char* line :
       {"echo \"sed -n 1p a\"", "echo sed -n 1p a", "sed) work;;", "./sed -n 1p a", "x=sed", "'sed -n 1p a'"}) {
    INFO(line);
    CHECK(lines_with({"for f in *; do", line, "done"}, sed).empty());
  }
  for (const char* line :
       {"if sed -n 1p a; then", "x=$(sed -n 1p a)", "echo \"$(sed -n 1p a)\"", "LC_ALL=C sed -n 1p a",
        "find . | xargs -n 1 sed -n 1p", "f() { sed -n 1p a; }", "true && sed -n 1p a"}) {
    INFO(line);
    CHECK(lines_with({"for f in *; do", line, "done"}, sed) == std::vector<std::size_t>{2});
  }
  const Lines document{"f() {", "cat <<'END'", "sed -n 1p a", "END", "sed -n 1p b", "}"};
  CHECK(lines_with(document, sed) == std::vector<std::size_t>{5});
  CHECK(lines_with({"true", "while true; do"}, {"true"}).empty());  // the shell's own
  // Of a line that is run once and one in a loop it is the loop's.
  CHECK(lines_with({"sed -n 1p a", "while work; do", "  sed -n 1p \"$f\"", "done"}, sed) ==
        std::vector<std::size_t>{3});
}

TEST_CASE("script lines: of the script that a shell runs", "[findings]") {
  test::FindingsRun run;
  const std::string file = run.directory() / "build.sh";
  std::ofstream(file) << "for f in *; do\n  cut -d, -f2 $f\n\n  sed 1d a\ndone\n";
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
