// Every process image of a run has its log, and is linked to its parent.
#include <signal.h>

#include <iterator>
#include <sstream>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::test;

namespace {

// Numbers behind lines that begin with `word`.
std::vector<long> numbers_after(const std::string& text, const std::string& word, std::size_t column = 1) {
  std::vector<long> numbers;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::vector<std::string> columns{std::istream_iterator<std::string>(words), {}};
    if (columns.size() > column && columns[0] == word) numbers.push_back(std::stol(columns[column]));
  }
  return numbers;
}

bool has_argument(const Json& process, const std::string& text) {
  if (!process.at("argv").is_array()) return false;
  for (const Json& a : process.at("argv")) {
    if (a.is_string() && a.get<std::string>().find(text) != std::string::npos) return true;
  }
  return false;
}

const Json* with_pid(const std::vector<Json>& processes, long pid) {
  for (const Json& p : processes) {
    if (p.at("pid").get<long>() == pid) return &p;
  }
  return nullptr;
}

Report profiled_python(const TempDir& temp, const std::string& method, Outcome& run) {
  run = Command({"/usr/bin/python3", (source_dir() / "tests/victims/multiprocess.py").string(), method})
            .profiled(temp / "run")
            .run();
  INFO(run);
  REQUIRE(run.ok());
  return Report::of(temp / "run");
}

}  // namespace

// Catches agents that reach children through the environment alone: these parents wipe it, each by another call.
TEST_CASE("a child that was given an empty environment is profiled") {
  const std::string how =
      GENERATE(as<std::string>{}, "execve", "execve-null", "execle", "execvpe", "fexecve", "execveat", "clearenv-execv",
               "clearenv-execl", "clearenv-execvp", "clearenv-execlp", "environ-execv", "environ-execvp", "vfork",
               "spawn-empty", "spawn-null", "system", "popen", "exec-self");
  INFO("started by " << how);
  TempDir temp;
  const Outcome run = Command::victim("children", {how}).profiled(temp / "run").run();
  INFO(run);
  REQUIRE(run.ok());
  const std::vector<long> children = numbers_after(run.out, "child", 2);
  REQUIRE(children.size() == 1);
  const Report report = Report::of(temp / "run");
  const std::vector<Json> images = report.processes("child_marker");
  REQUIRE(images.size() == 1);
  CHECK(images[0].at("pid").get<long>() == children[0]);
  CHECK(images[0].at("ppid").get<long>() == numbers_after(run.out, "child", 3).at(0));
  CHECK(images[0].at("cpu_s").get<double>() > 0.02);
  CHECK(images[0].at("cpu_s").get<double>() < 0.2);  // not what the image before it had used
  CHECK(images[0].at("end") == "exit");
  REQUIRE(report.processes("children").size() >= 1);
  // The child's environment has what the parent gave it, and our own variables at most: among them those in which
  // libraries look for a tool.
  const std::string agent = agent_library().string();
  std::istringstream lines(run.out);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("env ", 0) != 0) continue;
    const std::string variable = line.substr(line.find(' ', 4) + 1);
    const bool door = variable == "NVTX_INJECTION64_PATH=" + agent || variable == "INTEL_LIBITTNOTIFY64=" + agent ||
                      variable == "CUDA_INJECTION64_PATH=" + agent ||
                      variable == "INTEL_JIT_PROFILER64=" + agent.substr(0, agent.rfind('/') + 1) + "libprof_jit.so";
    const bool ours = door || variable.rfind("LD_PRELOAD=", 0) == 0 || variable.rfind("PROF_", 0) == 0;
    // A shell sets a few variables by itself.
    CHECK((ours || how == "system" || how == "popen"));
  }
}

// Catches agents whose first process has the run only in what its hooks pass on: libc's own spawns, several at a
// moment, would each begin a run of their own.
TEST_CASE("shells that several threads start at once are of one run") {
  TempDir temp;
  const Outcome printed = Command({"/usr/bin/printenv", "PROF_RUN"}).profiled(temp / "one").run();
  CHECK(printed.out.substr(printed.out.find(':') + 1) == (temp / "one").string() + "\n");
  for (int round = 0; round < 10; ++round) {
    const auto directory = temp / std::to_string(round);
    REQUIRE(Command::victim("shells_at_once").profiled(directory).run().ok());
    CHECK(Report::of(directory).processes("").size() == 7);
  }
}

// Catches agents that put an environment back as it was before, and lose what stood behind it.
TEST_CASE("what a program changes in its environment meanwhile stays, and the auxiliary vector behind it") {
  const auto how = GENERATE(values<std::vector<std::string>>(
      {{"cleared"}, {"unset", "LD_PRELOAD"}, {"unset", "PROF_RUN"}, {"unset", "PROF_OUT"}, {"auxiliary"}}));
  INFO(how.back());
  TempDir temp;
  const Outcome run = Command::victim("environment_changes", how).profiled(temp / "run").run();
  INFO(run);
  CHECK(run.ok());
}

// Catches agents that hand the parent's identity to its exec'ed image, or forget one of the two.
TEST_CASE("a process that execs is there twice, once for each image") {
  TempDir temp;
  const Outcome run = Command::victim("children", {"exec-self"}).profiled(temp / "run").run();
  REQUIRE(run.ok());
  const std::vector<Json> images = Report::of(temp / "run").images_of(run.pid);
  REQUIRE(images.size() == 2);
  CHECK(images[0].at("exe").get<std::string>().find("/children") != std::string::npos);
  CHECK(images[0].at("end") == "exec");
  CHECK(images[1].at("exe").get<std::string>().find("/child_marker") != std::string::npos);
  CHECK(images[1].at("end") == "exit");
}

// Catches logs that are written when a process ends in an orderly way.
TEST_CASE("forked children that end without any clean-up have complete logs") {
  TempDir temp;
  const Outcome run = Command::victim("fork_exit").profiled(temp / "run").run();
  INFO(run);
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  struct Expected {
    const char* how;
    const char* end;
    int exit_code;
  };
  for (const Expected& e :
       {Expected{"_exit", "exit", 5}, Expected{"kill", "killed", -SIGKILL}, Expected{"abort", "killed", -SIGABRT},
        Expected{"quick_exit", "exit", 6}, Expected{"exit", "exit", 7}, Expected{"exit_group", "exit", 8}}) {
    INFO(e.how);
    const std::vector<Json> images = report.images_of(run.fact(e.how));
    REQUIRE(images.size() == 1);
    CHECK(images[0].at("ppid").get<long>() == run.pid);
    CHECK(images[0].at("end") == e.end);
    CHECK(images[0].at("exit_code") == e.exit_code);
    // Whoever cannot note its end may lack its last 100 ms, as far as ticks are late on a busy machine.
    const bool noted =
        e.how == std::string("_exit") || e.how == std::string("quick_exit") || e.how == std::string("exit");
    CHECK(images[0].at("cpu_s").get<double>() > (noted ? 0.155 : 0.06));
    CHECK(images[0].at("cpu_s").get<double>() < 0.2);
  }
}

// Catches agents that lose a child with its pipe, shells that exec, and the tools that gcc starts by vfork.
TEST_CASE("a shell pipeline in which gcc compiles a file shows every process") {
  TempDir temp;
  const std::string script =
      "printf 'int main(void){return 0;}' | gcc -x c - -c -o out.o && nm out.o | grep main | wc -l";
  const Outcome run = Command({"/bin/sh", "-c", script}).in(temp.path()).profiled(temp / "run").run();
  INFO(run);
  REQUIRE(run.ok());
  CHECK(run.out == "1\n");
  const Report report = Report::of(temp / "run");
  for (const char* argument : {"gcc", "cc1", "nm", "grep", "wc"}) {
    INFO(argument);
    bool found = false;
    for (const Json& p : report.processes()) found |= has_argument(p, argument) && !has_argument(p, "printf");
    CHECK(found);
  }
  // cc1 and as are children of the gcc driver, and that of the shell.
  const std::vector<Json> all = report.processes();
  for (const Json& p : all) {
    if (!has_argument(p, "cc1")) continue;
    const Json* parent = with_pid(all, p.at("ppid").get<long>());
    REQUIRE(parent != nullptr);
  }
  for (const Json& p : all)
    CHECK((p.at("pid").get<long>() == run.pid || with_pid(all, p.at("ppid").get<long>()) != nullptr));
}

// Catches agents that write at exit: these workers end by os._exit. And those that break on fork inside python.
TEST_CASE("multiprocessing's fork workers are there with their parent") {
  const TempDir temp;
  Outcome run;
  const Report report = profiled_python(temp, "fork", run);
  const std::vector<long> workers = numbers_after(run.out, "worker");
  REQUIRE(workers.size() == 2);
  for (long pid : workers) {
    const std::vector<Json> images = report.images_of(pid);
    REQUIRE(images.size() == 1);
    CHECK(images[0].at("ppid").get<long>() == run.pid);
    CHECK(images[0].at("cpu_s").get<double>() == Approx(0.11).margin(0.06));
    CHECK(images[0].at("end") == "exit");
    CHECK(images[0].at("exit_code") == 0);
  }
}

TEST_CASE("multiprocessing's spawn workers are there with their parent") {
  const TempDir temp;
  Outcome run;
  const Report report = profiled_python(temp, "spawn", run);
  const std::vector<long> workers = numbers_after(run.out, "worker");
  REQUIRE(workers.size() == 2);
  for (long pid : workers) {
    bool found = false;
    for (const Json& image : report.images_of(pid)) {
      found |=
          has_argument(image, "spawn_main") && image.at("ppid").get<long>() == run.pid && image.at("end") == "exit";
    }
    CHECK(found);
  }
}

// Catches links by the parent's pid alone: the parent of a daemon is gone when it starts to live.
TEST_CASE("a daemon made by two forks is there, below the process that made it") {
  adopt_orphans();
  TempDir temp;
  const Outcome run = Command::victim("children", {"double-fork"}).profiled(temp / "run").run();
  REQUIRE(run.ok());
  REQUIRE(wait_for_orphans(10));
  const Report report = Report::of(temp / "run");
  const long middle = run.fact("middle");
  const std::vector<Json> all = report.processes();
  REQUIRE(all.size() == 3);
  const Json* between = with_pid(all, middle);
  REQUIRE(between != nullptr);
  CHECK(between->at("parent_pid").get<long>() == run.pid);
  for (const Json& p : all) {
    const long pid = p.at("pid").get<long>();
    if (pid == middle || pid == run.pid) continue;
    CHECK(p.at("parent_pid").get<long>() == middle);
    CHECK(p.at("cpu_s").get<double>() == Approx(0.05).margin(0.03));
    CHECK(p.at("end") == "exit");
  }
}

TEST_CASE("a process that becomes a daemon by daemon(3) is there") {
  adopt_orphans();
  TempDir temp;
  const Outcome run = Command::victim("children", {"daemon"}).profiled(temp / "run").run();
  REQUIRE(run.ok());
  REQUIRE(wait_for_orphans(10));
  const std::vector<Json> all = Report::of(temp / "run").processes();
  REQUIRE(all.size() == 2);
  const Json& daemon = all[0].at("pid").get<long>() == run.pid ? all[1] : all[0];
  CHECK(daemon.at("parent_pid").get<long>() == run.pid);
  CHECK(daemon.at("cpu_s").get<double>() == Approx(0.05).margin(0.03));
}

// Catches agents that ignore the wish to be left alone below the first process.
TEST_CASE("PROF_CHILDREN=off profiles the first process alone") {
  TempDir temp;
  const Outcome run = Command::victim("fork_exit").profiled(temp / "run").set("PROF_CHILDREN", "off").run();
  REQUIRE(run.ok());
  CHECK(Report::of(temp / "run").processes().size() == 1);
}

// Catches images that inherit the CPU time of the ones before them in the same process.
TEST_CASE("each image of a process that execs again and again has its own CPU time") {
  TempDir temp;
  const Outcome run = Command::victim("exec_chain", {"15"}).profiled(temp / "run").run();
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  const std::vector<Json> images = report.images_of(run.pid);
  REQUIRE(images.size() == 16);
  for (const Json& image : images) CHECK(image.at("cpu_s").get<double>() == Approx(0.022).margin(0.012));
  CHECK(report.cpu_s() <= static_cast<double>(run.fact("cpu_ns")) * 1e-9 * 1.01);
  CHECK(report.cpu_s() > 16 * 0.02);
}

// Catches relative paths that are resolved anew in every process.
TEST_CASE("a relative run directory is the same for all processes, wherever they are") {
  TempDir temp, elsewhere;
  const std::string marker = victim_path("child_marker").string();
  const std::string script = "cd '" + elsewhere.path().string() + "'; '" + marker + "' a; '" + marker + "' b";
  const Outcome run = Command({"/bin/sh", "-c", script}).in(temp.path()).profiled("relative-run").run();
  INFO(run);
  REQUIRE(run.ok());
  CHECK(Report::of(temp / "relative-run").processes("child_marker").size() == 2);
  CHECK(std::filesystem::is_empty(elsewhere.path()));
}

TEST_CASE("without a name the run directory is made in the working directory, and prof finds it") {
  TempDir temp;
  const Outcome run = Command::victim("children", {"vfork"}).in(temp.path()).profiled("").unset("PROF_OUT").run();
  INFO(run);
  REQUIRE(run.ok());
  std::vector<std::filesystem::path> made{std::filesystem::directory_iterator(temp.path()), {}};
  REQUIRE(made.size() == 1);
  CHECK(made[0].filename().string().rfind("prof-", 0) == 0);
  CHECK(Report::of(made[0]).processes().size() >= 2);
  const Outcome report = Command({prof_program().string(), "report"}).in(temp.path()).run();
  INFO(report);
  CHECK(report.ok());
  CHECK(report.out.find("child_marker") != std::string::npos);
}
