// Hosts that do what few do: clocks, stacks, system calls and thread-local storage of their own.
#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::test;

namespace {

// As alone, with ticks by the kernel's timers and, where there are some, by perf events.
void check_often(const Command& victim) {
  for (const char* rate : {"99", "1000"}) {
    INFO("PROF_CPU=" << rate);
    TempDir temp;
    const Outcome bare = Command(victim).run();
    Command command = victim;
    const Outcome run = check_survives(command.set("PROF_CPU", rate), temp / "run");
    CHECK(run.out == bare.out);
  }
}

}  // namespace

// Catches the next library's clock taken for libc's: whoever asks it the time in the hook of its own lock waits for
// ever.
TEST_CASE("a library that tells the time under a lock is not asked for it") {
  TempDir temp;
  const Outcome run =
      Command({"/usr/bin/python3", "-c",
               "import threading\n"
               "def f(n): return n if n < 2 else f(n - 1) + f(n - 2)\n"
               "threads = [threading.Thread(target=f, args=(20,)) for _ in range(4)]\n"
               "for t in threads: t.start()\n"
               "for t in threads: t.join()\n"
               "print(len([bytearray(i) for i in range(20000)]), f(22))\n"})
          .profiled(temp / "run")
          .set("PROF_CPU", "1000")
          .set("LD_PRELOAD", agent_library().string() + ":" + victim_path("plugin_locked_clock.so").string())
          .limit(20)
          .run();
  INFO(run);
  REQUIRE(run.ok());
  CHECK(run.out == "20000 17711\n");
}

// Catches a handler that is entered with the processor's check of alignment on.
TEST_CASE("a program may have the processor check alignment") { check_often(Command::victim("checks_alignment")); }

// Catches an agent that calls what the program may replace, with locks of its own.
TEST_CASE("a program with a clock of its own is not asked for the time") { check_often(Command::victim("own_clock")); }

// Catches ticks whose system calls are handed to the program, which masks the signal that brings them.
TEST_CASE("a program that has its system calls handed to itself lives on") {
  check_often(Command::victim("user_dispatch"));
}

// Catches the belief that a thread's stack can be read from its stack pointer up to its end.
TEST_CASE("a page of a stack that nobody may read is not read") { check_often(Command::victim("guarded_stack")); }

// Catches frames of ticks that unwinders do not understand, and handlers of the program that run on the ticks' stack.
TEST_CASE("a watchdog's handler finds the thread's stack, and its backtrace, as alone") {
  check_often(Command::victim("watchdog", {"800"}));
}

// Catches a handler that trusts the register by which thread-local storage is found.
TEST_CASE("code with thread-local storage of its own is left alone") {
  TempDir temp;
  check_survives(Command::victim("other_base"), temp / "run");  // with perf events no tick knows what it was
}

// Catches memory for threads that the program would need for its own.
TEST_CASE("a thousand threads start under a limit of address space") {
  TempDir temp;
  check_survives(Command::victim("limited_threads", {"1000", "400"}), temp / "run");
}

// Catches a handler that takes every signal of its number for its own.
TEST_CASE("the signal of the ticks ends a program that is sent it") {
  TempDir temp;
  const Outcome bare = Command::victim("sent_signal").run();
  const Outcome run = Command::victim("sent_signal").profiled(temp / "run").run();
  INFO(run);
  CHECK(bare.signal == 62);
  CHECK(run.signal == 62);
}
