// The rules about single lines of the program: what they wait for, what they spend their time in.
#include <fstream>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;
using test::lines_of;

namespace {

std::uint32_t below(FindingsRun& run, std::uint32_t above, const char* function, const char* file) {
  return run.line(above, run.code(function, file), 5);
}

}  // namespace

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
  FindingsRun run;
  const auto loop = below(run, run.train(3), "BaseEventLoop._run_once", "/usr/lib/python3.11/asyncio/base_events.py");
  const auto handle = below(run, loop, "Handle._run", "/usr/lib/python3.11/asyncio/events.py");
  run.wait(run.line(handle, run.code("train", "/app/train.py"), 20), "clock_nanosleep", "sleep", 10, 800 * kMs);
  // The loop's own wait is none.
  run.wait(below(run, loop, "EpollSelector.select", "/usr/lib/python3.11/selectors.py"), "epoll_wait", "poll", 100,
           900 * kMs);
  const auto found = run.look("event-loop-blocked");
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.4));
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{20});
  CHECK(run.look("sleeping").empty());
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

TEST_CASE("findings: one activity that takes much of the CPU time", "[findings]") {
  const auto [rule, function, file] = GENERATE(table<const char*, const char*, const char*>({
      {"json", "dumps", "/usr/lib/python3.11/json/__init__.py"},
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

namespace {

// 600 ms of 2 s below a function that line 40 calls, which allocated so much and held so much of it at once.
FindingsRun& library_call(FindingsRun& run, const char* function, const char* file, std::uint64_t allocated,
                          std::uint64_t peak) {
  const auto at =
      below(run, below(run, run.train(40), function, file), "inner", "/v/site-packages/numpy/core/numeric.py");
  run.log.cpu(at, 60, 600 * kMs);
  run.log.cpu(run.train(41), 60, 600 * kMs);
  run.log.memory(log::RecordClass::Heap, at,
                 test::memory_words(50 * log::kCountUnit, allocated, 50 * log::kCountUnit, allocated, peak, 1, 50));
  return run;
}

void add_children(FindingsRun& run, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    FindingsRun child;
    child.log.header.pid = 501 + i;
    child.log.header.log_id = 501 + i;
    child.log.header.ppid = 500;
    child.log.header.parent_log_id = 500;
    child.log.write(run.directory() / (std::to_string(501 + i) + ".1.proflog"));
  }
}

}  // namespace

TEST_CASE("findings: functions of libraries that are known to be slow", "[findings]") {
  const auto [rule, function, file] = GENERATE(table<const char*, const char*, const char*>({
      {"row-by-row", "DataFrame.iterrows", "/v/site-packages/pandas/core/frame.py"},
      {"growing-by-copies", "concat", "/v/site-packages/pandas/core/reshape/concat.py"},
      {"checkpoints", "save", "/v/site-packages/torch/serialization.py"},
      {"date-parsing", "_strptime", "/usr/lib/python3.11/_strptime.py"},
      {"tracebacks", "format_exc", "/usr/lib/python3.11/traceback.py"},
      {"yaml", "scan_plain", "/usr/lib/python3/dist-packages/yaml/scanner.py"},
      {"manager-proxies", "_callmethod", "/usr/lib/python3.11/multiprocessing/managers.py"},
      {"text-arrays", "genfromtxt", "/v/site-packages/numpy/lib/npyio.py"},
      {"vectorize", "vectorize._vectorize_call", "/v/site-packages/numpy/lib/function_base.py"},
  }));
  INFO(rule);
  FindingsRun run;
  library_call(run, function, file, 400 << 20, 10 << 20);
  const auto found = run.look(rule);
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.3));
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{40});
}

TEST_CASE("findings: a function of a library that takes little of the time", "[findings]") {
  FindingsRun run;
  run.log.cpu(below(run, run.train(40), "save", "/v/site-packages/torch/serialization.py"), 18, 180 * kMs);
  run.log.cpu(run.train(41), 60, 600 * kMs);
  CHECK(run.look("checkpoints").empty());
}

// Catches the time that a parent spends in vfork(), which no call is seen in.
TEST_CASE("findings: processes that are started again and again, with what nobody saw meanwhile", "[findings]") {
  FindingsRun run;
  library_call(run, "Popen.__init__", "/usr/lib/python3.11/subprocess.py", 0, 0);
  run.wait(run.train(42), "read", "pipe", 1, 400 * kMs);
  run.queue(100);
  add_children(run, 12);
  const auto found = run.look("process-starts");
  REQUIRE(found.size() == 1);
  // Of two seconds it computed for 1.2, half of it in Popen, read for 0.4, and was ready for 0.1: the rest was unseen.
  CHECK(found.front().saves == Approx((0.6 * (1 + 0.1 / 1.2) + 0.3) / 2));
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{40});
}

// Catches what is done once, and takes its time, told as done again and again.
TEST_CASE("findings: one large join and one child are no faults", "[findings]") {
  FindingsRun join;
  library_call(join, "concat", "/v/site-packages/pandas/core/reshape/concat.py", 400 << 20, 390 << 20);
  CHECK(join.look("growing-by-copies").empty());
  FindingsRun child;
  library_call(child, "Popen.__init__", "/usr/lib/python3.11/subprocess.py", 0, 0);
  add_children(child, 1);
  CHECK(child.look("process-starts").empty());
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
  run.wait(run.train(12), "recv", "network", 40, 600 * kMs);
  const auto found = run.look("network-waits");
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.3));  // of two seconds, not of 200 ms
}

// Catches the loop over a frame told without what it asks of each row.
TEST_CASE("findings: what a loop asks of the rows of a data frame is part of going through them", "[findings]") {
  FindingsRun run;
  constexpr const char* kSeries = "/v/site-packages/pandas/core/series.py";
  run.log.cpu(below(run, run.train(40), "DataFrame.iterrows", "/v/site-packages/pandas/core/frame.py"), 40, 400 * kMs);
  run.log.cpu(below(run, run.train(41), "Series.__getitem__", kSeries), 40, 400 * kMs);
  run.log.cpu(below(run, run.line(0, run.code("other", "/app/other.py"), 9), "Series.__getitem__", kSeries), 40,
              400 * kMs);
  const auto found = run.look("row-by-row");
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.4));
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{40, 41});
}

// Catches what a worker loses counted for the program's main thread, which waits for it.
TEST_CASE("findings: a Manager's objects that workers use", "[findings]") {
  FindingsRun run;
  run.log.cpu(run.train(20), 150, 1'500 * kMs);
  FindingsRun worker;
  worker.becomes_child(501, 500, 0, 2'000);
  const auto proxy =
      below(worker, worker.train(60), "BaseProxy._callmethod", "/usr/lib/python3.11/multiprocessing/managers.py");
  worker.wait(below(worker, proxy, "Connection.recv", "/usr/lib/python3.11/multiprocessing/connection.py"), "read",
              "pipe", 10'000, 1'200 * kMs);
  worker.write_into(run);
  const auto found = run.look("manager-proxies");
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.6));
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{60});
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
  INFO(line);
  FindingsRun run;
  const std::string file = run.directory() / "app.py";
  std::ofstream(file) << "# one\n" << line << "\n";
  const auto call = run.line(0, run.code("step", file), 2);
  const auto text = run.line(call, run.code("State.__repr__", "/app/state.py"), 9);
  run.log.cpu(text, 80, 800 * kMs);
  if (written) run.log.cpu(below(run, call, "Logger._log", "/usr/lib/python3.11/logging/__init__.py"), 40, 400 * kMs);
  run.log.cpu(run.train(31), 40, 400 * kMs);
  const auto found = run.look("log-texts");
  REQUIRE(found.size() == (is ? 1U : 0U));
  if (!is) return;
  CHECK(found.front().saves == Approx(0.4));
  CHECK(found.front().places == std::vector<findings::Place>{{file, 2, "step"}});
}

TEST_CASE("findings: numpy called for a few numbers at a time", "[findings]") {
  const auto small_arrays = [](std::uint64_t in_numpy_ms, std::uint64_t calling_ms) {
    FindingsRun run;
    const auto numpy = run.log.node(run.train(60), run.log.native(run.log.module("/v/numpy/core/_umath.so"), 0x100));
    run.log.cpu(numpy, 40, in_numpy_ms * kMs);
    run.log.cpu(run.interpreter(numpy), 20, calling_ms * kMs);
    run.log.cpu(run.train(61), 40, 400 * kMs);
    return run.look("small-arrays");
  };
  for (const std::uint64_t half : {1, 2}) {
    const auto found = small_arrays(400 / half, 400 / half);
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(0.4 / static_cast<double>(half)));
    CHECK(lines_of(found.front()) == std::vector<std::int64_t>{60});
  }
  CHECK(small_arrays(780, 20).empty());  // whole arrays
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

// Catches savings that add up to more than there is.
TEST_CASE("findings: the same second is claimed once", "[findings]") {
  FindingsRun run;
  const auto loop = below(run, run.train(3), "BaseEventLoop._run_once", "/usr/lib/python3.11/asyncio/base_events.py");
  const auto handle = below(run, loop, "Handle._run", "/usr/lib/python3.11/asyncio/events.py");
  const auto line = run.line(handle, run.code("train", "/app/train.py"), 20);
  run.wait(below(run, line, "run", "/usr/lib/python3.11/subprocess.py"), "poll", "poll", 40, 1200 * kMs);
  run.log.cpu(run.train(31), 80, 800 * kMs);
  add_children(run, 12);
  const findings::Outcome all = run.look();
  REQUIRE(all.findings.size() == 1);
  CHECK(all.findings.front().rule == "event-loop-blocked");
  CHECK(has(all.findings.front().seen, "Part of it (1.20 s): Processes are started again and again."));
}

TEST_CASE("findings: two things at one line that each have their own time", "[findings]") {
  FindingsRun run;
  run.log.cpu(below(run, run.train(30), "deepcopy", "/usr/lib/python3.11/copy.py"), 60, 600 * kMs);
  run.log.cpu(below(run, run.train(30), "Logger.info", "/usr/lib/python3.11/logging/__init__.py"), 60, 600 * kMs);
  CHECK(run.look("deepcopy").size() == 1);
  CHECK(run.look("logging").size() == 1);
}

TEST_CASE("findings: a Python function called for each group of a data frame", "[findings]") {
  for (const std::uint64_t half : {1, 2}) {
    FindingsRun run;
    const auto call = run.train(30);
    const auto groups = below(run, call, "_transform_general", "/v/site-packages/pandas/core/groupby/generic.py");
    const auto function = run.line(groups, run.code("train.<locals>.<lambda>", "/app/train.py"), 31);
    run.log.cpu(function, 20, 200 * kMs / half);
    run.log.cpu(below(run, function, "mean", "/v/site-packages/pandas/core/generic.py"), 80, 800 * kMs / half);
    run.log.cpu(run.train(41), 40, 400 * kMs);
    const auto found = run.look("python-for-groups");
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(0.5 / static_cast<double>(half)));
    CHECK(lines_of(found.front()) == std::vector<std::int64_t>{30});
  }
  FindingsRun named;
  named.log.cpu(below(named, named.train(30), "transform", "/v/site-packages/pandas/core/groupby/generic.py"), 100,
                1'000 * kMs);
  CHECK(named.look("python-for-groups").empty());
}

TEST_CASE("findings: weighted choices", "[findings]") {
  FindingsRun run;
  run.log.cpu(below(run, run.train(30), "Random.choices", "/usr/lib/python3.11/random.py"), 80, 800 * kMs);
  run.log.cpu(below(run, run.train(30), "Random.uniform", "/usr/lib/python3.11/random.py"), 20, 200 * kMs);
  const auto found = run.look("random-choices");
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.4));
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
