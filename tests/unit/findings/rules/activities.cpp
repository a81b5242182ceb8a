// What lines of Python spend their CPU time in.
#include <fstream>
#include <tuple>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::below;
using test::FindingsRun;
using test::has;
using test::kMs;
using test::lines_of;

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
  const auto small_arrays = [](std::uint64_t in_numpy_ms, std::uint64_t calling_ms, std::uint64_t largest = 800,
                               const std::string& caller = {}) {
    FindingsRun run;
    run.log.header.heap.epoch = 1;
    const auto own = caller.empty()
                         ? run.train(60)
                         : run.line(run.line(0, run.code("fit", caller), 9), run.code("curve", "/app/a.py"), 60);
    const auto numpy =
        run.log.node(own, run.log.native(run.log.module("/v/site-packages/numpy/core/_umath.so"), 0x100));
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
  CHECK(small_arrays(400, 400, 4'000, "/v/site-packages/scipy/optimize/_minpack_py.py").empty());
  CHECK(small_arrays(400, 400, 4'000, "/app/fit.py").size() == 1);
  CHECK(small_arrays(400, 400, 800, "/v/site-packages/scipy/optimize/_minpack_py.py").size() == 1);
  CHECK(small_arrays(30, 30).empty());
}
