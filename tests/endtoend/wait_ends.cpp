// Blocking calls of threads and processes that end or change in their midst, or leave them in a way that runs no line
// of ours.
#include <csignal>
#include <filesystem>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/wait_log.hpp"

using namespace prof;
using namespace prof::test;

// Catches waits that exist only once they have ended, and those whose callers are known only then.
TEST_CASE("a program that is killed shows the call that each thread was in") {
  const Ran ran({"in_flight"});
  INFO(ran.run);
  REQUIRE(ran.run.signal == SIGKILL);
  const LogTree log = ran.log();
  std::size_t open = 0;
  for (const log::ThreadUseRecord& use : uses(log)) {
    if (use.open_frame == 0) continue;
    ++open;
    CHECK(log.name(use.open_frame) == "sleep/nanosleep");
    CHECK(log.file().header.last_monotonic_ns - use.open_since > 200'000'000);
    CHECK(use.open_node_since == use.open_since);
    const std::vector<std::uint64_t> stack = log.frames_of(static_cast<std::uint32_t>(use.open_node));
    REQUIRE(stack.size() > 2);
    CHECK(stack.back() == use.open_frame);
  }
  CHECK(open == 1);
}

// Catches a lock that is known from when it was free, in a thread that has not waited for anything yet.
TEST_CASE("a program that waits for a lock before all else, and for ever, shows it") {
  TempDir temp;
  const Outcome run = Command::victim("locks_itself").profiled(temp / "run").run();
  INFO(run);
  REQUIRE(run.signal == SIGALRM);
  const std::vector<std::filesystem::path> logs = logs_in(temp / "run");
  REQUIRE(logs.size() == 1);
  const LogTree log(logs.front());
  std::size_t open = 0;
  for (const log::ThreadUseRecord& use : uses(log)) {
    if (use.open_frame == 0) continue;
    ++open;
    CHECK(log.name(use.open_frame) == "lock/pthread_mutex_lock");
    CHECK(use.open_node_since == use.open_since);
  }
  CHECK(open == 1);
}

// Catches calls of cancelled threads that are lost, and those that are forgotten because a destructor waits itself.
TEST_CASE("a call that is ended by cancellation is counted with its time") {
  const Ran ran({"cancelled"});
  INFO(ran.run);
  REQUIRE(ran.run.ok());
  const LogTree log = ran.log();
  const log::WaitTotalWords words = total(log, "sleep/nanosleep");
  CHECK(words.calls == 2);
  CHECK(static_cast<long long>(words.max_ns) > ran.run.fact("at_least_ns") - 5'000'000);
  CHECK(static_cast<long long>(words.max_ns) < ran.run.fact("at_most_ns"));
  CHECK(in_contexts(log, "sleep/nanosleep") == words.total_ns);
  for (const log::ThreadUseRecord& use : uses(log)) CHECK(use.open_frame == 0);
}

// Catches a call that was left by a jump and is taken to be around all later ones, whose time is then its own.
TEST_CASE("calls that were left by a jump do not swallow those that come later") {
  for (const char* how : {"jumps", "jumps_alternate", "jump_out_of_handler"}) {
    INFO(how);
    const Ran ran({how});
    INFO(ran.run);
    REQUIRE(ran.run.ok());
    const LogTree log = ran.log();
    const log::WaitTotalWords words = total(log, "sleep/nanosleep");
    CHECK(words.calls == 5);
    CHECK(words.nested_ns == 0);
    check_near(words.total_ns, ran.run.fact("here_ns"));
    CHECK(total(log, "sleep/pause").nested_ns == 0);
    for (const log::ThreadUseRecord& use : uses(log)) CHECK(use.open_frame == 0);
  }
}

// Catches time that counts in the call and once more in that of the handler inside of it.
TEST_CASE("a call inside of another one, in a handler, takes its time away from it") {
  for (const char* how : {"nested", "nested_alternate"}) {
    INFO(how);
    const Ran ran({how});
    INFO(ran.run);
    REQUIRE(ran.run.ok());
    const LogTree log = ran.log();
    const log::WaitTotalWords outer = total(log, "sleep/nanosleep"), inner = total(log, "sleep/usleep");
    CHECK(outer.calls == 1);
    CHECK(inner.calls == 1);
    check_near(outer.total_ns, ran.run.fact("outer_ns"));
    check_near(inner.total_ns, ran.run.fact("inner_ns"));
    CHECK(outer.nested_ns == inner.total_ns);
    CHECK(in_contexts(log, "sleep/nanosleep") == outer.total_ns - outer.nested_ns);
  }
}

// Catches logs of children that only close a descriptor before they exec.
TEST_CASE("a forked child makes a log for long calls and not for short ones") {
  const std::string program = victim_path("static_hello").string();
  const Ran shortly({"fork", program}), longer({"fork_sleep", program});
  INFO(shortly.run << longer.run);
  REQUIRE(shortly.run.ok());
  REQUIRE(longer.run.ok());
  CHECK(shortly.logs() == 1);
  CHECK(total(shortly.log(), "sleep/clock_nanosleep").calls == 0);
  REQUIRE(longer.logs() == 2);
  for (const auto& path : logs_in(longer.temp / "run")) {
    const LogTree log(path);
    const bool child = log.file().header.origin == log::Origin::Forked;
    CHECK(total(log, "sleep/nanosleep").calls == (child ? 1U : 0U));
  }
}

// Catches a call whose context was taken before a fork in its midst, and which the child books in its parent's log.
TEST_CASE("a forked child that returns through its parent's call books it in its own log") {
  const Ran ran({"forks_in_call"});
  INFO(ran.run);
  REQUIRE(ran.run.ok());
  REQUIRE(ran.logs() == 2);
  for (const auto& path : logs_in(ran.temp / "run")) {
    const LogTree log(path);
    const bool child = log.file().header.origin == log::Origin::Forked;
    const log::WaitTotalWords words = total(log, "sleep/nanosleep");
    CHECK(words.calls == (child ? 24U : 6U));
    CHECK(in_contexts(log, "sleep/nanosleep") == words.total_ns - words.nested_ns);
  }
}

// Catches calls of a child that are booked in the memory it borrows, and a parent that never again believes to be
// alone.
TEST_CASE("what a child of vfork waits for is not its parent's") {
  const Ran ran({"vfork", victim_path("static_hello").string()});
  INFO(ran.run);
  REQUIRE(ran.run.ok());
  const LogTree log = ran.log();
  CHECK(total(log, "sleep/usleep").calls == 0);
  CHECK(total(log, "sleep/clock_nanosleep").calls == 0);
  CHECK(total(log, "sleep/nanosleep").calls == 1);
}

// Catches figures of the kernel that go on counting when a thread has become another program.
TEST_CASE("what a program used before an exec is not that of the program after it") {
  const Ran ran({"exec"});
  INFO(ran.run);
  REQUIRE(ran.run.ok());
  REQUIRE(ran.logs() == 2);
  for (const auto& path : logs_in(ran.temp / "run")) {
    const LogTree log(path);
    const log::ThreadUseRecord main_thread = uses(log).at(0);
    CHECK((main_thread.known & log::kKnowsRunQueue) != 0);
    if (log.file().header.end == log::End::Execed)
      CHECK(main_thread.run_queue_ns > 100'000'000);
    else
      CHECK(main_thread.run_queue_ns < 100'000'000);
    CHECK(main_thread.involuntary_switches < 100'000);
    CHECK(main_thread.minor_faults < 100'000);
  }
}
