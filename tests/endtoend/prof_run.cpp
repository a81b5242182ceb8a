// `prof run`: starts programs as a shell would, and says beforehand what it will not see.
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::test;

namespace fs = std::filesystem;

namespace {

Command prof_run(const TempDir& temp, std::vector<std::string> command, std::vector<std::string> options = {}) {
  std::vector<std::string> argv{prof_program().string(), "run", "-o", (temp / "run").string()};
  argv.insert(argv.end(), options.begin(), options.end());
  argv.push_back("--");
  argv.insert(argv.end(), command.begin(), command.end());
  return Command(argv);
}

}  // namespace

TEST_CASE("prof run passes on output and status, and the run can be reported") {
  TempDir temp;
  const Outcome run = prof_run(temp, {"/bin/sh", "-c", "echo out; echo err >&2; exit 37"}).run();
  INFO(run);
  CHECK(run.exit_code == 37);
  CHECK(run.out == "out\n");
  CHECK(run.err.rfind("err\n", 0) == 0);
  CHECK(Report::of(temp / "run").processes().size() >= 1);
}

TEST_CASE("prof run dies by the signal that killed its program") {
  TempDir temp;
  const Outcome run = prof_run(temp, {"/bin/sh", "-c", "kill -SEGV $$"}).run();
  INFO(run);
  CHECK(run.signal == SIGSEGV);
}

// Catches runners that leave all signals of a terminal to it, though somebody sent one to them alone.
TEST_CASE("prof run passes on the signals that are sent to it, once") {
  const int signal = GENERATE(SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2);
  const bool ignored = GENERATE(false, true);  // as a shell does for what it starts in the background, or nohup
  INFO("signal " << signal << ", ignored before: " << ignored);
  TempDir temp;
  Running running =
      prof_run(temp, {victim_path("tell_signals").string(), (temp / "ready").string(), ignored ? "ignored" : ""})
          .before_exec([=] { ::signal(signal, ignored ? SIG_IGN : SIG_DFL); })
          .start();
  REQUIRE(wait_until([&] { return fs::exists(temp / "ready"); }, 20));
  running.kill(signal);
  const Outcome run = running.wait();
  INFO(run);
  CHECK(run.ok());
  CHECK(run.fact("signal") == signal);
  CHECK(run.fact("times") == 1);
  CHECK(run.fact("was_ignored") == (ignored ? signal : 0));
}

// Catches runners that pass on what the terminal has sent to the program as well.
TEST_CASE("prof run leaves a key of the terminal to the program") {
  TempDir temp;
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  REQUIRE(terminal >= 0);
  REQUIRE((grantpt(terminal) == 0 && unlockpt(terminal) == 0));
  const std::string name = ptsname(terminal);
  Running running = prof_run(temp, {victim_path("tell_signals").string(), (temp / "ready").string(), ""})
                        .before_exec([=] {
                          // In a child of its own, which may lead a session: the terminal's.
                          const pid_t child = fork();
                          if (child > 0) {
                            int status = 0;
                            waitpid(child, &status, 0);
                            _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
                          }
                          if (setsid() < 0) _exit(126);
                          const int fd = open(name.c_str(), O_RDWR);
                          if (fd < 0 || ioctl(fd, TIOCSCTTY, 0) != 0) _exit(126);
                        })
                        .start();
  REQUIRE(wait_until([&] { return fs::exists(temp / "ready"); }, 20));
  const char interrupt = 3;
  REQUIRE(write(terminal, &interrupt, 1) == 1);
  const Outcome run = running.wait();
  close(terminal);
  INFO(run);
  CHECK(run.ok());
  CHECK(run.fact("signal") == SIGINT);
  CHECK(run.fact("times") == 1);
}

// Catches runners under which a debugger stops a hundred times a second.
TEST_CASE("prof run tells gdb to pass ticks on, before all that the user says") {
  TempDir temp;
  const fs::path fake = temp / "x86_64-linux-gnu-gdb", other = temp / "gdbserver";
  for (const fs::path& script : {fake, other}) {
    std::ofstream(script) << "#!/bin/sh\nfor a; do echo \"$a\"; done\n";
    fs::permissions(script, fs::perms::owner_all);
  }
  const Outcome run = prof_run(temp, {fake.string(), "--args", "program"}).run();
  INFO(run);
  CHECK(run.out == "-iex\nhandle SIG62 nostop noprint pass\n--args\nprogram\n");
  CHECK(prof_run(temp, {other.string(), ":1", "program"}, {"--force"}).run().out == ":1\nprogram\n");
}

TEST_CASE("a program under gdb and prof run is not stopped by ticks") {
  if (!Command({"/usr/bin/gdb", "--version"}).run().ok()) return skip("there is no gdb");
  TempDir temp;
  const Outcome run = prof_run(temp, {"gdb", "-nx", "-batch", "-ex", "set startup-with-shell off", "-ex", "run",
                                      "--args", victim_path("burn_shares").string(), "300"})
                          .run();
  INFO(run);
  if (run.out.find("not permitted") != std::string::npos) return skip("no right to trace a process");
  CHECK(run.out.find("SIG62") == std::string::npos);
  CHECK(run.out.find("exited normally") != std::string::npos);
  CHECK(Report::of(temp / "run").cumtime("main") > 0.15);
}

// Nobody in the run waits for it: without prof's own word it ends, for the report, at its last sign of life.
TEST_CASE("of a program that is killed in a call, prof run says when and by which signal") {
  TempDir temp;
  const Outcome run = prof_run(temp, {"/bin/sh", "-c", "(sleep 0.7; kill -9 $$) & exec sleep 60"}).run();
  INFO(run);
  CHECK(run.signal == SIGKILL);
  bool found = false;
  for (const Json& process : Report::of(temp / "run").processes()) {
    if (process.at("argv") != Json({"sleep", "60"})) continue;
    found = true;
    CHECK(process.at("end") == "killed");
    CHECK(process.at("exit_code") == -SIGKILL);
    CHECK(process.at("wall_s").get<double>() > 0.5);
    CHECK(process.at("wall_s").get<double>() < 10);
  }
  CHECK(found);
}

TEST_CASE("prof run hands its options to the agent") {
  TempDir temp;
  const Outcome run =
      prof_run(temp, {victim_path("burn_shares").string(), "500"}, {"--cpu", "500", "--heap", "off", "--depth", "64"})
          .run();
  INFO(run);
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  CHECK(report.cumtime("main") > 0.4);
  const Json& heap = report.section("heap");
  CHECK((heap.is_null() || heap.at("allocations").is_null() || heap.at("sites").empty()));
}

TEST_CASE("prof run answers like a shell when there is nothing to run") {
  TempDir temp;
  CHECK(prof_run(temp, {"does-not-exist-anywhere"}).run().exit_code == 127);
  CHECK(prof_run(temp, {"/etc/passwd"}).run().exit_code == 126);
  CHECK(Command({prof_program().string(), "run", "--cpu", "fast", "--", "/bin/true"}).run().exit_code == 2);
}

// These programs never load the agent: silence would look like a program that did nothing.
// The agent alone would find it out, when the program runs already.
TEST_CASE("prof run refuses a path that is too long before it starts anything") {
  const TempDir temp;
  std::string folders;
  while (folders.size() < 4100) folders += "/folder";
  for (const std::string& out : {folders, folders.substr(1), "/" + std::string(300, 'x'), std::string(5000, 'x')}) {
    const Outcome run =
        Command({prof_program().string(), "run", "--out=" + out, "--", "/bin/echo", "started"}).in(temp.path()).run();
    INFO(run);
    CHECK(run.exit_code == 2);
    CHECK(run.out.empty());
    CHECK(run.error_lines().size() == 1);
    CHECK(run.err.size() < 400);
  }
}

TEST_CASE("prof run warns before a static program") {
  TempDir temp;
  const Outcome run = prof_run(temp, {victim_path("static_hello").string()}).run();
  INFO(run);
  CHECK(run.exit_code == 21);
  CHECK(run.out == "hello from a static program\n");
  CHECK(run.err.find("static") != std::string::npos);
}

TEST_CASE("prof run warns before a setuid program") {
  if (getuid() != 0) return skip("needs root, to make a setuid program");
  TempDir temp;
  const fs::path copy = temp / "setuid_marker";
  fs::copy_file(victim_path("child_marker"), copy);
  REQUIRE(chmod(copy.c_str(), 04755) == 0);
  REQUIRE(chmod(temp.path().c_str(), 0777) == 0);
  const Outcome run = prof_run(temp, {copy.string(), "label", "9"})
                          .before_exec([] {
                            if (setresgid(65534, 65534, 65534) != 0 || setresuid(65534, 65534, 65534) != 0) _exit(126);
                          })
                          .run();
  INFO(run);
  if (run.exit_code == 126 || run.exit_code == 127) return skip("this checkout cannot be read by others");
  CHECK(run.exit_code == 9);
  CHECK(run.out.rfind("child label", 0) == 0);
  CHECK(run.err.find("setuid") != std::string::npos);
}

TEST_CASE("prof run profiles a script's interpreter and what that starts") {
  TempDir temp;
  const fs::path script = temp / "script";
  {
    const Outcome written = Command({"/bin/sh", "-c",
                                     "printf '#!/bin/sh\\n%s marker 3\\n' '" + victim_path("child_marker").string() +
                                         "' > '" + script.string() + "' && chmod +x '" + script.string() + "'"})
                                .run();
    REQUIRE(written.ok());
  }
  const Outcome run = prof_run(temp, {script.string()}).run();
  INFO(run);
  CHECK(run.exit_code == 3);
  CHECK(Report::of(temp / "run").processes("child_marker").size() == 1);
}

TEST_CASE("prof run keeps what was to be preloaded already") {
  TempDir temp;
  const Outcome run = prof_run(temp, {"/bin/sh", "-c", "echo $LD_PRELOAD"}).set("LD_PRELOAD", "libm.so.6").run();
  INFO(run);
  CHECK(run.out.find("libprof.so") < run.out.find("libm.so.6"));
  CHECK(run.out.find("libm.so.6") != std::string::npos);
}
