// Blocked time, compared with programs that wait for known times on known lines and with their own clocks.
#include <algorithm>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/interpreters.hpp"
#include "tests/support/python_stacks.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::test;

namespace {

double seconds(const Outcome& run, const std::string& fact) { return static_cast<double>(run.fact(fact)) * 1e-9; }

// One percent or one millisecond.
Approx near(double s) { return Approx(s).margin(std::max(0.01 * s, 1e-3)).epsilon(0); }

// The row of "blocking" for that function, and for what it waited for, where that is given.
Json call_named(const Report& report, const std::string& name, const std::string& what = "") {
  for (const Json& row : report.section("blocking")) {
    if (row.at("call") == name && (what.empty() || row.at("class") == what)) return row;
  }
  FAIL("no blocking call '" << name << "' in " << report.section("blocking"));
  return {};
}

// The same for a class: CPU time of its calls, by samples. Blocked time is without it, clocks are not.
double cpu_of_class(const Report& report, const std::string& name) {
  double sum = 0;
  for (const Json& row : report.section("blocking")) {
    if (row.at("class") == name) sum += row.at("cpu_s").get<double>();
  }
  return sum;
}

// Of a line of the file of that name, or of all that it calls, by the field.
double of_line(const Report& report, const std::string& file, long long line, const std::string& language,
               const char* field) {
  double sum = 0;
  for (const Json& row : report.section("lines")) {
    if (row.at("language") != language || row.at("line") != line) continue;
    if (std::filesystem::path(row.at("file").get<std::string>()).filename() != file) continue;
    sum += row.at(field).get<double>();
  }
  return sum;
}

// Blocked and CPU time of a line and all that it calls.
double line_wall(const Report& report, const std::string& file, long long line, const std::string& language) {
  return of_line(report, file, line, language, "cumblocked_s") + of_line(report, file, line, language, "cumtime_s");
}

double cumblocked(const Report& report, const std::string& function) {
  double sum = 0;
  for (const Json& row : report.section("functions")) {
    if (is_function(row.at("name"), function)) sum += row.at("cumblocked_s").get<double>();
  }
  return sum;
}

Json thread_of(const Report& report, long long tid) {
  for (const Json& process : report.processes()) {
    for (const Json& thread : process.at("thread_list")) {
      if (thread.at("tid") == tid) return thread;
    }
  }
  FAIL("no thread " << tid);
  return {};
}

// What the machine takes of a run that is ready to go on, and the kernel does not tell: a hypervisor, a page of a file
// that comes from disk.
constexpr double kMachine = 0.03;

// Whether wall time is what its parts are, up to a residual of two percent.
void check_adds_up(const Json& split) {
  INFO(split);
  const double wall = split.at("wall_s"), residual = split.at("residual_s");
  const double run_queue = split.at("run_queue_s").is_null() ? 0 : split.at("run_queue_s").get<double>();
  CHECK(split.at("cpu_s").get<double>() + split.at("blocked_s").get<double>() + run_queue + residual ==
        Approx(wall).margin(1e-6));
  CHECK(residual < 0.02 * wall + kMachine);
  CHECK(residual > -0.001 * wall);
  double classes = 0;
  for (const Json& part : split.at("blocked")) classes += part.get<double>();
  CHECK(classes == Approx(split.at("blocked_s").get<double>()).margin(1e-6));
}

}  // namespace

// Catches waits that are sampled instead of measured, waits that are booked on another class or line, calls whose CPU
// time counts twice, and residuals that are hidden in what is next to them.
TEST_CASE("waits of known times come out by class, call, function and line within 1 % or 1 ms") {
  TempDir temp;
  const Outcome run = Command::victim("wait_truth").profiled(temp / "run").set("PROF_CPU", "1000").run();
  INFO(run);
  REQUIRE(run.ok());
  const Report all = Report::of(temp / "run");
  const Report report = Report::of(temp / "run", {"--thread", std::to_string(run.fact("tid_main"))});

  const Json split = thread_of(all, run.fact("tid_main")).at("split");
  check_adds_up(split);
  const auto blocked = [&](const char* what) {
    return split.at("blocked").at(what).get<double>() + cpu_of_class(report, what);
  };
  CHECK(blocked("sleep") == near(seconds(run, "ns_sleep")));
  CHECK(blocked("pipe") == near(seconds(run, "ns_pipe")));
  CHECK(blocked("network") == near(seconds(run, "ns_socket")));
  CHECK(blocked("child") == near(seconds(run, "ns_child")));
  CHECK(blocked("poll") == near(seconds(run, "ns_poll")));
  CHECK(blocked("lock") == near(seconds(run, "ns_mutex") + seconds(run, "ns_condition") + seconds(run, "ns_semaphore") +
                                seconds(run, "ns_join") + seconds(run, "ns_other_locks")));
  // These calls had nothing to wait for: what is blocked in them is what the scheduler took away, and the error of
  // samples.
  CHECK(split.at("blocked").at("file").get<double>() <
        seconds(run, "ns_reads") - seconds(run, "cpu_ns_reads") + 0.1 * seconds(run, "cpu_ns_reads") + 10e-3);
  // The program's clock has what the loader took before the agent began, and what the agent did before main is ours.
  const double by_clock = seconds(run, "cpu_ns_main"), tolerance = 2e-3 + 0.01 * by_clock;
  CHECK(split.at("cpu_s").get<double>() <= by_clock + tolerance);
  CHECK(split.at("cpu_s").get<double>() >= by_clock - seconds(run, "cpu_ns_before") - tolerance);

  const struct {
    const char *fact, *call, *function;
  } parts[] = {
      {"sleep", "nanosleep", "wait_sleep"},
      {"pipe", "read", "wait_pipe"},
      {"mutex", "pthread_mutex_lock", "wait_mutex"},
      {"condition", "pthread_cond_wait", "wait_condition"},
      {"socket", "recv", "wait_socket"},
      {"child", "waitpid", "wait_child"},
      {"poll", "poll", "wait_poll"},
      {"semaphore", "sem_wait", "wait_semaphore"},
      {"join", "pthread_join", "wait_join"},
  };
  for (const auto& part : parts) {
    INFO(part.fact);
    const double took = seconds(run, std::string("ns_") + part.fact);
    const Json row = call_named(report, part.call);
    INFO(row);
    CHECK(row.at("max_s").get<double>() == near(took));
    CHECK(row.at("calls").get<long>() >= 1);
    CHECK(line_wall(report, "wait_truth.c", run.fact(std::string("line_") + part.fact), "native") == near(took));
    // Its helper was waited for, too.
    // A CPU sample that comes in the call, as the thread wakes, is taken from its blocked time with all that it weighs.
    // Its clock also saw what the agent did after the call, once a second the most.
    CHECK(cumblocked(report, part.function) + row.at("cpu_s").get<double>() >= took - std::max(2e-3, took / 100));
    CHECK(cumblocked(report, part.function) <= took + seconds(run, "ns_other_locks") + 2e-3);
  }
  for (const char* once : {"nanosleep", "recv", "waitpid", "poll"}) CHECK(call_named(report, once).at("calls") == 1);
  const Json reads = call_named(report, "pread");
  CHECK(reads.at("calls") == run.fact("reads"));
  CHECK(reads.at("bytes") == 8 * run.fact("reads"));
  CHECK(reads.at("total_s").get<double>() < seconds(run, "ns_reads"));
  CHECK(reads.at("failed") == 0);
  CHECK(cumblocked(report, "burn") < 1e-3);
}

// Catches residuals that are booked as CPU time, or not at all.
TEST_CASE("a wait that nobody sees is a residual and no CPU time", "[alone]") {
  TempDir temp;
  const Outcome run = Command::victim("wait_truth", {"1000"}).profiled(temp / "run").run();
  INFO(run);
  REQUIRE(run.ok());
  const Report all = Report::of(temp / "run");
  const Json split = thread_of(all, run.fact("tid_unseen")).at("split");
  INFO(split);
  CHECK(split.at("residual_s").get<double>() == Approx(seconds(run, "ns_unseen")).margin(0.01));
  CHECK(split.at("cpu_s").get<double>() == Approx(seconds(run, "cpu_ns_unseen")).margin(2e-3));
  CHECK(split.at("blocked_s").get<double>() < 1e-3);
  CHECK(split.at("wall_s").get<double>() >= seconds(run, "ns_unseen"));
  // And no other thread has one.
  for (const Json& process : all.processes()) {
    for (const Json& thread : process.at("thread_list")) {
      if (thread.at("tid") == run.fact("tid_unseen") || thread.at("split").at("wall_s") < 0.05) continue;
      INFO(thread);
      check_adds_up(thread.at("split"));
    }
  }
}

// Catches event loops whose waits are on their own lines, coroutines that are found by the layout of another version,
// and chains that end at a task, an asynchronous generator or an object with __await__().
TEST_CASE("what an event loop waits for stands on the lines that its main task awaits") {
  for (const Interpreter& interpreter : all_interpreters()) {
    DYNAMIC_SECTION(interpreter.program.string() << " " << interpreter.version) {
      TempDir temp;
      const Outcome run = python_victim(interpreter, "awaiting.py").profiled(temp / "run").run();
      INFO(run);
      REQUIRE(run.ok());
      const Report report = Report::of(temp / "run", {"--thread", std::to_string(run.fact("tid_main"))});
      // A task that blocks the loop is no wait of the loop's.
      for (const char* part : {"asked", "generated", "task", "gathered", "locked", "object", "blocked"}) {
        INFO(part);
        const double took = seconds(run, std::string("ns_") + part);
        const double found = line_wall(report, "awaiting.py", run.fact(std::string("line_") + part), "python");
        CHECK(found <= took + 25e-3);  // a late tick books what passed before it
        CHECK(found >= 0.85 * took - 1e-3);
      }
      CHECK(line_wall(report, "awaiting.py", run.fact("line_waited"), "python") <= 25e-3);
    }
  }
}

// Catches waits that hang on the interpreter's loop instead of the line of Python, and those of other threads.
TEST_CASE("waits of Python come out on their lines within 1 % or 1 ms") {
  // What late ticks left over of the CPU time before, this much at most, is booked where a tick meets a system call.
  constexpr double kLateTick = 20e-3;
  // The program's clock goes on until the interpreter has its lock again, and the machine a processor for it.
  constexpr double kAfter = 5e-3;
  REQUIRE_FALSE(interpreters().empty());
  for (const Interpreter& interpreter : interpreters()) {
    DYNAMIC_SECTION(interpreter.program.string() << " " << interpreter.version) {
      TempDir temp;
      const Command victim = python_victim(interpreter, "wait_truth.py");
      // An interpreter that the disk has to bring waits in page faults, which are a residual.
      REQUIRE(Command(victim).run().ok());
      const Outcome run = Command(victim).profiled(temp / "run").set("PROF_CPU", "1000").run();
      INFO(run);
      REQUIRE(run.ok());
      const Report all = Report::of(temp / "run");
      const Report report = Report::of(temp / "run", {"--thread", std::to_string(run.fact("tid_main"))});
      for (const char* part : {"sleep", "queue", "child", "socket", "pipe", "poll", "lock"}) {
        INFO(part);
        const double took = seconds(run, std::string("ns_") + part);
        // A child has to be started first, and that takes the CPU: so more or less all of it.
        const double other = std::string(part) == "child" ? 0.1 : 0;
        const double found = line_wall(report, "wait_truth.py", run.fact(std::string("line_") + part), "python");
        CHECK(of_line(report, "wait_truth.py", run.fact(std::string("line_") + part), "python", "cumblocked_s") <=
              took + 1e-3);
        CHECK(found <= took + 2e-3 + kLateTick);
        CHECK(found >= took - std::max(0.01 * took, kAfter) - other);
      }
      // Of the line itself, where no Python code stands between it and the call.
      for (const char* part : {"sleep", "socket", "pipe", "poll", "lock"}) {
        INFO(part);
        const double took = seconds(run, std::string("ns_") + part);
        const auto own = [&](const char* field) {
          return of_line(report, "wait_truth.py", run.fact(std::string("line_") + part), "python", field);
        };
        CHECK(own("blocked_s") <= took + 1e-3);
        CHECK(own("blocked_s") >= took - std::max(0.01 * took, kAfter) - kLateTick);
        CHECK(own("blocked_s") + own("cpu_python_s") + own("cpu_native_s") >= took - std::max(0.01 * took, kAfter));
      }
      CHECK(call_named(report, "read", "file").at("bytes").get<long long>() >= run.fact("bytes_file"));
      check_adds_up(thread_of(all, run.fact("tid_main")).at("split"));
    }
  }
}
