#include "report/symbols/shell_scripts.hpp"

#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/support/temp_dir.hpp"

using prof::symbols::ShellScripts;

// Catches lines of one file told as those of another, which has a function of the same name or has it read.
TEST_CASE("shell scripts: which file and function a line is of", "[symbols]") {
  const prof::test::TempDir temp;
  std::filesystem::create_directory(temp / "lib");
  std::ofstream(temp / "job.sh") << "#!/bin/bash\n. \"$(dirname \"$0\")/lib/more.sh\"\nwork() {\n  one\n  two\n}\n"
                                    "function rest {\n  three\n}\nshort() { four; }\nwork\n";
  std::ofstream(temp / "lib" / "more.sh") << "help() {\n  five\n  six\n}\n\n\n\nwork () {\n  seven\n}\n";
  const prof::model::Run run;
  ShellScripts scripts(run);
  const std::string job = temp / "job.sh", more = temp / "lib" / "more.sh";
  const auto place = [&](const char* function, std::uint32_t line) { return scripts.place_of(job, function, line); };
  CHECK(place("work", 4).file == job);
  CHECK(place("work", 4).first == 3);
  CHECK(place("work", 9).file == more);
  CHECK(place("work", 11).file.empty());
  CHECK(place("rest", 8).first == 7);
  CHECK(place("short", 10).file == job);
  CHECK(place("short", 11).file.empty());
  CHECK(place("help", 2).file == more);
  CHECK(place("made_by_eval", 2).file.empty());
  CHECK(place("", 11).file == job);
  CHECK(place("", 1).file.empty());   // "#!": what bash does before and after
  CHECK(place("", 99).file.empty());  // beyond the end
  CHECK(scripts.place_of("/nowhere/a.sh", "", 7).file == "/nowhere/a.sh");
}
