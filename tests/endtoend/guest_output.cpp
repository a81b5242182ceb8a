// Programs print, return and end under the agent as they do alone.
#include <signal.h>
#include <unistd.h>

#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::test;

// Catches agents that print on stdout, leave descriptors or variables behind that show, or fail in small programs.
TEST_CASE("everyday programs print the same, byte for byte") {
  const auto argv = GENERATE(values<std::vector<std::string>>({
      {"/bin/true"},
      {"/bin/false"},
      {"/bin/ls", "-l", "/usr/bin"},
      {"/bin/sh", "-c", "for i in 1 2 3; do echo $i | cat; done; exit 37"},
      {"/bin/sh", "-c", "ls /dev/fd/ | wc -l; ls /does/not/exist; kill -TERM $$"},
      {"/bin/bash", "-c", "cat <(echo a) <(echo b); coproc cat; echo ${#COPROC[@]}; ulimit -a; trap"},
      {"/usr/bin/python3", "-c",
       "import os, sys, threading, signal, json; print(sys.argv, json.dumps({'a': 1})); "
       "print(threading.active_count());"
       "print([signal.getsignal(s) for s in range(34, 65)]); print(sorted(os.listdir('/proc/self/fd')));"
       "print(signal.pthread_sigmask(signal.SIG_BLOCK, [])); sys.exit(3)"},
      {"/usr/bin/python3", "-c", "import ctypes; ctypes.string_at(0)"},
      {"/usr/bin/python3", "-c", "raise SystemError('x')"},
      {"/usr/bin/env", "-i", "/bin/echo", "bare"},
      {"/usr/bin/gcc", "-v"},
      {"/bin/sh", "-c", "grep -E 'SigBlk|SigIgn|ShdPnd|Threads' /proc/self/status; exec grep SigBlk /proc/self/status"},
      {"/bin/bash", "-c",
       "for s in PROF VTALRM RTMIN RTMIN+{1..15} RTMAX-{0..14}; do trap '' $s; done;"
       "exec /usr/bin/python3 -c 'import signal; print([signal.getsignal(s) for s in range(26, 65)])'"},
      {"/usr/bin/unshare", "--user", "/bin/echo", "single-threaded"},
      {"/usr/bin/timeout", "0.2", "/bin/sleep", "5"},
      {"/usr/bin/xargs", "-n1", "-P4", "/bin/echo", "-n"},
      {"/usr/bin/find", "/etc", "-maxdepth", "1", "-name", "p*", "-exec", "/bin/echo", "{}", "+"},
  }));
  std::string line;
  for (const std::string& a : argv) line += a + " ";
  INFO(line);
  TempDir temp;
  check_same(run_both_ways(Command(argv), temp / "run"));
}

// Catches agents that depend on an orderly end, or change one.
TEST_CASE("programs end as they do alone, and their logs know how") {
  struct Way {
    const char* how;
    const char* end;
    int exit_code;
  };
  const Way way = GENERATE(values<Way>({{"return", "exit", 10},
                                        {"exit", "exit", 10},
                                        {"_exit", "exit", 10},
                                        {"_Exit", "exit", 10},
                                        {"quick_exit", "exit", 10},
                                        {"abort", "killed", -SIGABRT},
                                        {"segv", "killed", -SIGSEGV},
                                        {"term", "killed", -SIGTERM},
                                        {"kill", "killed", -SIGKILL},
                                        {"thread-exit", "exit", 11},
                                        {"main-leaves", "exit", 12},
                                        {"exec-fails", "exit", 13},
                                        {"exit_group", "exit", 10}}));
  INFO(way.how);
  TempDir temp;
  const BothWays both = run_both_ways(Command::victim("endings", {way.how}), temp / "run");
  check_same(both);
  const Report report = Report::of(temp / "run");
  const std::vector<Json> images = report.images_of(both.with.pid);
  REQUIRE(images.size() == 1);
  INFO(images[0].dump());
  // Nobody who is watched waited for this process: how it was killed cannot be known, only that it was.
  const bool ended_by_itself = std::string(way.end) == "exit" && std::string(way.how) != "exit_group";
  if (ended_by_itself) {
    CHECK(images[0].at("end") == way.end);
    CHECK(images[0].at("exit_code") == way.exit_code);
  } else {
    CHECK((images[0].at("end") == "killed" || images[0].at("end") == "unknown"));
  }
  CHECK(report.allocations() >= 5000);
  CHECK(report.cumtime("main") > 0.02);  // of the last 100 ms of a killed program nothing is promised
}

// Catches notices that go to a number which was stderr once.
TEST_CASE("a program started without stderr keeps its own files clean") {
  TempDir temp;
  const std::string file = (temp / "file").string();
  const Outcome run = Command({"/bin/sh", "-c", "exec 2>'" + file + "'; /bin/echo text >&2; /bin/ls / >/dev/null"})
                          .before_exec([] { close(2); })
                          .set("PROF_NONSENSE", "1")
                          .set("PROF_CPU", "a lot")
                          .profiled(temp / "run")
                          .run();
  REQUIRE(run.ok());
  std::ifstream stream(file);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  // Later processes of the run have a stderr and may write there what the first could not say, one line each.
  CHECK(text.find("text\n") != std::string::npos);
}

// Catches agents whose notices repeat in every child.
TEST_CASE("a mistyped option is named on stderr, once in a run, and ignored") {
  TempDir temp;
  const Command bare({"/bin/sh", "-c", "/bin/true; /bin/true; /bin/echo fine"});
  const Outcome run = Command(bare).set("PROF_CUP", "100").profiled(temp / "run").run();
  INFO(run);
  CHECK(run.ok());
  CHECK(run.out == "fine\n");
  REQUIRE(run.error_lines().size() == 1);
  CHECK(run.error_lines()[0].find("PROF_CUP") != std::string::npos);

  const Outcome value = Command(bare).set("PROF_CPU", "fast").profiled(temp / "run2").run();
  CHECK(value.out == "fine\n");
  REQUIRE(value.error_lines().size() == 1);
  CHECK(value.error_lines()[0].find("PROF_CPU") != std::string::npos);

  const Outcome quiet = Command(bare).set("PROF_CUP", "100").set("PROF_QUIET", "on").profiled(temp / "run3").run();
  CHECK(quiet.out == "fine\n");
  CHECK(quiet.err.empty());
}

TEST_CASE("an unpaired or empty setting harms nobody") {
  const std::string value =
      GENERATE(as<std::string>{}, "", "-1", "0", "99999999999999999999", "\xff\xfe", "sampled:", "sampled:0", "on");
  const std::string name = GENERATE(as<std::string>{}, "PROF_CPU", "PROF_HEAP", "PROF_DEPTH", "PROF_LOG_MAX",
                                    "PROF_TICKS", "PROF_RUN", "PROF_UNWINDER", "PROF_CHILDREN");
  INFO(name << "=" << value);
  TempDir temp;
  const Outcome run = Command({"/bin/echo", "fine"}).profiled(temp / "run").set(name, value).run();
  INFO(run);
  CHECK(run.ok());
  CHECK(run.out == "fine\n");
  CHECK(run.error_lines().size() <= 1);
}

// Catches command lines that are kept although the user asked for them to be left out.
TEST_CASE("PROF_CMDLINE=off leaves the arguments out of the log") {
  TempDir temp;
  const Outcome run = Command::victim("child_marker", {"top-secret-word"})
                          .set("ANOTHER_SECRET", "never-recorded")
                          .profiled(temp / "run")
                          .set("PROF_CMDLINE", "off")
                          .run();
  REQUIRE(run.ok());
  REQUIRE(logs_in(temp / "run").size() == 1);
  std::ifstream stream(logs_in(temp / "run")[0], std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  CHECK(bytes.find("top-secret-word") == std::string::npos);
  CHECK(bytes.find("never-recorded") == std::string::npos);
}

// Catches logs that others may read, or that follow a planted link.
TEST_CASE("run directory and logs belong to their user alone") {
  TempDir temp;
  const Outcome run = Command::victim("child_marker").profiled(temp / "deep" / "er" / "run").run();
  REQUIRE(run.ok());
  const auto made = std::filesystem::exists(temp / "deep/er/run") ? temp / "deep/er/run" : std::filesystem::path();
  if (!made.empty()) {
    CHECK((std::filesystem::status(made).permissions() & std::filesystem::perms::mask) ==
          std::filesystem::perms::owner_all);
    for (const auto& log : logs_in(made)) {
      CHECK((std::filesystem::status(log).permissions() & std::filesystem::perms::mask) ==
            (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
    }
  } else {
    CHECK(run.error_lines().size() == 1);  // it does not make parents, and says so
  }
}

// Catches agents that cost small programs a large file each.
TEST_CASE("a program that does nothing leaves a log of 64 KiB at most, or none") {
  TempDir temp;
  const Outcome run = Command({"/bin/true"}).profiled(temp / "run").run();
  REQUIRE(run.ok());
  CHECK(disk_bytes(temp / "run") <= 65536);
  for (const auto& log : logs_in(temp / "run")) CHECK(std::filesystem::file_size(log) <= 65536);
}
