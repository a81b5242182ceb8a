// Signals and sleeps belong to the host.
#include "tests/support/catch.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::test;

// Catches agents that own SIGPROF or a fixed real-time signal, whose ticks reach a handler of the host, or who show up
// when the host asks what is installed.
TEST_CASE("a host that takes SIGPROF and every real-time signal receives its own signals alone") {
  const std::string ticks = GENERATE(as<std::string>{}, "auto", "timer");
  TempDir temp;
  check_survives(Command::victim("all_signals").set("PROF_CPU", "1000").set("PROF_TICKS", ticks), temp / "run");
  // While there was a free signal, there were samples.
  CHECK(Report::of(temp / "run").cpu_s() > 0.3);
}

// Catches agents that tick by a signal which the child's table, copied before its memory, knows nothing of; and who
// give the forking thread back a mask that is not its own.
TEST_CASE("children forked while the ticks move to other signals end well, with the signals blocked that were") {
  TempDir temp;
  check_survives(Command::victim("fork_as_signals_move").set("PROF_CPU", "5000"), temp / "run");
}

// Catches ticks that a thread arms by a signal that was just given to the program: its handler would get them, or they
// end the program.
TEST_CASE("a host that takes signals while threads start gets no ticks by them") {
  const std::string hz = GENERATE(as<std::string>{}, "100", "1000", "5000");
  TempDir temp;
  const Outcome run = check_survives(Command::victim("take_as_threads_start").set("PROF_CPU", hz), temp / "run");
  CHECK(run.fact("foreign") == 0);
}

// Catches wall-clock samplers and handlers without care for the calls that SA_RESTART does not restart.
TEST_CASE("sleeping calls keep their time and are not interrupted at 1 kHz", "[alone]") {
  const std::string ticks = GENERATE(as<std::string>{}, "auto", "timer");
  TempDir temp;
  check_survives(Command::victim("keep_time", {"8"}).set("PROF_CPU", "1000").set("PROF_TICKS", ticks).limit(60),
                 temp / "run");
  CHECK(Report::of(temp / "run").cumtime("burn_beside") > 0.5);
}

// Catches unwinders that lose their way, or the host's stack, where control does not flow in calls and returns.
TEST_CASE("exceptions and longjmp work at 1 kHz, and their time is seen") {
  TempDir temp;
  const Outcome run = check_survives(Command::victim("exceptions").set("PROF_CPU", "1000"), temp / "run");
  const Report report = Report::of(temp / "run");
  CHECK(report.tottime_of_all() == Approx(static_cast<double>(run.fact("cpu_ns")) * 1e-9).epsilon(0.01).margin(0.01));
  CHECK(report.cumtime("work") > 0.8 * report.cpu_s());
}

TEST_CASE("coroutines and handlers on alternate stacks work at 1 kHz, and their time is seen") {
  TempDir temp;
  const Outcome run = check_survives(Command::victim("coroutines").set("PROF_CPU", "1000"), temp / "run");
  const Report report = Report::of(temp / "run");
  CHECK(report.tottime_of_all() == Approx(static_cast<double>(run.fact("cpu_ns")) * 1e-9).epsilon(0.01).margin(0.01));
  CHECK(report.tottime("in_coroutine") == Approx(0.2e-3 * 300 * 8).epsilon(0.2));
  CHECK(report.tottime("on_alternate_stack") == Approx(0.5e-3 * 300).epsilon(0.2));
}

// Catches walks that take whatever stands on a stack for code, and so write frames that no reader can make sense of.
TEST_CASE("return addresses outside user space end a stack and leave the log whole") {
  const std::string heap = GENERATE(as<std::string>{}, "exact", "sampled:1K");
  TempDir temp;
  check_survives(Command::victim("spoiled_return").set("PROF_CPU", "1000").set("PROF_HEAP", heap), temp / "run");
  const Outcome report = report_outcome(temp / "run");
  INFO(report);
  CHECK(report.ok());
  CHECK(report.err.find("damaged") == std::string::npos);
  CHECK(Report::of(temp / "run").tottime("work") > 0.1);
}

// Catches hooks that hold a lock or a half-done update when a handler of the host enters them again.
TEST_CASE("allocations in a signal handler are counted exactly") {
  TempDir none, full;
  check_survives(Command::victim("handler_alloc", {"0"}).set("PROF_CPU", "1000"), none / "run");
  const Outcome run = check_survives(
      Command::victim("handler_alloc", {"300000"}).set("PROF_CPU", "1000").set("PROF_HEAP", "sampled:4K"),
      full / "run");
  const Report before = Report::of(none / "run"), after = Report::of(full / "run");
  CHECK(after.allocations() - before.allocations() == run.fact("allocations"));
  CHECK(after.allocated_bytes() - before.allocated_bytes() == run.fact("bytes"));
  CHECK(after.frees() - before.frees() == run.fact("frees"));
}

// Catches ticks that are delivered to whoever waits for any signal at all.
TEST_CASE("a program that waits for all signals receives its own alone") {
  const std::string ticks = GENERATE(as<std::string>{}, "auto", "timer");
  TempDir temp;
  check_survives(Command::victim("wait_signals").set("PROF_CPU", "1000").set("PROF_TICKS", ticks), temp / "run");
}

// Catches samplers that take the end of a handler of the host's for a call that a tick has ended, and wait on.
TEST_CASE("calls that wait with a mask of signals end by each signal") {
  const std::string ticks = GENERATE(as<std::string>{}, "auto", "timer");
  TempDir temp;
  check_survives(Command::victim("masked_waits").set("PROF_CPU", "10000").set("PROF_TICKS", ticks), temp / "run");
}

// Catches samplers whose ticks cut a blocking transfer short: SA_RESTART does not help where some bytes were moved.
TEST_CASE("large transfers in single calls are not cut short") {
  const std::string ticks = GENERATE(as<std::string>{}, "auto", "timer");
  TempDir temp;
  check_survives(Command::victim("big_transfers").set("PROF_CPU", "1000").set("PROF_TICKS", ticks), temp / "run");
}

// Catches unwinders that read beyond a stack's end, and agents that take SIGSEGV for themselves.
TEST_CASE("a program that overflows its stacks and recovers does so under sampling") {
  TempDir temp;
  check_survives(Command::victim("stack_overflow").set("PROF_CPU", "1000"), temp / "run");
}

// Catches unwinders that trust what they find on a stack below code without unwind rows.
TEST_CASE("code made at run time, without unwind rows, is sampled without harm") {
  TempDir temp;
  const Outcome run =
      check_survives(Command::victim("jit_code").set("PROF_CPU", "1000").set("PROF_HEAP", "sampled:16K"), temp / "run");
  const Report report = Report::of(temp / "run");
  CHECK(report.tottime_of_all() == Approx(static_cast<double>(run.fact("cpu_ns")) * 1e-9).epsilon(0.02));
}

// Catches agents that take a timer or its signal from the host: a profiler is a guest among profilers.
TEST_CASE("a program with profiling timers of its own sees them fire as often as alone") {
  const std::string ticks = GENERATE(as<std::string>{}, "auto", "timer");
  TempDir temp;
  const Outcome run =
      check_survives(Command::victim("own_timers").set("PROF_CPU", "1000").set("PROF_TICKS", ticks), temp / "run");
  CHECK(Report::of(temp / "run").tottime_of_all() ==
        Approx(static_cast<double>(run.fact("cpu_ns")) * 1e-9).epsilon(0.01).margin(0.01));
}

// Catches hooks that believe every caller to be in their own process: what a child in borrowed memory does to its own
// signals takes the ticks of its parent to a signal without a handler.
TEST_CASE("a launcher's child resets its signals, and its parent lives on") {
  TempDir temp;
  check_same(run_both_ways(Command::victim("vfork_signals").set("PROF_CPU", "1000"), temp / "run"));
  CHECK(Report::of(temp / "run").cumtime("work") > 0.08);
}

// Catches samplers that hand their signal to the host while ticks are still on their way.
TEST_CASE("ticks that are pending when the host takes their signal are not the host's") {
  const std::string ticks = GENERATE(as<std::string>{}, "perf", "timer");
  const std::string handled = GENERATE(as<std::string>{}, "0", "1");
  INFO(ticks << ", with a handler: " << handled);
  TempDir temp;
  check_survives(Command::victim("pending_ticks", {handled}).set("PROF_CPU", "1000").set("PROF_TICKS", ticks),
                 temp / "run");
}

// Catches agents that keep a signal from whoever receives it without a handler, or let it end the program.
TEST_CASE("a program that receives the ticks' signal among others receives all of them") {
  const std::string how = GENERATE(as<std::string>{}, "wait", "descriptor", "all", "timer", "pool", "nobody", "racing");
  const std::string ticks = GENERATE(as<std::string>{}, "auto", "timer");
  INFO(how << ", ticks " << ticks);
  TempDir temp;
  const BothWays both = run_both_ways(
      Command::victim("signal_receivers", {how}).set("PROF_CPU", "1000").set("PROF_TICKS", ticks), temp / "run");
  check_same(both);
}
