// What the first screen says of what the figures cannot show.
#include "report/summary/unseen.hpp"
#include "report/fold/line_tree.hpp"
#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;

namespace {

std::string unseen_in(FindingsRun& run) {
  const show::Subject subject = run.subject();
  std::string out;
  for (const std::string& sentence :
       show::unseen(subject, fold::line_tree(subject.run, subject.symbols, subject.selection)))
    out += sentence + '\n';
  return out;
}

}  // namespace

TEST_CASE("unseen: nothing", "[show]") {
  FindingsRun run;
  run.log.cpu(run.train(50), 45, 450 * kMs);
  run.log.header.cpu_ns = 500 * kMs;
  CHECK(unseen_in(run).empty());
}

TEST_CASE("unseen: CPU time without samples, and why", "[show]") {
  FindingsRun run;
  run.log.cpu(run.train(50), 5, 50 * kMs);
  run.log.header.cpu_ns = 500 * kMs;
  SECTION("threads that are too short for any rate") {
    for (std::uint32_t i = 1; i <= 400; ++i) run.log.thread(i);
    CHECK(unseen_in(run) == "90.0 % of CPU time (450 ms) is in no sample: short processes and threads.\n");
  }
  SECTION("no ticks, which another line explains") {
    run.log.header.conditions = log::kNoTimers;
    CHECK(unseen_in(run) == "90.0 % of CPU time (450 ms) is in no sample.\n");
  }
}

// Catches what lies outside of a window taken for short threads.
TEST_CASE("unseen: a run that was recorded in part", "[show]") {
  FindingsRun run;
  run.log.info(log::InfoKey::Window, "open=5\nclose=9");
  run.log.cpu(run.train(50), 5, 50 * kMs);
  run.log.header.cpu_ns = 500 * kMs;
  CHECK(unseen_in(run).empty());
}

TEST_CASE("unseen: an end that nobody saw, and CPU time without samples", "[show]") {
  FindingsRun run;
  run.log.cpu(run.train(50), 5, 50 * kMs);
  run.log.header.cpu_ns = 500 * kMs;
  run.log.header.end = log::End::Running;
  run.log.header.last_monotonic_ns = run.log.header.start_monotonic_ns + 1200 * kMs;
  const std::string text = unseen_in(run);
  CHECK(has(text, "pid 500 was last seen 1.20 s after its start; when it ended is not known."));
  CHECK(has(text, "90.0 % of CPU time (450 ms) is in no sample: short processes and threads; try --cpu 1000."));
}

TEST_CASE("unseen: an end that its parent saw is known", "[show]") {
  FindingsRun run;
  run.log.cpu(run.train(50), 45, 450 * kMs);
  run.log.header.end = log::End::Running;
  run.log.header.waited_ns = run.log.header.start_monotonic_ns + 2'000 * kMs;
  run.log.header.wait_status = 9;
  CHECK(unseen_in(run).empty());
}

// Catches a word about an interpreter that others start beside their work, and versions of its name that are not known.
TEST_CASE("unseen: programs of languages whose functions have no names", "[show]") {
  FindingsRun run;
  run.log.cpu(run.train(50), 40, 400 * kMs);
  run.log.header.cpu_ns = 400 * kMs;
  const char* exe = GENERATE("/usr/bin/perl", "/opt/perl5.36.0", "/usr/bin/ruby3.1", "/usr/bin/luajit-2.1.0-beta3",
                             "/usr/bin/perldoc", "/usr/bin/python3.11");
  run.log.info(log::InfoKey::Exe, exe);
  const std::string text = unseen_in(run);
  const std::string name = has(exe, "perl") ? "Perl" : has(exe, "ruby") ? "Ruby" : "Lua";
  if (has(exe, "perldoc") || has(exe, "python"))
    CHECK(text.empty());
  else
    CHECK(
        has(text, "100.0 % of CPU time is in programs of " + name + ", whose own functions have no names here: take "));
}

TEST_CASE("unseen: LuaJIT that was asked for its functions", "[show]") {
  FindingsRun run;
  run.log.cpu(run.train(50), 40, 400 * kMs);
  run.log.header.cpu_ns = 400 * kMs;
  run.log.info(log::InfoKey::Exe, "/usr/bin/luajit-2.1.0-beta3");
  const bool asked = GENERATE(false, true);
  if (asked) run.log.info(log::InfoKey::Options, "PROF_CPU=100\nPROF_LUA=on");
  CHECK(has(unseen_in(run), "take prof run --lua on") == !asked);
}

// Catches a word about a few samples, and a runtime taken for another.
TEST_CASE("unseen: code made at run time without names, and what would name it", "[show]") {
  FindingsRun run;
  const std::uint32_t made = run.log.node(0, run.log.frame(log::frame_word(log::FrameKind::Anonymous, 0x7f0000001000)));
  run.log.cpu(run.train(50), 40, 400 * kMs);
  run.log.header.cpu_ns = 500 * kMs;
  SECTION("of a program that nobody knows") {
    run.log.cpu(made, 10, 100 * kMs);
    CHECK(unseen_in(run) == "20.0 % of CPU time is in code made at run time that has no names.\n");
  }
  SECTION("of Java") {
    run.log.info(log::InfoKey::Exe, "/usr/lib/jvm/java-17-openjdk-amd64/bin/java");
    run.log.cpu(made, 10, 100 * kMs);
    CHECK(has(unseen_in(run), "no names; they come with java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit"));
  }
  SECTION("of Java, which was not to be asked for them") {
    run.log.info(log::InfoKey::Exe, "/usr/lib/jvm/java-17-openjdk-amd64/bin/java");
    run.log.info(log::InfoKey::Options, "PROF_CPU=100\nPROF_JAVA=off");
    run.log.cpu(made, 10, 100 * kMs);
    CHECK(has(unseen_in(run), "no names; they come with prof run --java on."));
  }
  // Catches a server of Node's without a word, since its functions without names mostly call what has names.
  SECTION("of Node, with what it calls") {
    run.log.info(log::InfoKey::Exe, "/usr/bin/node");
    if (GENERATE(false, true)) {
      const bool of_its_own = GENERATE(false, true);
      run.log.cpu(of_its_own ? made : run.log.node(made, run.log.native(run.log.module("/usr/lib/libnode.so"), 2)), 1,
                  10 * kMs);
      run.log.cpu(run.log.node(made, run.log.native(run.log.module("/usr/lib/libnode.so"), 1)), 9, 90 * kMs);
      CHECK(has(unseen_in(run),
                "20.0 % of CPU time is in code made at run time that has no names, and in what it calls; they come "
                "with prof run --js on."));
    } else {
      if (GENERATE(false, true))
        run.log.info(log::InfoKey::Options, "PROF_CPU=100\nPROF_JS=on");
      else
        run.log.info(log::InfoKey::Argv, std::string("node\0--perf-basic-prof\0app.js", 29));
      run.log.cpu(made, 1, 10 * kMs);
      run.log.cpu(run.log.node(made, run.log.native(run.log.module("/usr/lib/libnode.so"), 1)), 9, 90 * kMs);
      CHECK_FALSE(has(unseen_in(run), "made at run time"));
    }
  }
  SECTION("of .NET") {
    run.log.info(log::InfoKey::Exe, "/usr/share/dotnet/dotnet");
    const bool asked = GENERATE(false, true);
    if (asked) run.log.info(log::InfoKey::Options, "PROF_CPU=100\nPROF_DOTNET=on");
    run.log.cpu(made, 10, 100 * kMs);
    CHECK(has(unseen_in(run), "no names; they come with prof run --dotnet on.") == !asked);
  }
  SECTION("of Mono") {
    run.log.info(log::InfoKey::Exe, "/usr/bin/mono-sgen");
    run.log.cpu(made, 10, 100 * kMs);
    CHECK(has(unseen_in(run), "no names; they come with mono --jitmap, or MONO_ENV_OPTIONS=--jitmap"));
  }
  SECTION("of PostgreSQL") {
    run.log.info(log::InfoKey::Exe, "/usr/lib/postgresql/15/bin/postgres");
    run.log.cpu(made, 10, 100 * kMs);
    CHECK(has(unseen_in(run), "no names; they come with jit_debugging_support = on in postgresql.conf"));
  }
  SECTION("little") {
    run.log.cpu(made, 2, 20 * kMs);
    run.log.header.cpu_ns = 420 * kMs;
    CHECK(unseen_in(run).empty());
  }
}
