// What holds up an event loop, and what its tasks await.
#include <fstream>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::below;
using test::FindingsRun;
using test::has;
using test::kMs;
using test::lines_of;

TEST_CASE("findings: what blocks an event loop", "[findings]") {
  const std::uint64_t half = GENERATE(1, 2);
  FindingsRun run;
  const auto loop = below(run, run.train(3), "BaseEventLoop._run_once", "/usr/lib/python3.11/asyncio/base_events.py");
  const auto handle = below(run, loop, "Handle._run", "/usr/lib/python3.11/asyncio/events.py");
  const bool in_task = GENERATE(false, true);
  const auto task = in_task ? run.log.node(handle, run.log.named(log::NameKind::Task, "metrics", "train")) : handle;
  run.wait(run.line(task, run.code("train", "/app/train.py"), 20), "clock_nanosleep", "sleep", 10, 800 / half * kMs);
  // What asyncio sends by a socket that does not block.
  const auto send =
      below(run, handle, "_SelectorSocketTransport.write", "/usr/lib/python3.11/asyncio/selector_events.py");
  run.wait(send, "send", "network", 300, 300 * kMs);
  // The loop's own wait is none.
  run.wait(below(run, loop, "EpollSelector.select", "/usr/lib/python3.11/selectors.py"), "epoll_wait", "poll", 100,
           900 * kMs);
  const auto found = run.look("event-loop-blocked");
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.4 / static_cast<double>(half)));
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{20});
  CHECK(has(found.front().seen, "10 calls blocked"));
  CHECK(has(found.front().seen, " in the task metrics.") == in_task);
  CHECK(run.look("sleeping").empty());
}

// Catches cells of a notebook, which its kernel runs in its loop.
TEST_CASE("findings: what cells of a notebook wait for", "[findings]") {
  FindingsRun run;
  const auto loop = below(run, run.train(3), "BaseEventLoop._run_once", "/usr/lib/python3.11/asyncio/base_events.py");
  const auto handle = below(run, loop, "Handle._run", "/usr/lib/python3.11/asyncio/events.py");
  const auto kernel = below(run, handle, "Kernel.execute_request", "/v/site-packages/ipykernel/kernelbase.py");
  run.wait(run.line(kernel, run.code("<module>", "/tmp/ipykernel_9/575686334.py"), 2), "clock_nanosleep", "sleep", 10,
           800 * kMs);
  CHECK(run.look("event-loop-blocked").empty());
}

// Catches the hub's own wait, greenlets without a hub, and what a thread of the pool does.
TEST_CASE("findings: a greenlet that waits without its hub", "[findings]") {
  const auto found = [](const char* hub, bool below_hub) {
    FindingsRun run;
    run.code("Hub.run", hub);
    const auto named = [&](const char* name) {
      return run.log.node(0, run.log.named(log::NameKind::Task, name, name));
    };
    const auto file = run.code("poll_db", "/app/poll.py");
    run.wait(run.line(below_hub ? below(run, named("poll_db"), "Hub.run", hub) : named("poll_db"), file, 4),
             "clock_nanosleep", "sleep", 10, 400 * kMs);
    run.log.cpu(run.line(named("beat"), run.code("beat", "/app/poll.py"), 7), 10, 100 * kMs);
    return run.look("event-loop-blocked");
  };
  const auto blocked = found("/v/site-packages/gevent/hub.py", false);
  REQUIRE(blocked.size() == 1);
  REQUIRE(blocked.front().places.size() == 1);
  CHECK(blocked.front().places.front().line == 4);
  CHECK(has(blocked.front().seen, "blocked the hub"));
  CHECK(has(blocked.front().seen, " in the greenlet poll_db."));
  CHECK(has(blocked.front().advice, "gevent.sleep()"));
  CHECK(found("/v/site-packages/gevent/hub.py", true).empty());
  CHECK(found("/v/site-packages/other/hub.py", false).empty());
}

// Catches the time of one task divided by how many others are gathered.
TEST_CASE("findings: one kind of tasks blocks the loop for nearly all of the time, others hardly", "[findings]") {
  const auto saves = [](std::uint64_t others_ms) {
    FindingsRun run;
    run.log.info(log::InfoKey::Python, "gathered=8");
    const auto loop = below(run, run.train(3), "BaseEventLoop._run_once", "/usr/lib/python3.11/asyncio/base_events.py");
    const auto handle = below(run, loop, "Handle._run", "/usr/lib/python3.11/asyncio/events.py");
    const auto file = run.code("train", "/app/train.py");
    const auto task = [&](const char* name) {
      return run.line(run.log.node(handle, run.log.named(log::NameKind::Task, name, "train")), file, 20);
    };
    run.wait(task("metrics"), "clock_nanosleep", "sleep", 10, (800 - others_ms) * kMs);
    run.wait(task("pages"), "clock_nanosleep", "sleep", 10, others_ms * kMs);
    run.log.cpu(task("main"), 1, 10 * kMs);
    const auto found = run.look("event-loop-blocked");
    REQUIRE(found.size() == 1);
    return found.front().saves;
  };
  CHECK(saves(40) == Approx(0.4));
  CHECK(saves(300) == Approx(0.35));
}

// Catches a child that is waited for by the means of the loop, taken for the loop's own wait; and the time of handlers
// of several connections taken for that of one task.
TEST_CASE("findings: a handler that waits for a child blocks the loop for all connections", "[findings]") {
  const auto saves = [](const std::string& server, std::uint64_t accepted) {
    FindingsRun run;
    const std::string file = run.directory() / "serve.py";
    std::ofstream(file) << "async def handle(reader, writer):\n    subprocess.run(command, input=text)\n" << server;
    const auto loop = below(run, run.train(3), "BaseEventLoop._run_once", "/usr/lib/python3.11/asyncio/base_events.py");
    const auto handle = below(run, loop, "Handle._run", "/usr/lib/python3.11/asyncio/events.py");
    const auto task = [&](const char* name, std::uint32_t number) {
      return run.line(run.log.node(handle, run.log.named(log::NameKind::Task, name, name)), run.code(name, file, 1),
                      number);
    };
    const auto child = below(run, task("handle", 2), "run", "/usr/lib/python3.11/subprocess.py");
    run.wait(below(run, child, "_PollLikeSelector.select", "/usr/lib/python3.11/selectors.py"), "poll", "poll", 10,
             1'000 * kMs);
    run.log.cpu(task("main", 4), 1, 10 * kMs);
    run.log.cpu(task("client", 5), 1, 10 * kMs);
    run.wait(run.train(1), "accept4", "network", accepted, 0);
    const auto found = run.look("event-loop-blocked");
    REQUIRE(found.size() == 1);
    CHECK(has(found.front().seen, "connections") == (found.front().saves == Approx(0.4)));
    return found.front().saves;
  };
  // Of two seconds, one; with 5 connections a fifth of it is left.
  CHECK(saves("server = asyncio.start_server(handle, port=0)\n", 5) == Approx(0.4));
  CHECK(saves("server = asyncio.start_server(other, port=0)\n", 5) == Approx(0.5));
  CHECK(saves("server = asyncio.start_server(handle, port=0)\n", 1) == Approx(0.5));
}

TEST_CASE("findings: password hashes in an event loop", "[findings]") {
  const auto hashed = [](const char* function, const char* module, const char* loop, const char* cpus = nullptr) {
    FindingsRun run;
    if (cpus != nullptr) run.log.info(log::InfoKey::Cpus, cpus);
    const auto at = below(run, below(run, run.train(3), "Handle._run", loop), "inner", "/usr/lib/python3.11/x.py");
    const auto native = run.log.native(run.log.module(module), 0x100);
    const auto line = run.line(at, run.code("train", "/app/train.py"), 20);
    run.log.cpu(run.log.node(below(run, line, function, "/usr/lib/python3.11/hashlib.py"), native), 100, 1'000 * kMs);
    return run.look("loop-hashes");
  };
  constexpr const char *kBcrypt = "/v/site-packages/bcrypt/_bcrypt.abi3.so",
                       *kEvents = "/usr/lib/python3.11/asyncio/events.py";
  const auto found = hashed("hashpw", kBcrypt, kEvents);
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.5));
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{20});
  // Half of the run, as much on another processor: of that, a half.
  CHECK(hashed("hashpw", kBcrypt, kEvents, "allowed=2").front().saves == Approx(0.3).margin(0.06));
  CHECK(hashed("hashpw", kBcrypt, "/usr/lib/python3.11/concurrent/futures/thread.py").empty());
  CHECK(hashed("sha256", "/usr/lib/libcrypto.so.3", kEvents).empty());  // a short one
}

TEST_CASE("findings: what the main task of an event loop awaits, one after the other", "[findings]") {
  constexpr const char *kLoop = "/usr/lib/python3.11/asyncio/base_events.py",
                       *kStreams = "/usr/lib/python3.11/asyncio/streams.py";
  const auto awaits = [&](const char* last, const char* file, int calls, std::uint64_t ms) {
    FindingsRun run;
    auto at = below(run, run.train(3), "BaseEventLoop.run_until_complete", kLoop);
    at = below(run, at, "BaseEventLoop._run_once", kLoop);
    at = below(run, at, "EpollSelector.select", "/usr/lib/python3.11/selectors.py");
    at = run.line(at, run.code("train", "/app/train.py"), 20);
    if (last != nullptr) at = below(run, at, last, file);
    run.wait(at, "epoll_wait", "poll", calls, ms * kMs);
    return run.look("awaits-in-turn");
  };
  for (const std::uint64_t ms : {1200, 600}) {
    const auto found = awaits("StreamReader.readline", kStreams, 40, ms);
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(static_cast<double>(ms) / 2000));
    CHECK(lines_of(found.front()) == std::vector<std::int64_t>{20});
  }
  CHECK(awaits("StreamReader.readline", kStreams, 40, 150).empty());
  CHECK(awaits("StreamReader.readline", kStreams, 4, 1200).empty());
  // Many at once, a time, a server, something unknown.
  CHECK(awaits("gather", "/usr/lib/python3.11/asyncio/tasks.py", 40, 1200).empty());
  CHECK(awaits("Server.serve_forever", kLoop, 40, 1200).empty());
  CHECK(awaits(nullptr, nullptr, 40, 1200).empty());
}

namespace {

// train() awaits work() through gather(), and that awaits `last`; callbacks of `beside` have CPU time.
std::vector<findings::Finding> gathered(const char* rule, const char* last, const char* file, std::uint64_t ms,
                                        const char* beside) {
  constexpr const char* kLoop = "/usr/lib/python3.11/asyncio/base_events.py";
  FindingsRun run;
  const auto runs = below(run, run.train(3), "BaseEventLoop.run_until_complete", kLoop);
  const auto once = below(run, runs, "BaseEventLoop._run_once", kLoop);
  auto at = below(run, once, "EpollSelector.select", "/usr/lib/python3.11/selectors.py");
  at = run.line(at, run.code("train", "/app/train.py"), 20);
  at = run.line(at, run.code("work", "/app/train.py"), 30);
  run.wait(below(run, at, last, file), "epoll_wait", "poll", 40, ms * kMs);
  const auto calls = below(run, once, "Handle._run", "/usr/lib/python3.11/asyncio/events.py");
  run.log.cpu(run.line(calls, run.code(beside, "/app/train.py"), 31), 10, 100 * kMs);
  run.log.header.cpu_ns = 100 * kMs;
  return run.look(rule);
}

}  // namespace

// Catches a task that is gathered taken for one of others that run beside the main one.
TEST_CASE("findings: the one task that gather() waits for", "[findings]") {
  constexpr const char* kStreams = "/usr/lib/python3.11/asyncio/streams.py";
  for (const std::uint64_t ms : {1200, 600}) {
    const auto found = gathered("awaits-in-turn", "StreamReader.readline", kStreams, ms, "work");
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(static_cast<double>(ms) / 2000));
    REQUIRE_FALSE(found.front().places.empty());
    CHECK(found.front().places.front().line == 30);
  }
  CHECK(gathered("awaits-in-turn", "StreamReader.readline", kStreams, 1200, "serve").empty());
}

// Catches servers in the same loop taken for others that are at work beside the one who awaits them.
TEST_CASE("findings: peers in the same loop, awaited one after the other", "[findings]") {
  constexpr const char *kLoop = "/usr/lib/python3.11/asyncio/base_events.py",
                       *kStreams = "/usr/lib/python3.11/asyncio/streams.py";
  // The server sent so often, and what it sent and what was received of it.
  const auto awaits = [&](std::uint64_t ms, std::uint64_t sends, std::uint64_t sent, std::uint64_t received) {
    FindingsRun run;
    const auto runs = below(run, run.train(3), "BaseEventLoop.run_until_complete", kLoop);
    const auto once = below(run, runs, "BaseEventLoop._run_once", kLoop);
    const auto select = below(run, once, "EpollSelector.select", "/usr/lib/python3.11/selectors.py");
    const auto main = run.code("train", "/app/train.py");
    run.wait(below(run, run.line(select, main, 20), "StreamReader.readline", kStreams), "epoll_wait", "poll", 40,
             ms * kMs);
    const auto calls = below(run, once, "Handle._run", "/usr/lib/python3.11/asyncio/events.py");
    run.log.cpu(run.line(calls, main, 21), 2, 20 * kMs);
    const auto serve = run.line(calls, run.code("serve", "/app/train.py"), 31);
    run.log.cpu(serve, 10, 100 * kMs);
    run.wait(serve, "send", "network", sends, 1 * kMs);
    const auto files = run.log.node(0, run.log.special(log::SpecialFrame::Files));
    const auto socket = [&](const char* name, std::uint64_t read_bytes, std::uint64_t write_bytes) {
      log::FileWords words{};
      words.reads = words.writes = 100;
      words.read_bytes = read_bytes;
      words.write_bytes = write_bytes;
      run.log.record(log::RecordClass::File, run.log.node(files, run.log.named(log::NameKind::File, name, "socket")),
                     words);
    };
    socket("tcp *:8000 (accepted)", 500, sent);
    socket("tcp 127.0.0.1:8000", received, 500);
    return run.look("awaits-in-turn");
  };
  for (const std::uint64_t ms : {1200, 600}) {
    const auto found = awaits(ms, 100, 9'000, 9'000);
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(static_cast<double>(ms) / 2000));
  }
  CHECK(awaits(1200, 200, 9'000, 9'000).empty());  // sends of its own, beside the answers
  CHECK(awaits(1200, 100, 9'000, 1'000).empty());  // answers others
}

TEST_CASE("findings: coroutines that sleep one after the other", "[findings]") {
  constexpr const char* kTasks = "/usr/lib/python3.11/asyncio/tasks.py";
  for (const std::uint64_t ms : {1200, 600}) {
    const auto found = gathered("sleeping", "sleep", kTasks, ms, "work");
    REQUIRE(found.size() == 1);
    CHECK(found.front().title == "Coroutines sleep one after the other");
    CHECK(found.front().saves == Approx(static_cast<double>(ms) / 2000));
  }
  CHECK(gathered("sleeping", "sleep", kTasks, 150, "work").empty());
  CHECK(gathered("sleeping", "sleep", kTasks, 1200, "serve").empty());
  CHECK(gathered("sleeping", "gather", kTasks, 1200, "work").empty());
}
