// Who waits for locks, how long, and for whom; and locks that work as they do alone.
#include <cerrno>
#include <csignal>

#include "agent/contract/format.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/log_tree.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof;
using namespace prof::test;

namespace {

LogTree locks_log_of(const std::filesystem::path& run) {
  const auto logs = logs_in(run);
  REQUIRE(logs.size() == 1);
  return LogTree(logs[0]);
}

// All threads' totals of one function; min and max are not asked for.
log::WaitTotalWords totals(const LogTree& log, const std::string& function) {
  log::WaitTotalWords sum{};
  for (const auto& row : log.rows<log::WaitTotalWords>(log::RecordClass::WaitTotal)) {
    if (!row.below("lock/" + function)) continue;
    sum.calls += row.words.calls;
    sum.failed += row.words.failed;
    sum.total_ns += row.words.total_ns;
    sum.uncontended += row.words.uncontended;
    if (row.words.last_errno != 0) sum.last_errno = row.words.last_errno;
  }
  return sum;
}

// Within 1 % or 1 ms of what the program's own clock said, which also goes on while the machine has no processor for it
// before and after the call.
void check_time(std::uint64_t ns, long long own) {
  constexpr double kAround = 4e6;
  CHECK(static_cast<double>(ns) <= static_cast<double>(own) + 1e6);
  CHECK(static_cast<double>(ns) + kAround >= static_cast<double>(own) * 0.99);
}

// The one lock at that address.
LogTree::Row<log::LockWords> lock_at(const LogTree& log, long long address) {
  std::vector<LogTree::Row<log::LockWords>> found;
  for (const auto& row : log.rows<log::LockWords>(log::RecordClass::Lock)) {
    if (log.address_of(log.frames_of(row.node).back()) == static_cast<std::uint64_t>(address)) found.push_back(row);
  }
  REQUIRE(found.size() == 1);
  return found[0];
}

// Whether a frame of the node's stack is in the function that begins at that address; it is not a large one.
bool in_function(const LogTree& log, std::uint64_t node, long long function) {
  for (const std::uint64_t frame : log.frames_of(static_cast<std::uint32_t>(node))) {
    const auto address = static_cast<long long>(log.address_of(frame));
    if (address >= function && address < function + 200) return true;
  }
  return false;
}

}  // namespace

// Catches profilers that time every acquisition, count the owner's own as a wait, or lose who held a lock.
TEST_CASE("waits for locks have their time, their place and their holder", "[alone]") {
  TempDir temp;
  const bool killed = GENERATE(false, true);
  Command command = Command::victim("wait_locks", {killed ? "1" : "0"});
  const Outcome run = command.profiled(temp / "run").run();
  INFO(run);
  REQUIRE((killed ? run.signal == SIGKILL : run.ok()));
  const LogTree log = locks_log_of(temp / "run");

  // Once by main; the others' own locks were free.
  const auto mutex = totals(log, "pthread_mutex_lock");
  CHECK(mutex.calls == 1);
  CHECK(mutex.failed == 0);
  check_time(mutex.total_ns, run.fact("mutex_ns"));
  // Of the holders one each for MUTEX, TIMED, SIGNAL; of main its condition's; and the recursive ones.
  CHECK(mutex.uncontended == 3 + 1 + 2 * 10007);

  const auto timed = totals(log, "pthread_mutex_timedlock"), clocked = totals(log, "pthread_mutex_clocklock");
  CHECK((timed.calls == 1 && timed.failed == 1 && timed.last_errno == ETIMEDOUT && timed.uncontended == 3001));
  CHECK((clocked.calls == 1 && clocked.failed == 1 && clocked.last_errno == ETIMEDOUT));
  check_time(timed.total_ns, run.fact("timed_ns"));
  check_time(clocked.total_ns, run.fact("clock_ns"));

  const std::pair<const char*, const char*> plain[] = {{"pthread_rwlock_rdlock", "read_ns"},
                                                       {"pthread_rwlock_wrlock", "write_ns"},
                                                       {"pthread_spin_lock", "spin_ns"},
                                                       {"pthread_cond_wait", "signal_ns"},
                                                       {"pthread_join", "join_ns"},
                                                       {"sem_wait", "semaphore_ns"},
                                                       {"sem_timedwait", "semaphore_timeout_ns"},
                                                       {"pthread_cond_timedwait", "timeout_ns"},
                                                       {"pthread_cond_clockwait", "clock_timeout_ns"},
                                                       {"mtx_lock", "c11_ns"},
                                                       {"cnd_wait", "c11_signal_ns"}};
  for (const auto& [function, own] : plain) {
    INFO(function);
    const auto words = totals(log, function);
    CHECK(words.calls >= 1);  // a wait for a condition may end before its time
    check_time(words.total_ns, run.fact(own));
  }
  CHECK(totals(log, "pthread_rwlock_rdlock").calls == 1);
  CHECK(totals(log, "pthread_rwlock_rdlock").uncontended == 1);
  CHECK(totals(log, "pthread_rwlock_wrlock").uncontended == 1);
  CHECK(totals(log, "pthread_rwlock_timedrdlock").uncontended == 3001);
  CHECK(totals(log, "pthread_rwlock_timedwrlock").uncontended == 3001);
  CHECK(totals(log, "mtx_timedlock").uncontended == 3001);
  CHECK(totals(log, "mtx_lock").uncontended == 3);
  CHECK(totals(log, "pthread_spin_lock").uncontended == 1);
  CHECK(totals(log, "sem_timedwait").failed == 1);
  CHECK(totals(log, "sem_timedwait").uncontended == 3001);
  CHECK(totals(log, "pthread_barrier_wait").calls == 2);
  check_time(totals(log, "pthread_barrier_wait").total_ns, run.fact("barrier_ns"));

  const auto lock = lock_at(log, run.fact("mutex_address"));
  CHECK(lock.path.front() == "(12)");
  CHECK(lock.words.kind == static_cast<std::uint64_t>(log::LockKind::Mutex));
  CHECK(lock.words.waits == 1);
  CHECK(lock.words.longest_holder == static_cast<std::uint64_t>(run.fact("mutex_holder")));
  CHECK(lock.words.max_ns == lock.words.ns);
  check_time(lock.words.ns, run.fact("mutex_ns"));
  CHECK(in_function(log, lock.words.longest_waiter, run.fact("wait_for_mutex")));
  CHECK(lock.words.created == 0);  // laid down by the compiler

  const auto read_write = lock_at(log, run.fact("read_write_address"));
  CHECK(read_write.words.kind == static_cast<std::uint64_t>(log::LockKind::ReadWrite));
  CHECK(read_write.words.waits == 2);
  CHECK(read_write.words.longest_holder == 0);  // a reader, of whom the lock does not tell
  CHECK(in_function(log, read_write.words.created, run.fact("make_locks")));
  CHECK(log.loss(log::Loss::LockTableFull) == 0);
}

// A spinning thread does not wait for anything in the system's eyes: its time is CPU time of that call.
TEST_CASE("the time of a spinning thread is CPU time of its call") {
  TempDir temp;
  const Outcome run = check_survives(Command::victim("wait_locks").set("PROF_CPU", "1000"), temp / "run");
  const LogTree log = locks_log_of(temp / "run");
  std::uint64_t cpu = 0;
  for (const auto& row : log.rows<log::CpuWords>(log::RecordClass::Cpu)) {
    if (row.below("lock/pthread_spin_lock")) cpu += row.words.ns;
  }
  CHECK(static_cast<double>(cpu) == Approx(static_cast<double>(run.fact("spin_cpu_ns"))).epsilon(0.1).margin(5e6));
}

// Catches wrappers that try where trying is not the same as taking, that lose errno, or that find the condition
// variables of before 2003: there nobody would ever be woken.
TEST_CASE("every kind of lock answers as it does alone") {
  TempDir temp;
  const std::string wait = GENERATE(as<std::string>{}, "on", "off");
  check_same(run_both_ways(Command::victim("lock_kinds").set("PROF_CPU", "1000").set("PROF_WAIT", wait), temp / "run"));
}

// Catches wrappers with something to undo, and trying that swallows a cancellation.
TEST_CASE("threads that are cancelled while they wait run their cleanup handlers") {
  TempDir temp;
  const std::string wait = GENERATE(as<std::string>{}, "on", "off");
  check_same(
      run_both_ways(Command::victim("lock_cancel").set("PROF_CPU", "1000").set("PROF_WAIT", wait), temp / "run"));
}

TEST_CASE("conditions and semaphores work under a storm of signals whose handler takes locks") {
  TempDir temp;
  check_survives(Command::victim("lock_storm", {"signals"}).set("PROF_CPU", "1000"), temp / "run");
}

TEST_CASE("two threads at one mutex: each acquisition is counted once") {
  TempDir temp;
  check_survives(Command::victim("lock_storm", {"hammer", "300000"}).set("PROF_CPU", "1000"), temp / "run");
  const auto words = totals(locks_log_of(temp / "run"), "pthread_mutex_lock");
  CHECK(words.calls + words.uncontended == 2 * 300000);
}

// Catches a context taken for each new lock, and tables that grow with them.
TEST_CASE("locks that live for a moment cost little and leave nothing behind") {
  TempDir temp;
  const BothWays both = run_both_ways(Command::victim("lock_storm", {"short", "1000000"}), temp / "run");
  check_same_end(both);
  CHECK(both.with.fact("lock_ps") < both.alone.fact("lock_ps") + 500'000);
  CHECK(totals(locks_log_of(temp / "run"), "pthread_mutex_lock").uncontended == 1000000);
  CHECK(disk_bytes(temp / "run") < 200'000);
}

// Catches tables without an end: a program may wait for any number of locks.
TEST_CASE("of very many locks that were waited for some are told, and all are counted") {
  TempDir temp;
  check_survives(Command::victim("lock_storm", {"many", "5000"}), temp / "run");
  const LogTree log = locks_log_of(temp / "run");
  const auto words = totals(log, "sem_timedwait");
  CHECK(words.calls == 10000);
  CHECK(words.failed == 10000);
  const auto locks = log.rows<log::LockWords>(log::RecordClass::Lock);
  CHECK(locks.size() == 4096);
  std::uint64_t waits = 0;
  for (const auto& row : locks) waits += row.words.waits;
  CHECK(waits == 2 * 4096);
  CHECK(log.loss(log::Loss::LockTableFull) == 2 * (5000 - 4096));
}

TEST_CASE("locks around forks and in forked children") {
  TempDir temp;
  check_survives(Command::victim("lock_storm", {"fork"}).set("PROF_CPU", "1000"), temp / "run");
}

// Catches look-ups of real functions when they are first called: the loader's lock is held by somebody who waits for
// the caller.
TEST_CASE("a library's constructor waits for threads that take locks") {
  TempDir temp;
  const std::string plugin = victim_path("plugin_locks.so").string();
  check_survives(Command::victim("lock_storm", {"load", plugin}), temp / "run");
}

// Such a library that is preloaded behind the agent is constructed before it.
TEST_CASE("locks are taken before the agent is ready") {
  TempDir temp;
  const std::string plugin = victim_path("plugin_locks.so").string();
  const Outcome run = Command::victim("lock_storm", {"hammer", "1000"})
                          .profiled(temp / "run")
                          .set("LD_PRELOAD", agent_library().string() + ":" + plugin)
                          .run();
  INFO(run);
  CHECK(run.ok());
}

// Catches a wrapper that enters the allocator from under its own locks.
TEST_CASE("locks inside of foreign allocators") {
  const std::string allocator = GENERATE(as<std::string>{}, "jemalloc", "tcmalloc");
  const std::string program = "alloc_exact_" + allocator;
  if (!std::filesystem::exists(victim_path(program))) return skip(allocator + " is not installed");
  TempDir temp;
  check_survives(Command::victim(program).set("PROF_CPU", "1000"), temp / "run");
}
