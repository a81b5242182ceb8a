// The rules about single lines of the program: what they wait for, what they spend their time in.
#include <fstream>
#include <tuple>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::below;
using test::FindingsRun;
using test::has;
using test::kMs;
using test::lines_of;

TEST_CASE("findings: a line that waits, by what it waits for", "[findings]") {
  const auto [rule, call, what] = GENERATE(table<const char*, const char*, const char*>({
      {"network-waits", "recv", "network"},
      {"network-waits", "poll", "poll"},
      {"sleeping", "clock_nanosleep", "sleep"},
      {"waiting-for-children", "wait4", "child"},
      {"waiting-for-files", "read", "file"},
      {"waiting-at-pipes", "read", "pipe"},
      {"synced-writes", "fsync", "file"},
  }));
  INFO(rule << ' ' << call);
  for (const std::uint64_t ms : {1200, 600}) {  // half of the fault is half of the amount
    FindingsRun run;
    run.log.header.cpu_ns = 100 * kMs;
    run.connects();
    run.wait(run.train(12), call, what, 40, ms * kMs);
    const auto found = run.look(rule);
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(static_cast<double>(ms) / 2000));
    CHECK(has(found.front().seen, "40 calls"));
    CHECK(lines_of(found.front()) == std::vector<std::int64_t>{12});
    CHECK(run.look().findings.size() == 1);  // said once
  }
  FindingsRun little;
  little.log.header.cpu_ns = 100 * kMs;
  little.connects();
  little.wait(little.train(12), call, what, 40, 150 * kMs);
  CHECK(little.look(rule).empty());
}

TEST_CASE("findings: an idle program sleeps, and one child that works is no fault", "[findings]") {
  FindingsRun idle;
  idle.log.header.cpu_ns = 5 * kMs;
  idle.wait(idle.train(12), "clock_nanosleep", "sleep", 40, 1900 * kMs);
  CHECK(idle.look().findings.empty());
  FindingsRun child;
  child.wait(child.train(12), "wait4", "child", 1, 1900 * kMs);
  CHECK(child.look().findings.empty());
}

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

TEST_CASE("findings: one activity that takes much of the CPU time", "[findings]") {
  const auto [rule, function, file] = GENERATE(table<const char*, const char*, const char*>({
      {"pickling", "dumps", "/usr/lib/python3.11/pickle.py"},
      {"deepcopy", "deepcopy", "/usr/lib/python3.11/copy.py"},
      {"logging", "Logger.info", "/usr/lib/python3.11/logging/__init__.py"},
      {"regular-expressions", "match", "/usr/lib/python3.11/re/__init__.py"},
  }));
  INFO(rule);
  FindingsRun run;
  run.log.cpu(below(run, run.train(30), function, file), 80, 800 * kMs);
  run.log.cpu(run.train(31), 80, 800 * kMs);
  const auto found = run.look(rule);
  REQUIRE(found.size() == 1);
  CHECK(has(found.front().seen, "800 ms of CPU time, 50.0 % of all"));
  CHECK(found.front().saves == Approx(0.4));
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{30});
  FindingsRun little;
  little.log.cpu(below(little, little.train(30), function, file), 10, 100 * kMs);
  little.log.cpu(little.train(31), 190, 1'900 * kMs);
  CHECK(little.look(rule).empty());
}

// Who reads each of many lines once spends half of his time on it.
TEST_CASE("findings: JSON that is more than half of all work", "[findings]") {
  const auto [ms, found] = GENERATE(table<std::uint64_t, std::size_t>({{850, 0}, {1'000, 1}}));
  FindingsRun run;
  run.log.cpu(below(run, run.train(30), "dumps", "/usr/lib/python3.11/json/__init__.py"), ms / 10, ms * kMs);
  run.log.cpu(run.train(31), 60, 600 * kMs);
  CHECK(run.look("json").size() == found);
}

// json.dump() and indent= make the text in Python; what is left is what json.dumps() takes.
TEST_CASE("findings: JSON that is written token by token", "[findings]") {
  for (const std::uint64_t half : {1, 2}) {
    FindingsRun run;
    const auto dump = below(run, run.train(30), "dump", "/usr/lib/python3.11/json/__init__.py");
    run.log.cpu(below(run, dump, "_make_iterencode.<locals>._iterencode_dict", "/usr/lib/python3.11/json/encoder.py"),
                80 / half, 800 / half * kMs);
    run.log.cpu(run.train(31), 120, 1'200 * kMs);
    const auto found = run.look("json");
    REQUIRE(found.size() == 1);
    CHECK(has(found.front().title, "token by token"));
    CHECK(found.front().saves == Approx(0.75 * 0.4 / static_cast<double>(half)).epsilon(0.3));
    CHECK(found.front().places.front().line == 30);
  }
}

// Catches loops that are told where something else says more of the same line.
TEST_CASE("findings: a hot loop of Python, unless more is known of it", "[findings]") {
  FindingsRun run;
  run.log.cpu(run.train(50), 150, 1'500 * kMs);
  const auto found = run.look("python-loop");
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.75));
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{50});

  FindingsRun known;
  known.log.cpu(known.train(50), 100, 1'000 * kMs);
  known.wait(known.train(50), "fsync", "file", 40, 800 * kMs);
  known.finish();
  const auto all = known.look().findings;
  REQUIRE(all.size() == 1);
  CHECK(all.front().rule == "synced-writes");

  // What explains only a little of it does not stand for it.
  FindingsRun both;
  both.log.cpu(both.train(50), 150, 1'500 * kMs);
  both.wait(both.train(50), "fsync", "file", 40, 400 * kMs);
  CHECK(both.look().findings.size() == 2);
}

// Catches waits of the whole run that are told as a share of its steps.
TEST_CASE("findings: a wait before the training is no part of its steps", "[findings]") {
  FindingsRun run;
  run.log.header.cpu_ns = 300 * kMs;
  run.steps(10, 20);
  run.connects();
  run.wait(run.train(12), "recv", "network", 40, 600 * kMs);
  const auto found = run.look("network-waits");
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.3));  // of two seconds, not of 200 ms
}

TEST_CASE("findings: text for messages of a log", "[findings]") {
  const auto [line, written, is] = GENERATE(table<const char*, bool, bool>({
      {"    log.debug(f\"state {state}\")", false, true},
      {"    self.logger.info('state %s' % state)", false, true},
      {"    LOG.debug(\"state %s\", dump(state))", false, true},
      {"    log.debug(f\"state {state}\")", true, false},  // somebody wants it
      {"    log.debug(\"state %s\", state)", false, false},
      {"    queue.debug(f\"state {state}\")", false, false},
      {"    log.warning(f\"state {state}\")", false, false},
  }));
  const std::uint64_t half = GENERATE(1, 2);
  INFO(line);
  FindingsRun run;
  const std::string file = run.directory() / "app.py";
  std::ofstream(file) << "# one\n" << line << "\n";
  const auto call = run.line(0, run.code("step", file), 2);
  const auto text = run.line(call, run.code("State.__repr__", "/app/state.py"), 9);
  run.log.cpu(text, 80 / half, 800 / half * kMs);
  if (written)
    run.log.cpu(below(run, call, "Logger._log", "/usr/lib/python3.11/logging/__init__.py"), 40 / half,
                400 / half * kMs);
  run.log.cpu(run.train(31), 40, 400 * kMs);
  const auto found = run.look("log-texts");
  REQUIRE(found.size() == (is ? 1U : 0U));
  if (!is) return;
  CHECK(found.front().saves == Approx(0.4 / static_cast<double>(half)));
  CHECK(found.front().places == std::vector<findings::Place>{{file, 2, "step"}});
}

TEST_CASE("findings: numpy called for a few numbers at a time", "[findings]") {
  const auto small_arrays = [](std::uint64_t in_numpy_ms, std::uint64_t calling_ms, std::uint64_t largest = 800) {
    FindingsRun run;
    run.log.header.heap.epoch = 1;
    const auto numpy =
        run.log.node(run.train(60), run.log.native(run.log.module("/v/site-packages/numpy/core/_umath.so"), 0x100));
    run.log.cpu(numpy, 40, in_numpy_ms * kMs);
    run.log.cpu(run.interpreter(numpy), 20, calling_ms * kMs);
    log::HeapWords words =
        test::memory_words(50 * log::kCountUnit, 50 * largest, 50 * log::kCountUnit, 50 * largest, largest, 1, 50);
    words.largest = largest;
    run.log.memory(log::RecordClass::Heap, numpy, words);
    run.log.cpu(run.train(61), 40, 400 * kMs);
    return run.look("small-arrays");
  };
  for (const std::uint64_t half : {1, 2}) {
    const auto found = small_arrays(400 / half, 400 / half);
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(0.4 / static_cast<double>(half)));
    CHECK(lines_of(found.front()) == std::vector<std::int64_t>{60});
  }
  CHECK(small_arrays(780, 20).empty());           // whole arrays
  CHECK(small_arrays(400, 400, 16'000).empty());  // two thousand numbers
  CHECK(small_arrays(30, 30).empty());
}

TEST_CASE("findings: sleeping while others work is not all to be saved", "[findings]") {
  const auto sleeps = [](std::uint64_t others_ms) {
    FindingsRun run;
    run.log.header.cpu_ns = (100 + others_ms) * kMs;
    run.log.thread(1);
    run.wait(run.train(12), "clock_nanosleep", "sleep", 40, 1600 * kMs);
    if (others_ms > 0) run.log.cpu(run.train(30), others_ms / 10, others_ms * kMs, 1);
    return run.look("sleeping");
  };
  REQUIRE(sleeps(0).size() == 1);
  CHECK(sleeps(0).front().saves == Approx(0.8));
  REQUIRE(sleeps(1000).size() == 1);
  CHECK(sleeps(1000).front().saves == Approx(0.3));
  CHECK(has(sleeps(1000).front().seen, "were at work for 1.00 s meanwhile"));
  CHECK(sleeps(1500).empty());
}

// What the heap is made of is C: an interpreter without names is told by the line's source.
TEST_CASE("findings: heaps that are made anew", "[findings]") {
  const char* source = GENERATE("    heapq.heapify(self.heap)", "    heapq.heappush(self.heap, entry)");
  FindingsRun run;
  const std::string file = run.directory() / "app.py";
  std::ofstream(file) << "# one\n" << source << "\n";
  run.log.cpu(run.interpreter(run.line(0, run.code("step", file), 2)), 80, 800 * kMs);
  run.log.cpu(run.train(31), 40, 400 * kMs);
  const auto found = run.look("heaps-made-anew");
  if (std::string(source).find("heapify") == std::string::npos) {
    CHECK(found.empty());
    return;
  }
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.4));
}

// Catches a comparison with a constant, and what was compared a few times taken for a key each.
TEST_CASE("findings: all of the data compared with one key after the other", "[findings]") {
  const auto scans = [](const std::vector<std::string>& lines, std::uint32_t number, std::uint64_t ms) {
    FindingsRun run;
    const std::string file = run.directory() / "app.py";
    std::ofstream out(file);
    for (const std::string& line : lines) out << line << "\n";
    out.close();
    const auto line = run.line(0, run.code("step", file), number);
    run.log.cpu(below(run, line, "__eq__", "/v/site-packages/pandas/core/series.py"), ms / 10, ms * kMs);
    run.log.cpu(run.train(31), 40, 400 * kMs);
    return run.look("key-scans");
  };
  const std::vector<std::string> loop{"def all(df, keys):", "    for key in keys:", "        part = df[df.key == key]"};
  for (const std::uint64_t half : {1, 2}) {
    const auto found = scans(loop, 3, 800 / half);
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(0.4 / static_cast<double>(half)));
    CHECK(found.front().places.front().line == 3);
  }
  CHECK(scans(loop, 3, 40).empty());
  CHECK(scans({"    rows = [df[df['a'] == k].sum() for k in keys]"}, 1, 800).size() == 1);
  // Catches arrays that are compared with each other.
  CHECK(scans({"for a, b in pairs:", "    n = (a == b).sum()"}, 2, 800).empty());
  CHECK(scans({"def accuracy(pred, target):", "    return (pred == target).mean()"}, 2, 800).empty());
  CHECK(scans({std::string(1 << 20, ' ') + "== key"}, 1, 800).empty());
  const std::vector<std::string> argument{
      "class A:", "    def rows(self, key: str):", "        return df[df.key == key]"};
  CHECK(scans(argument, 3, 800).size() == 1);
  CHECK(scans(argument, 3, 250).empty());
  CHECK(scans({"for key in keys:", "    part = df[df.key == 'a']"}, 2, 800).empty());
  CHECK(scans({"for key in keys:", "    part = df[df.key == self.key]"}, 2, 800).empty());
  CHECK(scans({"for row in rows.itertuples():", "    part = df[df['key'] == row.key]"}, 2, 800).size() == 1);
  CHECK(scans({"for row in rows.itertuples():", "    part = df[df['key'] == row.key()]"}, 2, 800).empty());
  CHECK(scans({"for batch in loader:", "    hits += (guess == batch.target).sum()"}, 2, 800).empty());
  CHECK(scans({"for key in keys:", "    pass", "part = df[df.key == best]"}, 3, 800).empty());
  // What is done with the mask goes through all of the data, too.
  const std::vector<std::string> mask{"for key in keys:",
                                      "    mask = labels == key  # one of them",
                                      "    n = 0",
                                      "    sums.append(image[mask].mean())",
                                      "    sums.append(masks[key])",
                                      "mask.any()"};
  CHECK(scans(mask, 4, 800).size() == 1);
  CHECK(scans(mask, 5, 800).empty());
  CHECK(scans(mask, 6, 800).empty());
  // What was picked by a mask is no mask, and what is computed of it is something else.
  const std::vector<std::string> picked{"def monthly(df, month):", "    part = df[df['month'] == month]",
                                        "    sums = part.groupby(['shop', 'article'])['value'].sum()",
                                        "    return part.corr()",
                                        "    mean = df[df.month == month].groupby('shop').mean()"};
  CHECK(scans(picked, 2, 800).size() == 1);
  for (const std::uint32_t line : {3, 4, 5}) CHECK(scans(picked, line, 800).empty());
}

// Catches peers that take 40 ms by themselves.
TEST_CASE("findings: requests in small parts that wait for acknowledgements", "[findings]") {
  const auto found = [](std::uint64_t parts, std::uint64_t each_ms) {
    FindingsRun run;
    run.log.header.cpu_ns = 100 * kMs;
    run.connects();
    run.wait(run.train(12), "recv", "network", 40, 40 * each_ms * kMs);
    const auto spread = [&](const char* call, std::uint64_t count, std::uint64_t ns) {
      log::SpreadWords words{};
      words.count[log::spread_class(ns)] = count;
      const std::uint32_t root = run.log.node(0, run.log.special(log::SpecialFrame::Spreads));
      run.log.record(log::RecordClass::Spread, run.log.node(root, run.log.named(log::NameKind::Wait, call, "network")),
                     words);
    };
    spread("recv", 40, each_ms * kMs);
    spread("send", 40 * parts, 20'000);
    for (const std::uint32_t line : {31, 30}) run.wait(run.train(line), "send", "network", 20 * parts, 40'000);
    run.wait(run.train(29), "send", "network", 2, 40'000);
    const auto findings = run.look("network-waits");
    REQUIRE(findings.size() == 1);
    return findings.front();
  };
  CHECK(has(found(2, 41).advice, "TCP_NODELAY"));
  CHECK(has(found(2, 44).title, "Small parts"));
  CHECK(has(found(2, 44).seen, "(88.0 % of the run's time). 40 times about 40 ms of it went by"));
  CHECK(lines_of(found(2, 44)) == std::vector<std::int64_t>{30, 31, 12});
  CHECK(lines_of(found(2, 20)).front() == 12);
  CHECK_FALSE(has(found(1, 41).advice, "TCP_NODELAY"));
  CHECK_FALSE(has(found(2, 20).advice, "TCP_NODELAY"));
}

// Catches a server that computes most of all, and is asked alone, judged in place of whoever keeps both waiting.
TEST_CASE("findings: requests in small parts to a server that does most of the work", "[findings]") {
  const auto found = [](std::uint64_t each_ms) {
    FindingsRun server, client;
    server.log.header.cpu_ns = 400 * kMs;
    server.wait(server.train(1), "accept4", "network", 1, 0);
    server.log.cpu(server.train(50), 40, 400 * kMs);
    client.becomes_child(501, 500, 0, 2'000);
    client.log.header.cpu_ns = 20 * kMs;
    client.connects();
    client.wait(client.train(12), "recv", "network", 40, 40 * each_ms * kMs);
    const std::uint32_t root = client.log.node(0, client.log.special(log::SpecialFrame::Spreads));
    for (const auto& [call, count, ns] : {std::tuple("recv", 40, each_ms * kMs), std::tuple("send", 80, 20'000UL)}) {
      log::SpreadWords words{};
      words.count[log::spread_class(ns)] = static_cast<std::uint64_t>(count);
      client.log.record(log::RecordClass::Spread,
                        client.log.node(root, client.log.named(log::NameKind::Wait, call, "network")), words);
    }
    for (const std::uint32_t line : {31, 30}) client.wait(client.train(line), "send", "network", 40, 40'000);
    client.write_into(server);
    return server.look("network-waits");
  };
  const auto delayed = found(44);
  REQUIRE(delayed.size() == 1);
  CHECK(has(delayed.front().title, "Small parts"));
  CHECK(lines_of(delayed.front()) == std::vector<std::int64_t>{30, 31, 12});
  CHECK(found(20).empty());
}

// Catches a thread that waits for what the program computes, and one that has nothing to do with it.
TEST_CASE("findings: a peer in the run that waits for the second part of each request", "[findings]") {
  // The program waits so often and so long for its peer, which waits for it 40 times so long.
  const auto found = [](std::uint64_t each_ms, std::uint64_t peer_ms, std::uint64_t requests = 40) {
    FindingsRun run;
    run.log.header.cpu_ns = 100 * kMs;
    run.log.header.end_monotonic_ns = run.log.header.start_monotonic_ns + 3'000 * kMs;
    run.connects();
    const std::uint32_t root = run.log.node(0, run.log.special(log::SpecialFrame::Spreads));
    const auto spread = [&](const char* call, std::uint64_t count, std::uint64_t ns, std::uint32_t slot) {
      log::SpreadWords words{};
      words.count[log::spread_class(ns)] = count;
      run.log.record(log::RecordClass::Spread, run.log.node(root, run.log.named(log::NameKind::Wait, call, "network")),
                     words, slot);
    };
    run.wait(run.train(12), "recv", "network", requests, requests * each_ms * kMs);
    for (const std::uint32_t line : {31, 30}) run.wait(run.train(line), "send", "network", 40, 40'000);
    spread("recv", requests, each_ms * kMs, 0);
    spread("send", 80, 20'000, 0);
    run.log.thread(1);
    run.log.cpu(run.train(50), 1, 10 * kMs, 1);
    run.wait(run.train(52), "recv", "network", 40, 40 * peer_ms * kMs, 1);
    spread("recv", 40, peer_ms * kMs, 1);
    const auto findings = run.look("network-waits");
    REQUIRE(findings.size() == 1);
    return findings.front();
  };
  CHECK(has(found(70, 41).title, "Small parts"));
  CHECK(has(found(70, 41).seen, "40 times about 40 ms of it went by"));
  CHECK_FALSE(has(found(70, 20).title, "Small parts"));
  CHECK_FALSE(has(found(15, 41).title, "Small parts"));      // no wait is as long
  CHECK_FALSE(has(found(55, 41).title, "Small parts"));      // while the one waits the other computes
  CHECK_FALSE(has(found(70, 41, 25).title, "Small parts"));  // other requests
}
