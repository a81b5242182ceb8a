// The completions of bash, typed at a bash of its own: how a line becomes words is decided by its COMP_WORDBREAKS.
#include "report/cli/completion.hpp"

#include <fmt/format.h>

#include <fstream>
#include <string>
#include <variant>

#include "report/cli/arguments.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof;

namespace {

// Types `line`, a tabulator and the end of the line at an interactive bash on a terminal of its own, where `prof`
// prints its words, and prints what it printed.
constexpr const char* kTypist = R"(
import os, pty, select, sys
setup, line = sys.argv[1:]
pid, terminal = pty.fork()
if pid == 0:
    os.environ.update(TERM="dumb", INPUTRC="/dev/null")
    os.execvp("bash", ["bash", "--noprofile", "--rcfile", setup, "-i"])
seen = b""
def until(*wanted):
    global seen
    while not any(word in seen for word in wanted):
        if not select.select([terminal], [], [], 20)[0]:
            sys.exit("waited for %r, saw %r" % (wanted, seen))
        seen += os.read(terminal, 4096)
until(b"ready> ")
os.write(terminal, line.encode() + b"\t\n")
until(b"<end>\r\n")
print(seen.decode().split("<begin>")[-1].split("<end>")[0])
os.write(terminal, b"exit\n")
os.waitpid(pid, 0)
)";

std::string typed(const std::string& line, const std::string& more = "") {
  const test::TempDir temp;
  std::ofstream(temp / "setup") << std::get<cli::Text>(cli::parse({"completion", "bash"}).command).text << more
                                << "\nPS1='ready> '\nprof() { echo \"<begin>$*<end>\"; }\n";
  std::ofstream(temp / "typist.py") << kTypist;
  const test::Outcome out =
      test::Command({"python3", (temp / "typist.py").string(), (temp / "setup").string(), line}).in(temp.path()).run();
  INFO(out);
  REQUIRE(out.ok());
  return out.out.substr(0, out.out.find_last_not_of(" \n") + 1);
}

}  // namespace

TEST_CASE("bash completes a value behind a blank and behind =, at a terminal") {
  CHECK(typed("prof report --view loc") == "report --view locks");
  CHECK(typed("prof report --view=loc") == "report --view=locks");
  CHECK(typed("prof run --heap=e") == "run --heap=exact");
  CHECK(typed("prof export --format=heapt") == "export --format=heaptrack");
  CHECK(typed("prof report --section findings,steps,func") == "report --section findings,steps,functions");
  CHECK(typed("prof report --section=findings,func") == "report --section=findings,functions");
  CHECK(typed("prof report --vie") == "report --view");
}

// Without "=" there the option and its value are one word, which the completed one replaces.
TEST_CASE("bash completes a value behind = where that parts no words") {
  CHECK(typed("prof report --view=loc", "COMP_WORDBREAKS=${COMP_WORDBREAKS//=}") == "report --view=locks");
}

TEST_CASE("bash completes files behind the = of an option that takes one") {
  CHECK(typed("prof run --out=setu") == "run --out=setup");
  CHECK(typed("prof run -- cat --view=setu") == "run -- cat --view=setup");
}

namespace {

// What bash completes behind these words, one a line.
std::string completed(const std::string& words, int at) {
  test::TempDir temp;
  const auto made = cli::parse({"completion", "bash"});
  std::ofstream(temp / "prof.bash") << std::get<cli::Text>(made.command).text;
  const auto out = test::Command({"bash", "-c",
                                  fmt::format("source {}; COMP_WORDS=({}); COMP_CWORD={}; _prof; printf '%s\\n' "
                                              "\"${{COMPREPLY[@]}}\"",
                                              (temp / "prof.bash").string(), words, at)})
                       .run();
  INFO(out);
  CHECK(out.ok());
  CHECK(out.err.empty());
  return out.out;
}

}  // namespace

TEST_CASE("bash completes commands, options, their words, and the program behind them") {
  CHECK(completed("prof re", 1) == "report\n");
  CHECK(completed("prof report --vi", 2) == "--view\n");
  CHECK(completed("prof report --view lin", 3) == "lines\nline-hits\n");
  CHECK(completed("prof run --heap e", 3) == "exact\n");
  CHECK(completed("prof export -f heapt", 3) == "heaptrack\n");
  CHECK(completed("prof completion z", 2) == "zsh\n");
  CHECK(completed("prof run -- bas", 3).find("bash\n") != std::string::npos);
  CHECK(completed("prof run -- ls --vi", 4) == "\n");  // another program's option
}
