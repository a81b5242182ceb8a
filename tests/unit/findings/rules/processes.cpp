// The rules about programs that are made of processes.
#include "tests/unit/support/processes_run.hpp"

using namespace prof;
using test::has;
using test::kMs;
using test::ProcessesRun;

namespace {

void check_place(const findings::Finding& finding, const char* command) {
  REQUIRE(finding.places.size() == 1);
  CHECK(finding.places.front() == findings::Place{"", 0, command});
}

// A shell that starts `count` processes of so long each, one after the other, and waits for them.
test::LogBuilder& small_pieces(ProcessesRun& run, std::uint64_t count, std::uint64_t each_ms, std::uint64_t waits_ms) {
  test::LogBuilder& shell = run.shell();
  for (std::uint64_t i = 0; i < count; ++i)
    run.child(i % 3 == 0 ? "/bin/sed s/a/b/" : "cut -d,", i * 2'000 / count, each_ms, 1);
  ProcessesRun::wait(shell, "wait4", "child", waits_ms / 2);
  ProcessesRun::wait(shell, "read", "pipe", waits_ms / 2);
  return shell;
}

}  // namespace

TEST_CASE("findings: a process for each small piece of work", "[findings]") {
  for (const std::uint64_t half : {1, 2}) {
    ProcessesRun run;
    small_pieces(run, 120, 10, 1'600 / half);
    const auto found = run.look("many-processes");
    REQUIRE(found.size() == 1);
    CHECK(found.front().title == "A process is started for each small piece of work");
    CHECK(found.front().saves == Approx(0.8 / static_cast<double>(half)));
    if (half == 1)
      CHECK(has(found.front().seen,
                "120 processes were started and ran cut 80 times, sed 40 times; they lived for 10.0 ms on "
                "average, and were waited for 1.60 s. Most often: cut -d, (80 times)."));
    check_place(found.front(), "/bin/sh build.sh");
  }
}

// Catches commands counted beside the subshells that run them, as if there were more runs than processes.
// Catches: a claim of time that only the profiler takes.
TEST_CASE("findings: what recording small processes took is not claimed", "[findings]") {
  const auto saved = [](std::uint64_t agent_us, std::uint64_t queue_us) {
    ProcessesRun run;
    test::LogBuilder& shell = run.shell();
    for (std::uint64_t i = 0; i < 100; ++i) {
      test::LogBuilder& log = run.child("cut -d,", i * 20, 15, 2);
      log.thread(0).cpu_ns = 2 * kMs;
      log.thread(0).agent_ns = agent_us * 1'000;
      log::ThreadUseRecord use{};
      use.known = log::kKnowsRunQueue;
      use.noted_ns = 5;
      use.run_queue_ns = queue_us * 1'000;
      log.thread_uses({use});
    }
    ProcessesRun::wait(shell, "wait4", "child", 1'500);
    const auto found = run.look("many-processes");
    REQUIRE(found.size() == 1);
    CHECK((found.front().seen.find("recording them took") != std::string::npos) == (agent_us >= 1'000));
    return found.front().saves_ns / 1'000'000;
  };
  CHECK(saved(0, 0) == 1'500);
  CHECK(saved(100, 0) == 1'480);        // a tenth of a millisecond of each, and as much that the agent does not see
  CHECK(saved(1'000, 0) == 1'345);      // a millisecond: 0.3 more as it is a start, and a third of the rest
  CHECK(saved(1'000, 2'000) == 1'191);  // and as long for a processor
}

// Catches the stages of a pipeline, which are recorded side by side, taken for as many one after the other.
TEST_CASE("findings: what recording processes took that ran at once", "[findings]") {
  ProcessesRun run;
  test::LogBuilder& shell = run.shell();
  for (std::uint64_t i = 0; i < 100; ++i) {
    for (const char* stage : {"cat users", "grep x"}) {
      test::LogBuilder& log = run.child(stage, i * 20, 15, 15);
      log.info(log::InfoKey::Cpus, "allowed=2");
      log.thread(0).cpu_ns = 15 * kMs;
      log.thread(0).agent_ns = 2 * kMs;
    }
  }
  ProcessesRun::wait(shell, "wait4", "child", 1'500);
  const auto found = run.look("many-processes");
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves_ns / 1'000'000 == 1'210);  // 2.9 ms of each pair, and not 5.8
}

// Catches what recording all processes took divided by how long they lived, where one command is what is claimed.
TEST_CASE("findings: what recording the processes of the main command took", "[findings]") {
  ProcessesRun run;
  test::LogBuilder& shell = run.shell();
  for (std::uint64_t i = 0; i < 100; ++i) {
    for (const bool main : {true, false}) {
      test::LogBuilder& log = run.child(main ? "git log" : "touch a", i * 19 + (main ? 0 : 12), main ? 12 : 3, 1);
      log.thread(0).cpu_ns = kMs;
      log.thread(0).agent_ns = main ? kMs : kMs / 10;
    }
  }
  ProcessesRun::wait(shell, "wait4", "child", 1'500);
  const auto found = run.look("many-processes");
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves_ns / 1'000'000 == 1'045);  // 1,200 without 1.5 each
}

// Catches one second claimed by the processes of a pipeline, and by one of its stages again.
TEST_CASE("findings: a command that is run again among the small pieces of work", "[findings]") {
  ProcessesRun run;
  test::LogBuilder& shell = run.shell();
  for (std::uint64_t i = 0; i < 100; ++i) {
    const std::uint32_t subshell = run.child("/bin/sh build.sh", i * 16, 15, 1).header.pid;
    test::LogBuilder& log = run.child("cat users", i * 16, 10, 1, subshell);
    const auto files = log.node(0, log.special(log::SpecialFrame::Files));
    log::FileWords words{};
    words.reads = 10;
    words.read_bytes = 1 << 20;
    log.record(log::RecordClass::File, log.node(files, log.named(log::NameKind::File, "/data/users", "file")), words);
    run.child("grep a" + std::to_string(i), i * 16, 10, 1, subshell);
  }
  ProcessesRun::wait(shell, "read", "pipe", 1'600);
  const auto found = run.look("many-processes");
  REQUIRE(found.size() == 1);
  CHECK(has(found.front().seen, "Part of it (990 ms): The same command is run again and again."));
  CHECK(run.look("same-command").empty());
}

// Catches one second claimed by the wait for children and by what these are, or by both ways not to need it.
TEST_CASE("findings: one command that is run for each small piece of work", "[findings]") {
  ProcessesRun run;
  test::LogBuilder& shell = run.shell();
  for (std::uint64_t i = 0; i < 100; ++i) {
    test::LogBuilder& log = run.child("grep -c x data", i * 16, 15, 1);
    const auto files = log.node(0, log.special(log::SpecialFrame::Files));
    log::FileWords words{};
    words.reads = 10;
    words.read_bytes = 1 << 20;
    log.record(log::RecordClass::File, log.node(files, log.named(log::NameKind::File, "/data/data", "file")), words);
  }
  ProcessesRun::wait(shell, "wait4", "child", 1'500);
  const auto found = run.look("many-processes");
  REQUIRE(found.size() == 1);
  CHECK(has(found.front().seen, "The same command is run again and again."));
  CHECK(run.look("same-command").empty());
  CHECK(run.look("waiting-for-children").empty());
}

// Catches a fault that no process has alone: a script that is run for each file starts a few dozen for its lines.
TEST_CASE("findings: a process for each small piece of work of many scripts", "[findings]") {
  ProcessesRun run;
  test::LogBuilder& outer = run.shell();
  for (std::uint64_t i = 0; i < 20; ++i) {
    test::LogBuilder& inner = run.child("/bin/sh inner.sh", i * 95, 90, 2);
    ProcessesRun::wait(inner, "wait4", "child", 80);
    for (std::uint64_t k = 0; k < 10; ++k) run.child("expr 1 + 1", i * 95 + k * 9, 8, 1, inner.header.pid);
  }
  ProcessesRun::wait(outer, "wait4", "child", 1'900);
  const auto found = run.look("many-processes");
  REQUIRE(found.size() == 1);
  CHECK(has(found.front().seen, "200 processes were started and ran expr 200 times"));
  CHECK(found.front().saves_ns / 1'000'000 == 1'600);
  CHECK(run.look("jobs-one-by-one").empty());
}

// Catches work on data of its own, which has to be done whoever does it, counted for starting it.
TEST_CASE("findings: small pieces of work that each read another file", "[findings]") {
  const auto saved = [](bool own) {
    ProcessesRun run;
    test::LogBuilder& shell = run.shell();
    for (std::uint64_t i = 0; i < 100; ++i) {
      test::LogBuilder& log = run.child("wc -w", i * 16, 12, 10);
      log.header.cpu_ns = log.thread(0).cpu_ns = 10 * kMs;
      log::FileWords words{};
      words.reads = 10;
      words.read_bytes = 4 << 20;
      const auto files = log.node(0, log.special(log::SpecialFrame::Files));
      const std::string file = "/data/" + (own ? std::to_string(i) : std::string("all"));
      log.record(log::RecordClass::File, log.node(files, log.named(log::NameKind::File, file, "file")), words);
    }
    ProcessesRun::wait(shell, "wait4", "child", 1'500);
    const auto found = run.look("many-processes");
    return found.empty() ? 0 : found.front().saves_ns / 1'000'000;
  };
  CHECK(saved(false) == 1'500);
  CHECK(saved(true) == 600);  // all but a millisecond of each 10 is wanted
}

// Catches what recording takes counted for what jobs do.
TEST_CASE("findings: what recording jobs took that run one by one", "[findings]") {
  ProcessesRun run;
  run.shell();
  for (std::uint64_t i = 0; i < 10; ++i) {
    test::LogBuilder& log = run.child("work " + std::to_string(i), i * 190, 180, 170);
    log.header.cpu_ns = log.thread(0).cpu_ns = 170 * kMs;
    log.thread(0).agent_ns = 40 * kMs;
  }
  const auto found = run.look("jobs-one-by-one");
  REQUIRE(found.size() == 1);
  // Three quarters of 1.8 s without ten times 40 ms and 1.3 besides.
  CHECK(found.front().saves_ns == Approx(0.75 * (1'800 - 413) * kMs).epsilon(0.01));
  CHECK(found.front().error_ns > 0);
}

// Catches a claim of time that the commands sleep or wait for a peer, which one for all would, too.
TEST_CASE("findings: what small processes wait for elsewhere is not claimed", "[findings]") {
  const auto look = [](std::uint64_t sleep_ms, std::uint64_t network_ms, std::uint64_t below_ms = 0) {
    ProcessesRun run;
    test::LogBuilder& shell = run.shell();
    for (std::uint64_t i = 0; i < 100; ++i) {
      test::LogBuilder& log = run.child("probe a", i * 20, 15, 2);
      if (sleep_ms > 0) ProcessesRun::wait(log, "clock_nanosleep", "sleep", sleep_ms);
      if (network_ms > 0) ProcessesRun::wait(log, "recv", "network", network_ms);
      const std::uint32_t pid = log.header.pid;
      if (below_ms > 0) ProcessesRun::wait(run.child("sleep", i * 20, 10, 1, pid), "nanosleep", "sleep", below_ms);
    }
    ProcessesRun::wait(shell, "wait4", "child", 1'500);
    return run.look("many-processes");
  };
  CHECK(look(0, 0).front().saves_ns / 1'000'000 == 1'500);
  CHECK(look(4, 3).front().saves_ns / 1'000'000 == 800);
  CHECK(look(10, 5).empty());
  CHECK(look(4, 0, 4).front().saves_ns / 1'000'000 == 1'100);  // side by side
}

TEST_CASE("findings: subshells with commands of their own", "[findings]") {
  ProcessesRun run;
  test::LogBuilder& shell = run.shell();
  for (std::uint64_t i = 0; i < 120; ++i) {
    const std::uint32_t subshell = run.child("/bin/sh build.sh", i * 16, 10, 1).header.pid;
    run.child("tr A-Z a-z", i * 16, 4, 1, subshell);
    if (i == 0) run.child("wc", 0, 4, 1, subshell);
  }
  ProcessesRun::wait(shell, "read", "pipe", 1'600);
  const auto found = run.look("many-processes");
  REQUIRE(found.size() == 1);
  CHECK(
      has(found.front().seen, "120 processes were started, with 121 more below them, and ran tr 120 times, wc once;"));
}

// Catches commands that differ in their words named as if each were the one.
TEST_CASE("findings: what is started for each small piece, as a shell is told", "[findings]") {
  ProcessesRun run;
  test::LogBuilder& shell = run.shell();
  for (std::uint64_t i = 0; i < 100; ++i) run.child("/bin/grep user" + std::to_string(100 + i) + " a*", i * 20, 15, 2);
  ProcessesRun::wait(shell, "wait4", "child", 1'500);
  const auto found = run.look("many-processes");
  REQUIRE(found.size() == 1);
  CHECK(has(found.front().seen, " Most often: grep ... 'a*' (100 times)."));
}

TEST_CASE("findings: one command that reads the same file again and again", "[findings]") {
  ProcessesRun run;
  run.shell();
  const bool same = GENERATE(true, false), reads = GENERATE(true, false);
  const bool piped = GENERATE(false, true);  // it may be given other data each time
  for (std::uint64_t i = 0; i < 10; ++i) {
    test::LogBuilder& log = run.child("/bin/gzip -cd logs.gz" + (same ? "" : std::to_string(i)), i * 120, 100, 90);
    const auto files = log.node(0, log.special(log::SpecialFrame::Files));
    log::FileWords words{};
    words.reads = 10;
    words.read_bytes = reads ? 1 << 20 : 0;
    log.record(
        log::RecordClass::File,
        log.node(files, log.named(log::NameKind::File, "/data/logs.gz" + (same ? "" : std::to_string(i)), "file")),
        words);
    if (!piped) continue;
    words.read_bytes = 1 << 20;
    log.record(log::RecordClass::File, log.node(files, log.named(log::NameKind::File, "pipe:[71]", "pipe")), words);
  }
  const auto found = run.look("same-command");
  REQUIRE(found.size() == (same && reads && !piped ? 1U : 0U));
  if (found.empty()) return;
  CHECK(found.front().saves == Approx(0.9 * 1.0 / 2));
  CHECK(has(found.front().seen, "It was run 10 times, and read logs.gz each time: 900 ms of CPU time"));
  check_place(found.front(), "/bin/gzip -cd logs.gz");
}

// Catches the stages of a pipeline, which live as long as it takes, counted for the small pieces beside them.
TEST_CASE("findings: small pieces of work beside a long one", "[findings]") {
  ProcessesRun run;
  test::LogBuilder& shell = small_pieces(run, 120, 10, 1'600);
  run.child("sort -u", 1'900, 900, 800);
  ProcessesRun::wait(shell, "wait4", "child", 900);
  const auto found = run.look("many-processes");
  REQUIRE(found.size() == 1);
  CHECK(has(found.front().seen, "120 processes were started"));
  CHECK(found.front().saves < 0.9);
}

TEST_CASE("findings: processes that are few, or long, or started by Python", "[findings]") {
  ProcessesRun run;
  SECTION("few") { small_pieces(run, 49, 20, 1'600); }
  SECTION("long") { small_pieces(run, 120, 60, 1'600); }
  SECTION("hardly waited for") { small_pieces(run, 120, 20, 500); }
  SECTION("by Python, whose line another rule names") { run.is_python(small_pieces(run, 120, 20, 1'600)); }
  CHECK(run.look("many-processes").empty());
}

namespace {

// Six jobs, each `apart_ms` after the one before.
test::LogBuilder& jobs(ProcessesRun& run, std::uint64_t life_ms, std::uint64_t apart_ms, std::uint64_t cpu_ms,
                       const char* cpus = "allowed=4", std::uint64_t queue_ms = 0) {
  test::LogBuilder& shell = run.shell(cpus);
  for (std::uint64_t i = 0; i < 6; ++i) {
    log::ThreadUseRecord use{};
    use.known = log::kKnowsRunQueue;
    use.noted_ns = 5;
    use.run_queue_ns = queue_ms * kMs;
    run.child("cc -c a.c", i * apart_ms, life_ms, cpu_ms).thread_uses({use});
  }
  return shell;
}

}  // namespace

TEST_CASE("findings: jobs that run one after the other", "[findings]") {
  for (const std::uint64_t half : {1, 2}) {
    ProcessesRun run;
    jobs(run, 300 / half, 310, 280 / half);
    const auto found = run.look("jobs-one-by-one");
    REQUIRE(found.size() == 1);
    CHECK(found.front().title == "Jobs run one after the other while processors are idle");
    CHECK(found.front().saves == Approx(0.9 * 0.75 / static_cast<double>(half)));
    ProcessesRun hardly;
    jobs(hardly, 300, 310, 260, "allowed=4", 20);
    CHECK(hardly.look("jobs-one-by-one").size() == 1);
    if (half == 1) CHECK(has(found.front().seen, "6 processes of 300 ms on average ran one at a time; there were 4"));
    CHECK(has(found.front().advice, "make -j4, xargs -P4"));
    check_place(found.front(), "/bin/sh build.sh");
  }
}

TEST_CASE("findings: jobs that run side by side, or that wait themselves", "[findings]") {
  ProcessesRun run;
  SECTION("side by side") { jobs(run, 900, 200, 880); }
  SECTION("each waits for something else") { jobs(run, 300, 310, 100); }
  SECTION("one processor") { jobs(run, 300, 310, 280, "allowed=1"); }
  SECTION("short") { jobs(run, 40, 310, 38); }
  SECTION("other programs have the processors") { jobs(run, 300, 310, 180, "allowed=4", 100); }
  SECTION("of a program that has lines") { run.is_python(jobs(run, 300, 310, 280)); }
  CHECK(run.look("jobs-one-by-one").empty());
}

// Catches the loop over small pieces told as a job that another processor could do, and jobs beside it that are not.
TEST_CASE("findings: jobs one after the other, one of them made of small pieces", "[findings]") {
  const auto look = [](bool others, const std::string& rule) {
    ProcessesRun run;
    if (others) {
      jobs(run, 140, 150, 130);
    } else {
      run.shell("allowed=4");
      for (std::uint64_t i = 0; i < 3; ++i) run.child("/bin/sh each.sh", i * 300, 290, 280);
    }
    test::LogBuilder& loop = run.child("/bin/sh each.sh", 900, 1'090, 500);
    const std::uint32_t pid = loop.header.pid;
    for (std::uint64_t i = 0; i < 120; ++i) run.child("touch a", 900 + i * 9, 8, 2, pid);
    ProcessesRun::wait(loop, "wait4", "child", 960);
    return run.look(rule).size();
  };
  CHECK(look(false, "many-processes") == 1);
  CHECK(look(false, "jobs-one-by-one") == 0);
  CHECK(look(true, "many-processes") == 1);
  CHECK(look(true, "jobs-one-by-one") == 1);
}

namespace {

// tar | xz | ssh: `slow_ms` of CPU time in the second one, `next_ms` in the first, and what the two others wait.
test::LogBuilder& pipeline(ProcessesRun& run, std::uint64_t slow_ms, std::uint64_t next_ms, std::uint64_t tar_waits_ms,
                           std::uint64_t ssh_waits_ms) {
  run.shell();
  ProcessesRun::wait(run.child("tar c .", 0, 1'990, next_ms), "write", "pipe", tar_waits_ms);
  ProcessesRun::wait(run.child("ssh backup", 0, 1'990, 10), "read", "pipe", ssh_waits_ms);
  return run.child("/usr/bin/xz -9", 0, 1'990, slow_ms);
}

}  // namespace

TEST_CASE("findings: one slow stage of a pipeline", "[findings]") {
  for (const std::uint64_t half : {1, 2}) {
    ProcessesRun run;
    pipeline(run, half == 1 ? 1'800 : 1'100, half == 1 ? 300 : 350, 1'400, 1'900);
    const auto found = run.look("slow-stage");
    REQUIRE(found.size() == 1);
    CHECK(found.front().title == "One stage of a pipeline holds up the others: xz");
    CHECK(found.front().saves == Approx(0.75 / static_cast<double>(half)));
    if (half == 1)
      CHECK(has(found.front().seen,
                "It was at work for 1.80 s, the busiest of the others computed for 300 ms; 2 processes waited"));
    check_place(found.front(), "/usr/bin/xz -9");
  }
}

TEST_CASE("findings: stages that are alike, or do not wait", "[findings]") {
  ProcessesRun run;
  SECTION("alike") { pipeline(run, 1'800, 1'700, 1'400, 1'900); }
  SECTION("only one waits") { pipeline(run, 1'800, 300, 200, 1'900); }
  SECTION("none has most of the time") { pipeline(run, 900, 100, 1'400, 1'900); }
  SECTION("a program of Python") { run.is_python(pipeline(run, 1'800, 300, 1'400, 1'900)); }
  CHECK(run.look("slow-stage").empty());
}

TEST_CASE("findings: a script that sleeps", "[findings]") {
  for (const std::uint64_t half : {1, 2}) {
    ProcessesRun run;
    run.shell();
    for (std::uint64_t i = 0; i < 4; ++i) run.child("sleep 1", 400 * i, 400 / half, 1);
    run.child("sort words", 0, 200, 200);  // a background job
    const auto found = run.look("sleep-commands");
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx((1.6 / static_cast<double>(half) - 0.2) / 2).epsilon(0.01));
    CHECK(has(found.front().seen, "sleep was run 4 times"));
  }
}

// Catches a script that has nothing to do, pauses that are few, and those in which others are at work.
TEST_CASE("findings: scripts that sleep for a reason", "[findings]") {
  ProcessesRun run;
  SECTION("an idle one") {
    run.shell();
    for (std::uint64_t i = 0; i < 4; ++i) run.child("sleep 1", 400 * i, 400, 1);
  }
  SECTION("one pause") {
    run.shell();
    run.child("sleep 1", 0, 1'000, 1);
    run.child("sort words", 1'000, 500, 500);
  }
  SECTION("a job is at work") {
    run.shell();
    for (std::uint64_t i = 0; i < 4; ++i) run.child("sleep 1", 400 * i, 400, 1);
    run.child("sort words", 0, 1'600, 1'590);
  }
  CHECK(run.look("sleep-commands").empty());
}

TEST_CASE("findings: of small processes, what the one command takes that most of them are", "[findings]") {
  ProcessesRun run;
  auto& shell = run.shell();
  ProcessesRun::wait(shell, "wait4", "child", 1'600);
  for (std::uint64_t i = 0; i < 80; ++i) {
    run.child("git log -1", 20 * i, 16, 10);
    run.child("touch file", 20 * i + 16, 4, 1);
  }
  const auto found = run.look("many-processes");
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.8 * 0.8).epsilon(0.01));
}

TEST_CASE("findings: one process alone starts nobody", "[findings]") {
  test::FindingsRun run;
  for (const char* rule : {"many-processes", "jobs-one-by-one", "slow-stage"})
    CHECK(test::FindingsRun::why_not(run.look(), rule) == "one process ran alone");
}
