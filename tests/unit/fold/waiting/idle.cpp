#include "report/fold/waiting/idle.hpp"

#include <vector>

#include "report/fold/line_tree.hpp"
#include "report/fold/own/own_lines.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/support/findings_run.hpp"
#include "tests/unit/support/native_library.hpp"

using namespace prof;
using test::FindingsRun;
using test::kMs;

namespace {

struct Frame {
  const char *file, *function;
};

// Time that is idle, of a wait of 100 ms below those frames of Python, outermost first.
std::int64_t idle_ms(const std::vector<Frame>& frames, const char* call = "sem_wait", const char* what = "lock",
                     bool serves = false) {
  FindingsRun run;
  std::uint32_t at = 0;
  for (const Frame& frame : frames) at = run.line(at, run.code(frame.function, frame.file), 3);
  const auto wait = [&](std::uint32_t above, const char* name, const char* of, std::uint64_t ns) {
    const auto node = run.log.node(above, run.log.named(log::NameKind::Wait, name, of));
    run.log.record(log::RecordClass::Wait, node, log::WaitWords{log::kCountUnit, ns, 1});
  };
  wait(at, call, what, 100 * kMs);
  if (serves) wait(run.train(90), "accept4", "network", 1);
  const show::Subject subject = run.subject();
  const auto lines = fold::own_lines(fold::line_tree(subject.run, subject.symbols, subject.selection));
  return lines.idle_ns / 1'000'000;
}

constexpr Frame kBootstrap{"/usr/lib/python3.11/threading.py", "Thread._bootstrap"};
constexpr Frame kRun{"/usr/lib/python3.11/threading.py", "Thread.run"};
constexpr Frame kGet{"/usr/lib/python3.11/queue.py", "Queue.get"};
constexpr Frame kWait{"/usr/lib/python3.11/threading.py", "Condition.wait"};
constexpr Frame kMine{"/app/train.py", "work"};

}  // namespace

TEST_CASE("threads that wait for work are idle", "[fold]") {
  CHECK(idle_ms({kBootstrap, kRun, {"/usr/lib/python3.11/concurrent/futures/thread.py", "_worker"}, kGet, kWait}) ==
        100);
  CHECK(idle_ms({kBootstrap, kRun, {"/usr/lib/python3.11/multiprocessing/pool.py", "Pool._handle_tasks"}, kGet}) ==
        100);
  CHECK(idle_ms({kBootstrap, kRun, kMine, kGet, kWait}) == 100);
  CHECK(idle_ms({{"/usr/lib/python3.11/multiprocessing/process.py", "BaseProcess._bootstrap"},
                 kMine,
                 {"/usr/lib/python3.11/multiprocessing/queues.py", "Queue.get"}},
                "read", "pipe") == 100);
  CHECK(idle_ms({kMine}, "accept", "network") == 100);
  for (const char* call : {"pause", "sigsuspend", "sigwait", "sigwaitinfo"})
    CHECK(idle_ms({kMine}, call, "sleep") == 100);
  CHECK(idle_ms({kMine}, "sigtimedwait", "sleep") == 0);
  const Frame request{"/usr/lib/python3.11/http/server.py", "BaseHTTPRequestHandler.handle_one_request"};
  const Frame reads{"/usr/lib/python3.11/socket.py", "SocketIO.readinto"};
  CHECK(idle_ms({kBootstrap, request, reads}, "recv", "network") == 100);
  CHECK(idle_ms({kBootstrap, request, kMine, reads}, "recv", "network") == 0);  // the rest of a request
  // What waits for threads and processes of its own has no time of its own: what these do is told of them.
  CHECK(idle_ms({{"/usr/lib/python3.11/threading.py", "_shutdown"}, {"/usr/lib/python3.11/threading.py", "join"}}) ==
        100);
  CHECK(idle_ms({kMine, {"/usr/lib/python3.11/threading.py", "Thread.join"}}) == 100);
  CHECK(idle_ms({kMine, {"/usr/lib/python3.11/concurrent/futures/_base.py", "Future.result"}, kWait}) == 100);
  CHECK(idle_ms({kMine}, "pthread_join", "lock") == 100);
  CHECK(idle_ms({kBootstrap, kRun, kWait}) == 100);
}

// Futures, and threads that a library keeps for itself.
TEST_CASE("who waits for a future of the C++ library waits for a thread of its own", "[fold]") {
  const bool own = GENERATE(true, false);
  const test::NativeLibrary library(
      "namespace std { struct __atomic_futex_unsigned_base { void _M_futex_wait_until(); }; }\n"
      "void std::__atomic_futex_unsigned_base::_M_futex_wait_until() {}\nvoid takes_lock() {}\n"
      "void start_thread() {}\n",
      "libwaits.so", own ? "-O0 -g" : "-O0");
  for (const auto& [function, idle_ms] : std::initializer_list<std::pair<const char*, int>>{
           {"_M_futex_wait_until", 100}, {"takes_lock", 0}, {"start_thread", own ? 0 : 100}}) {
    INFO(function);
    FindingsRun run;
    const auto at = run.log.node(0, run.log.native(run.log.module(library.path()), library.in(function)));
    run.wait(at, "syscall(futex)", "lock", 1, 100 * kMs);
    const show::Subject subject = run.subject();
    const auto lines = fold::own_lines(fold::line_tree(subject.run, subject.symbols, subject.selection));
    CHECK(lines.idle_ns == static_cast<std::int64_t>(idle_ms * kMs));
  }
}

// Catches waiting that somebody waits for, called idle: a convoy, a command, a queue that the main thread waits at.
TEST_CASE("waiting for locks, threads, answers and data is not idle", "[fold]") {
  CHECK(idle_ms({kBootstrap, kRun, kMine}) == 0);
  CHECK(idle_ms({kMine, kGet, kWait}) == 0);
  CHECK(idle_ms({kMine, {"/usr/lib/python3.11/subprocess.py", "Popen.wait"}}, "wait4", "child") == 0);
  CHECK(idle_ms({kMine}, "recv", "network") == 0);
  CHECK(idle_ms({kBootstrap, kRun, kMine}, "clock_nanosleep", "sleep") == 0);
}

// Catches servers of a few connections: calls as few and as short have no context.
TEST_CASE("an event loop is idle where connections were accepted in no context", "[fold]") {
  for (const bool serves : {false, true}) {
    FindingsRun run;
    const auto loop =
        run.line(run.train(3), run.code("BaseEventLoop._run_once", "/usr/lib/python3.11/asyncio/base_events.py"), 9);
    run.wait(run.line(loop, run.code("EpollSelector.select", "/usr/lib/python3.11/selectors.py"), 9), "epoll_wait",
             "poll", 1, 100 * kMs);
    if (serves) {
      const auto frame = run.log.named(log::NameKind::Wait, "accept4", "network");
      log::WaitTotalWords total{};
      total.calls = 1;
      run.log.record(log::RecordClass::WaitTotal,
                     run.log.node(run.log.node(0, run.log.special(log::SpecialFrame::Waits)), frame), total);
    }
    const show::Subject subject = run.subject();
    const auto lines = fold::own_lines(fold::line_tree(subject.run, subject.symbols, subject.selection));
    CHECK(lines.idle_ns == (serves ? static_cast<std::int64_t>(100 * kMs) : 0));
  }
}

TEST_CASE("an event loop is idle between requests, and waits for what a client asked for", "[fold]") {
  const std::vector<Frame> loop = {kMine,
                                   {"/usr/lib/python3.11/asyncio/base_events.py", "BaseEventLoop._run_once"},
                                   {"/usr/lib/python3.11/selectors.py", "EpollSelector.select"}};
  CHECK(idle_ms(loop, "epoll_wait", "poll", true) == 100);
  CHECK(idle_ms(loop, "epoll_wait", "poll", false) == 0);
  // With what its main task awaits inside of it: another client of the program's, or its own peer.
  const auto awaiting = [&](Frame coroutine) {
    std::vector<Frame> frames(loop);
    frames.push_back(coroutine);
    return frames;
  };
  const Frame serves{"/v/site-packages/uvicorn/server.py", "Server.main_loop"},
      asks{"/v/site-packages/asyncpg/connection.py", "Connection.fetch"};
  CHECK(idle_ms(awaiting(serves), "epoll_wait", "poll", true) == 100);
  CHECK(idle_ms(awaiting(asks), "epoll_wait", "poll", true) == 0);
}

// Catches threads that a lock of Java's keeps, or that sleep, taken for threads without work, and the VM's own.
TEST_CASE("threads of Java that wait for locks are not idle, those that wait for work are", "[fold]") {
  const auto idle = [](const char* java, bool own) {
    FindingsRun run(false);
    const auto method = [&](std::uint32_t above, const char* name, const char* source) {
      return run.log.node(above, run.log.frame(log::named_frame(run.log.name(log::NameKind::Method, name, source), 0)));
    };
    // A thread's native beginning.
    const test::NativeLibrary libc("extern \"C\" { int start_thread() { return 1; } }", "libc.so.6", "-O1");
    std::uint32_t at = run.log.node(0, run.log.native(run.log.module(libc.path()), libc.in("start_thread")));
    if (own) at = method(at, "Orders.take", "Orders.java:1");
    at = method(at, java, "java/util/Any.java:1");
    const auto node = run.log.node(at, run.log.named(log::NameKind::Wait, "pthread_cond_wait", "lock"));
    run.log.record(log::RecordClass::Wait, node, log::WaitWords{log::kCountUnit, 100 * kMs, 1});
    const show::Subject subject = run.subject();
    return fold::own_lines(fold::line_tree(subject.run, subject.symbols, subject.selection)).idle_ns / 1'000'000;
  };
  CHECK(idle("java.util.concurrent.locks.ReentrantLock.lock", true) == 0);
  CHECK(idle("java.lang.Thread.sleep", true) == 0);
  CHECK(idle("java.lang.Thread.sleep", false) == 100);
  CHECK(idle("java.util.concurrent.LinkedBlockingQueue.take", true) == 100);
}

// Catches the pipe that .NET's diagnostics wait on, and its own threads, taken for the program's waiting.
TEST_CASE("threads that .NET keeps for itself are idle", "[fold]") {
  const auto idle = [](const char* library, const char* call, const char* what, bool context) {
    FindingsRun run(false);
    const test::NativeLibrary libc("extern \"C\" { int start_thread() { return 1; } }", "libc.so.6", "-O1");
    const test::NativeLibrary runtime("extern \"C\" { int wait_here() { return 1; } }", library, "-O1");
    std::uint32_t at = 0;
    if (context) {
      at = run.log.node(0, run.log.native(run.log.module(libc.path()), libc.in("start_thread")));
      at = run.log.node(at, run.log.native(run.log.module(runtime.path()), runtime.in("wait_here")));
    }
    const auto node = run.log.node(at, run.log.named(log::NameKind::Wait, call, what));
    run.log.record(log::RecordClass::Wait, node, log::WaitWords{log::kCountUnit, 100 * kMs, 1});
    const show::Subject subject = run.subject();
    return fold::own_lines(fold::line_tree(subject.run, subject.symbols, subject.selection)).idle_ns / 1'000'000;
  };
  CHECK(idle("libcoreclr.so", "poll", "poll", true) == 100);
  CHECK(idle("libmine.so", "poll", "poll", true) == 0);
  CHECK(idle("libcoreclr.so", "open", "file", false) == 100);
  CHECK(idle("libcoreclr.so", "poll", "poll", false) == 0);
}

// Catches a lock of C#'s, or a sleep, of a thread that the program started, taken for a worker's waiting.
TEST_CASE("threads of .NET that wait for locks are not idle, those that join are", "[fold]") {
  const auto idle = [](const char* function) {
    FindingsRun run(false);
    const test::NativeLibrary libc("extern \"C\" { int start_thread() { return 1; } }", "libc.so.6", "-O1");
    const test::NativeLibrary mine("extern \"C\" { int my_work() { return 1; } }", "libmine.so", "-g -O1");
    const test::NativeLibrary vm(
        "struct AwareLock { static int Enter(); }; int AwareLock::Enter() { return 1; }\n"
        "struct ThreadNative { static int Sleep(); static int Join(); };\n"
        "int ThreadNative::Sleep() { return 1; } int ThreadNative::Join() { return 2; }",
        "libcoreclr.so", "-O1");
    std::uint32_t at = run.log.node(0, run.log.native(run.log.module(libc.path()), libc.in("start_thread")));
    at = run.log.node(at, run.log.native(run.log.module(mine.path()), mine.in("my_work")));
    at = run.log.node(at, run.log.native(run.log.module(vm.path()), vm.in(function)));
    const auto node = run.log.node(at, run.log.named(log::NameKind::Wait, "pthread_cond_wait", "lock"));
    run.log.record(log::RecordClass::Wait, node, log::WaitWords{log::kCountUnit, 100 * kMs, 1});
    const show::Subject subject = run.subject();
    return fold::own_lines(fold::line_tree(subject.run, subject.symbols, subject.selection)).idle_ns / 1'000'000;
  };
  CHECK(idle("_ZN9AwareLock5EnterEv") == 0);
  CHECK(idle("_ZN12ThreadNative5SleepEv") == 0);
  CHECK(idle("_ZN12ThreadNative4JoinEv") == 100);
}

// Catches wrappers (sh -c, npm) whose waiting for the program makes its own lines small.
TEST_CASE("who waits for a child without a line of its own is idle, a program's own line is not", "[fold]") {
  const bool own = GENERATE(false, true);
  FindingsRun run(false);
  const test::NativeLibrary code("extern \"C\" { int waits() { return 1; } }", "libwaits.so", own ? "-O1 -g" : "-O1");
  const std::uint32_t at = run.log.node(0, run.log.native(run.log.module(code.path()), code.in("waits")));
  const auto node = run.log.node(at, run.log.named(log::NameKind::Wait, "waitpid", "child"));
  run.log.record(log::RecordClass::Wait, node, log::WaitWords{log::kCountUnit, 100 * kMs, 1});
  const show::Subject subject = run.subject();
  const auto lines = fold::own_lines(fold::line_tree(subject.run, subject.symbols, subject.selection));
  CHECK(lines.idle_ns / 1'000'000 == (own ? 0 : 100));
}
