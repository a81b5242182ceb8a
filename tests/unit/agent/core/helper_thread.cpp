// Work in a thread with descriptors of its own.
#include <fcntl.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <string_view>

#include "agent/core/helper_thread.hpp"
#include "agent/core/raw.hpp"
#include "tests/support/catch.hpp"

using namespace prof;

// Catches work that still shares the table, threads that stay, and a caller that goes on too early.
TEST_CASE("agent: files are opened apart once there are threads") {
  std::uint32_t tid = 0;
  CHECK(helper_thread::run([&] { tid = raw::tid(); }) == 0);
  REQUIRE(tid == raw::tid());

  helper_thread::thread_begins();
  const int kept = ::open("/dev/null", O_RDONLY);
  REQUIRE(kept > 2);
  sigset_t signals, signals_after;
  pthread_sigmask(SIG_SETMASK, nullptr, &signals);
  errno = ERANGE;
  long seen = 0;
  int opened = 0;
  std::uint32_t inner = 0;
  const std::uint64_t cpu_ns = helper_thread::run([&] {
    tid = raw::tid();
    seen = raw::call(SYS_fcntl, kept, F_GETFD);
    opened = raw::open("/dev/null", O_RDONLY);
    helper_thread::run([&] { inner = raw::tid(); });
  });
  CHECK(errno == ERANGE);
  CHECK(tid != raw::tid());
  CHECK(inner == tid);
  CHECK(seen == -EBADF);
  CHECK(opened == 3);
  CHECK(cpu_ns > 0);
  CHECK(raw::call(SYS_tgkill, raw::pid(), tid, 0) == -ESRCH);
  pthread_sigmask(SIG_SETMASK, nullptr, &signals_after);
  for (int s = 1; s < 65; ++s) CHECK(sigismember(&signals, s) == sigismember(&signals_after, s));
  // What it left open is gone with it, and was never the host's.
  const int next = ::open("/dev/null", O_RDONLY);
  CHECK(next == kept + 1);
  ::close(next);
  ::close(kept);

  char text[64];
  const std::string_view comm(text, helper_thread::slurp("/proc/self/comm", text, sizeof(text)));
  CHECK(comm == "agent_unit_test\n");
  CHECK(helper_thread::slurp("/nowhere", text, sizeof(text)) == 0);
}

// Catches work that is done on a stack which its caller has left, and two that run at once.
TEST_CASE("agent: one thing at a time is done apart while the caller goes on") {
  struct Shared {
    std::atomic<std::uint32_t> tid{0}, inner{0};
    std::atomic<bool> go{false};
  } shared;
  const auto work = [at = &shared] {
    at->tid = raw::tid();
    helper_thread::run([at] { at->inner = raw::tid(); });
    while (!at->go) raw::call(SYS_sched_yield);
  };
  shared.go = true;
  REQUIRE(helper_thread::start(work));  // no other threads: done at once, here
  CHECK(shared.tid == raw::tid());

  helper_thread::thread_begins();
  shared.go = false;
  shared.tid = 0;
  REQUIRE(helper_thread::start(work));
  CHECK_FALSE(helper_thread::start(work));
  shared.go = true;
  helper_thread::wait_for_started();
  CHECK(shared.tid != 0);
  CHECK(shared.tid != raw::tid());
  CHECK(shared.inner == shared.tid);
  CHECK(raw::call(SYS_tgkill, raw::pid(), shared.tid, 0) == -ESRCH);
  CHECK(helper_thread::start(work));
  helper_thread::wait_for_started();

  shared.tid = 0;
  helper_thread::thread_ended();
  CHECK(helper_thread::start(work));
  CHECK(shared.tid == raw::tid());
}
