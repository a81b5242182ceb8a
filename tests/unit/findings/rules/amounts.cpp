// How much rules tell, where more than the fault's own line belongs to it, or less can be saved than it takes.
#include <fstream>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;
using test::lines_of;

// A search of the list comes with each heap that is made anew.
TEST_CASE("findings: what is searched for in a list before its heap is made anew", "[findings]") {
  for (const std::uint64_t half : {1, 2}) {
    FindingsRun run;
    const std::string file = run.directory() / "app.py";
    std::ofstream(file) << "# one\n    self.heap.remove(entry)\n    heapq.heapify(self.heap)\n";
    const auto code = run.code("lower", file);
    run.log.cpu(run.interpreter(run.line(0, code, 3)), 60 / half, 600 * kMs / half);
    run.log.cpu(run.train(31), 40, 400 * kMs);
    const auto found = run.look("heaps-made-anew");
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(0.3 / static_cast<double>(half)));
  }
}

// Catches what compares the elements, which is code of the user's own, left out.
TEST_CASE("findings: heaps of objects that compare themselves", "[findings]") {
  const std::uint64_t heap_ms = GENERATE(300, 50);
  FindingsRun run;
  const std::string file = run.directory() / "app.py";
  std::ofstream(file) << "# one\n    heapq.heapify(self.heap)\n";
  const auto line = run.line(0, run.code("lower", file), 2);
  run.log.cpu(run.interpreter(line), heap_ms / 10, heap_ms * kMs);
  run.log.cpu(run.line(line, run.code("__lt__", "<string>"), 2), 60, 600 * kMs);
  run.log.cpu(run.train(31), 40, 400 * kMs);
  const auto found = run.look("heaps-made-anew");
  REQUIRE(found.size() == (heap_ms == 300 ? 1 : 0));
  if (!found.empty()) CHECK(found.front().saves == Approx(0.45));
}

// One column without a format, told before as single values.
TEST_CASE("findings: a column of dates that goes through dateutil", "[findings]") {
  const auto dates = [](const char* rule, std::uint64_t pandas_ms, std::uint64_t dateutil_ms) {
    FindingsRun run;
    const auto column =
        run.line(run.train(12), run.code("to_datetime", "/v/site-packages/pandas/core/tools/datetimes.py"), 9);
    run.log.cpu(column, pandas_ms / 10, pandas_ms * kMs);
    const auto parser = run.line(column, run.code("parser._parse", "/v/site-packages/dateutil/parser/_parser.py"), 9);
    run.log.cpu(parser, dateutil_ms / 10, dateutil_ms * kMs);
    run.log.cpu(run.train(41), 40, 400 * kMs);
    return run.look(rule);
  };
  for (const std::uint64_t half : {1, 2}) {
    CHECK(dates("dates-one-by-one", 100 / half, 900 / half).empty());
    const auto found = dates("date-parsing", 100 / half, 900 / half);
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(0.5 / static_cast<double>(half)));
  }
  CHECK(dates("dates-one-by-one", 600, 300).size() == 1);
}

// Catches a column with a format, which pandas takes with much of the interpreter's code, told as single values.
TEST_CASE("findings: a column of dates with a format", "[findings]") {
  const auto dates = [](std::uint64_t column_ms, std::uint64_t pandas_ms) {
    FindingsRun run;
    const auto call =
        run.line(run.train(12), run.code("to_datetime", "/v/site-packages/pandas/core/tools/datetimes.py"), 9);
    run.log.cpu(call, pandas_ms / 10, pandas_ms * kMs);
    const auto file = run.log.module("/v/site-packages/pandas/_libs/tslibs/strptime.cpython-311-x86_64-linux-gnu.so");
    run.log.cpu(run.interpreter(run.log.node(call, run.log.native(file, 0x40))), column_ms / 10, column_ms * kMs);
    run.log.cpu(run.train(41), 40, 400 * kMs);
    return run.look("dates-one-by-one").size();
  };
  CHECK(dates(600, 200) == 0);
  CHECK(dates(200, 600) == 1);
}

// Short programs are told of where nearly all of them is one thing.
TEST_CASE("findings: JSON in a program of a fifth of a second", "[findings]") {
  const auto json = [](std::uint64_t ms, std::uint64_t other_ms) {
    FindingsRun run;
    run.log.header.end_monotonic_ns = run.log.header.start_monotonic_ns + 250 * kMs;
    const auto dumps = run.line(run.train(8), run.code("dumps", "/usr/lib/python3.11/json/__init__.py"), 200);
    run.log.cpu(dumps, ms / 10, ms * kMs);
    run.log.cpu(run.train(9), other_ms / 10, other_ms * kMs);
    return run.look("json");
  };
  CHECK(json(160, 30).size() == 1);
  CHECK(json(90, 20).empty());
  CHECK(json(160, 160).empty());
}

// Catches what the file does that is written to, as to compress, told as JSON's work.
TEST_CASE("findings: JSON that is written to a file which compresses", "[findings]") {
  const auto json = [](const char* beyond) {
    FindingsRun run;
    const auto dump = run.line(run.train(8), run.code("dump", "/usr/lib/python3.11/json/__init__.py"), 179);
    run.log.cpu(dump, 2, 20 * kMs);
    run.log.cpu(run.line(dump, run.code("write", beyond), 288), 120, 1'200 * kMs);
    return run.look("json");
  };
  CHECK(json("/usr/lib/python3.11/gzip.py").empty());
  CHECK(json("/usr/lib/python3.11/json/encoder.py").size() == 1);
}

namespace {

// A loop at line 7 whose loader has made `rounds` pairs of workers, each of which hardly worked.
std::vector<findings::Finding> respawned(std::uint32_t rounds, std::uint64_t first_ms, bool busy = false,
                                         std::uint64_t step_ms = 80, std::uint64_t data_ms = 1,
                                         std::uint64_t agent_ms = 0) {
  constexpr const char* kLoader = "/usr/lib/python3/dist-packages/torch/utils/data/dataloader.py";
  FindingsRun run;
  run.steps(20, step_ms, log::StepPart::Data, data_ms);
  const auto next = run.line(run.train(7), run.code("_BaseDataLoaderIter.__next__", kLoader), 60);
  run.wait(next, "poll", "poll", rounds, rounds * first_ms * kMs);
  const auto iter = run.line(run.train(7), run.code("DataLoader.__iter__", kLoader), 70);
  const auto starts = run.line(iter, run.code("_MultiProcessingDataLoaderIter.__init__", kLoader), 90);
  run.log.cpu(starts, rounds, rounds * 10 * kMs);
  run.log.cpu(run.train(9), 10, 100 * kMs);
  const std::string file = "/usr/lib/python3/dist-packages/torch/utils/data/_utils/worker.py";
  for (std::uint32_t i = 0; i < 2 * rounds; ++i) {
    FindingsRun worker;
    worker.becomes_child(501 + i, 500, 100 + i / 2 * 100, 90);
    worker.log.header.parent_log_id = 500;
    const auto loop = worker.line(worker.train(7), worker.code("_worker_loop", file), 200);
    worker.log.cpu(loop, 1, (busy ? 81 : 1) * kMs);
    const auto get = worker.line(loop, worker.code("Queue.get", "/usr/lib/python3.11/multiprocessing/queues.py"), 9);
    worker.wait(get, "poll", "poll", 5, (busy ? 1 : 80) * kMs);
    if (busy) worker.queue(1);
    if (agent_ms > 0) {
      worker.log.header.cpu_ns = worker.log.thread(0).cpu_ns = 10 * kMs;
      worker.log.thread(0).agent_ns = agent_ms * kMs;
    }
    worker.write_into(run);
  }
  return run.look("waiting-for-data");
}

}  // namespace

TEST_CASE("findings: workers of a loader that are started anew for each pass", "[findings]") {
  for (const std::uint64_t half : {1, 2}) {
    const auto found = respawned(10, 60 / half);
    REQUIRE(found.size() == 1);
    CHECK(found.front().title == "The workers of a DataLoader are started anew for each pass");
    CHECK(has(found.front().seen, "20 workers in 10 rounds"));
    CHECK(has(found.front().advice, "persistent_workers"));
    CHECK(found.front().places.front().line == 7);
    // Of ten rounds nine are needless.
    CHECK(found.front().saves_ns > static_cast<std::int64_t>((600 / half + 60) * kMs * 9 / 10));
    CHECK(found.front().saves_ns < static_cast<std::int64_t>((600 / half + 140) * kMs * 9 / 10));
  }
  for (const auto& finding : respawned(2, 200)) CHECK(!has(finding.title, "started anew"));
  // What recording the workers takes is waited for, too, and not without it: 2.9 ms of each of twenty, in 9 of 10
  // rounds.
  CHECK(respawned(10, 60).front().saves_ns - respawned(10, 60, false, 80, 1, 2).front().saves_ns ==
        Approx(20 * 2.895 * 0.9 * static_cast<double>(kMs)).epsilon(0.01));
  // Catches workers that open their data anew in each round taken for slow ones, and slow ones taken for those.
  const auto anew = [](const std::vector<findings::Finding>& found) {
    REQUIRE(found.size() == 1);
    return has(found.front().title, "started anew");
  };
  const auto busy = respawned(10, 60, true, 4, 1);
  CHECK(anew(busy));
  CHECK(has(busy.front().seen, "For all other batches together the loop waited 10.0 ms."));
  CHECK_FALSE(anew(respawned(10, 60, true, 80, 30)));
}

// Of two threads that wake each other the busier one is what is left.
TEST_CASE("findings: what two threads lose by handing work over", "[findings]") {
  FindingsRun run;
  run.wait(run.train(14), "pthread_cond_wait", "lock", 4'000, 600 * kMs);
  run.log.thread(1);
  run.wait(run.line(0, run.code("work", "/app/train.py"), 24), "pthread_cond_wait", "lock", 4'000, 400 * kMs, 1);
  const auto found = run.look("hand-overs");
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.2));
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{14});
  CHECK(has(found.front().seen, "One thread waited 4,000 times for another, 600 ms in all"));
}

namespace {

std::vector<findings::Finding> scanned_by_function(std::uint64_t rows, std::uint64_t bytes, const char* where) {
  FindingsRun run;
  run.log.header.heap_mode = log::HeapMode::Sampled;
  run.log.header.heap_interval = 512 << 10;
  const std::string file = (run.directory() / "base.py").string();
  std::ofstream(file) << "def find(key):\n    base = open()\n    return base.execute('SELECT * FROM t WHERE " << where
                      << " = ?', (key,))\n";
  const auto sqlite = run.log.native(run.log.module("/nowhere/libsqlite3.so.0"), 0x100);
  const auto at = run.log.node(run.line(0, run.code("find", file, 1), 2), sqlite);
  run.log.cpu(at, 100, 1'000 * kMs);
  const std::uint64_t units = rows * log::kCountUnit;
  run.log.memory(log::RecordClass::Heap, at, test::memory_words(units, bytes, units, bytes, 0, 1, 50));
  run.log.cpu(run.train(5), 20, 200 * kMs);
  return run.look("table-scans");
}

}  // namespace

// What lower() gives takes memory for each row that is looked at, and for a moment.
TEST_CASE("findings: queries that compute something of each row", "[findings]") {
  CHECK(scanned_by_function(10'000'000, 400'000'000, "lower(key)").size() == 1);
  CHECK(scanned_by_function(400'000, 72'000'000, "lower(key)").empty());  // by an index of just that
  CHECK(scanned_by_function(10'000'000, 400'000'000, "key").empty());     // rows that are wanted
}

// A neighbour on the machine makes as much.
TEST_CASE("findings: slow steps that take next to nothing", "[findings]") {
  const auto slow = [](std::uint64_t ms) {
    FindingsRun run;
    std::vector<log::StepRecord> records(20);
    std::uint64_t at = run.log.header.start_monotonic_ns;
    for (std::uint64_t i = 0; i < 20; ++i) {
      log::StepRecord& step = records[i];
      const std::uint64_t ns = (i == 12 ? ms : 10) * kMs;
      step.count = 1;
      step.first = step.longest = i + 1;
      step.begin_ns = at;
      step.end_ns = at += ns;
      step.ns = step.shortest_ns = step.longest_ns = ns;
      step.cpu_ns = ns;
      step.sum.parts_ns[static_cast<std::size_t>(log::StepPart::Other)] = ns;
      step.longest_figures = step.sum;
    }
    log::StepsHeader head{};
    head.source = log::StepSource::Range;
    head.tid = 1000;
    head.per = 1;
    run.log.steps(head, records, log::kStepRecords);
    return run.look("slow-steps");
  };
  CHECK(slow(80).empty());
  CHECK(slow(300).size() == 1);
}

// Eight at once take an eighth of the time.
TEST_CASE("findings: tasks that gather() waits for, as many as there are", "[findings]") {
  const auto awaited = [](const char* python) {
    constexpr const char* kLoop = "/usr/lib/python3.11/asyncio/base_events.py";
    FindingsRun run;
    const std::string file = run.directory() / "app.py";
    std::ofstream(file) << "async def all(pages):\n    await asyncio.gather(*map(fetch, pages))\n";
    run.log.info(log::InfoKey::Python, python);
    auto at = below(run, run.train(3), "BaseEventLoop.run_until_complete", kLoop);
    at = below(run, at, "BaseEventLoop._run_once", kLoop);
    at = below(run, at, "EpollSelector.select", "/usr/lib/python3.11/selectors.py");
    at = run.line(run.line(at, run.code("all", file), 2), run.code("fetch", file), 9);
    at = below(run, at, "StreamReader.readline", "/usr/lib/python3.11/asyncio/streams.py");
    run.wait(at, "epoll_wait", "poll", 40, 1'600 * kMs);
    const auto found = run.look("awaits-in-turn");
    REQUIRE(found.size() == 1);
    return found.front();
  };
  CHECK(awaited("gathered=8").saves == Approx(0.7));
  CHECK(has(awaited("gathered=8").seen,
            "asyncio.gather() waits for 8 tasks: if each of them does this, 200 ms are left"));
  CHECK(awaited("note=").saves == Approx(0.8));
  CHECK(awaited("gathered=x").saves == Approx(0.8));
}

namespace {

// A loop over batches() of its own, of which a model computes something that lives as long as the batch: in MiB.
std::vector<findings::Finding> kept_with_batches(std::uint64_t computed, std::uint64_t batches, bool in_loop) {
  constexpr std::uint64_t kMiB = 1 << 20;
  FindingsRun run;
  run.log.header.heap_mode = log::HeapMode::Sampled;
  run.log.header.heap_interval = 512 << 10;
  const std::string file = run.directory() / "val.py";
  std::ofstream(file) << "def validate(net):\n"
                      << (in_loop ? "    for x in batches():\n" : "    all = batches()\n")
                      << "        out.append(net(x))\n";
  const auto validate = run.code("validate", file);
  const auto holds = [&](std::uint32_t at, std::uint64_t mib) {
    run.log.memory(log::RecordClass::Heap, at,
                   test::memory_words(50 * log::kCountUnit, mib * kMiB, 0, 0, mib * kMiB, 1, 50));
  };
  const auto call = run.line(run.line(0, validate, 3), run.code("Module.__call__", "/v/torch/nn/modules/module.py"), 9);
  holds(run.line(call, run.code("Net.forward", "/app/net.py"), 5), computed);
  holds(run.line(run.line(0, validate, 2), run.code("batches", "/app/data.py"), 7), batches);
  run.log.cpu(run.train(5), 20, 200 * kMs);
  return run.look("kept-graphs");
}

}  // namespace

TEST_CASE("findings: graphs that are kept with the batches that they were made of", "[findings]") {
  for (const std::int64_t half : {1, 2}) {
    const auto found = kept_with_batches(200 / half, 40 / half, true);
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves_bytes > (230 / half) << 20);
    CHECK(found.front().saves_bytes <= (240 / half) << 20);
    CHECK(has(found.front().seen, "With the batches that it was computed from"));
  }
  const auto before = kept_with_batches(200, 40, false);  // all of the data, which is wanted
  REQUIRE(before.size() == 1);
  CHECK(before.front().saves_bytes <= 200 << 20);
}
