// What the agent stands on: nothing of the program's.
#include "tests/support/catch.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::test;

// Catches helper threads that use the thread-local storage of the thread that started them, which may have ended: its
// stack is unmapped then, and that storage with it.
TEST_CASE("stacks of threads that ended are unmapped while the agent works apart") {
  for (int i = 0; i < 3; ++i) {
    TempDir temp;
    check_survives(Command::victim("stack_reuse", {"300"}), temp / "run");
  }
}

// Catches agents that give threads an alternate signal stack of their own: the program's handlers then run on it, where
// it overflows into what lies below, and a stack overflow is handled that kills the program alone.
TEST_CASE("handlers and overflows of stacks are where they are alone") {
  for (const char* mode : {"deep", "overflow", "thread_overflow"}) {
    DYNAMIC_SECTION(mode) {
      TempDir temp;
      const BothWays both =
          run_both_ways(Command::victim("signal_stacks", {mode}).set("PROF_CPU", "1000"), temp / "run");
      check_same(both);
    }
  }
}

// Catches ticks that need more of an alternate stack than the kernel itself puts there, and those that land on one that
// is too small even for that, or is no more.
TEST_CASE("alternate signal stacks that are small or gone harm nobody while ticks come") {
  for (const char* mode : {"small", "least", "gone"}) {
    DYNAMIC_SECTION(mode) {
      TempDir temp;
      check_survives(Command::victim("signal_stacks", {mode}).set("PROF_CPU", "1000"), temp / "run");
      const Report report = Report::of(temp / "run");
      // Where a tick finds room, it comes.
      if (std::string(mode) == "least") CHECK(report.tottime("burn_ms") == Approx(0.6).margin(0.1));
    }
  }
}

// Catches guards that stay up when a handler jumps out of a call: the thread is then taken for the agent's own for
// ever.
TEST_CASE("a thread that jumps out of calls a thousand times is seen as before") {
  TempDir temp;
  check_survives(Command::victim("deaf_thread", {"1000"}), temp / "run");
  const Report report = Report::of(temp / "run");
  CHECK(report.cumtime("burn_after") == Approx(0.5).margin(0.1));
  CHECK(report.allocations() >= 1000);
}

// Catches walks that take the end of a stack that makecontext made for code without unwind information, and read each
// such stack through the kernel.
TEST_CASE("stacks of coroutines are whole") {
  TempDir temp;
  check_survives(Command::victim("coroutines").set("PROF_HEAP", "exact"), temp / "run");
  const Json lost = Report::of(temp / "run").section("loss").at("reasons");
  CHECK(lost.at("stack_broken") == 0);
  CHECK(lost.at("stack_guessed") == 0);
}

// Catches searches for a caller that look at the code before whatever lies in the range of a library.
TEST_CASE("numbers on a stack that lead between the segments of a library are not looked at") {
  TempDir temp;
  check_survives(Command::victim("segment_hole", {victim_path("plugin_hole.so").string()}).set("PROF_HEAP", "exact"),
                 temp / "run");
}

#if defined(__x86_64__)
// Catches signals that land where the stack pointer of code that the program made points: at a buffer on the heap, for
// oneDNN's matrix products. And stacks for signals that the program finds where it set none.
TEST_CASE("code of the program's own may use the stack pointer for what it likes") {
  for (const char* mode : {"main", "thread", "pool", "child", "small", "told", "handlers", "unwritable"}) {
    DYNAMIC_SECTION(mode) {
      TempDir temp;
      check_survives(Command::victim("own_code", {mode}).set("PROF_CPU", "1000"), temp / "run");
      // Nobody is left without ticks for long, but whose own stack cannot take them.
      if (std::string(mode) == "small") continue;
      CHECK(Report::of(temp / "run").tottime("(code outside any file)") >= 0.3);
    }
  }
}
#endif
