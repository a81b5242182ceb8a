// The rules about what the interpreter does: hot loops, and what nobody can tell of an interpreter without names.
#include <fstream>

#include "report/findings/program_time.hpp"
#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;
using test::lines_of;

TEST_CASE("findings: one hot function of Python", "[findings]") {
  for (const std::uint64_t half : {1, 2}) {
    FindingsRun run;
    run.log.cpu(run.train(50), 30, 300 * kMs / half);
    run.log.cpu(run.interpreter(run.train(50)), 90, 900 * kMs / half);
    run.log.cpu(run.line(0, run.code("other", "/app/other.py"), 9), 20, 200 * kMs);
    const auto found = run.look("python-loop");
    REQUIRE(found.size() == 1);
    CHECK(found.front().title == "Python interprets a hot loop");
    CHECK(found.front().saves == Approx(0.6 / static_cast<double>(half)));
    CHECK(lines_of(found.front()) == std::vector<std::int64_t>{50});
    if (half == 1) CHECK(has(found.front().seen, "The interpreter at work in train takes 1.20 s of CPU time, 85.7 %"));
  }
}

// Catches a loop over small functions, none of which is hot by itself.
TEST_CASE("findings: a hot loop with the small functions that it calls", "[findings]") {
  const auto look = [](int lines) {
    FindingsRun run;
    const std::string file = (run.directory() / "session.py").string();
    std::string small = "def values(self):\n";
    for (int i = 0; i < lines; ++i) small += "    x = self.x\n";
    std::ofstream(file) << "def flush(self):\n    return [e for e in self.all if e.values()]\n\n" << small;
    const std::uint32_t loop = run.line(0, run.code("flush", file, 1), 1),
                        list = run.line(loop, run.code("flush.<locals>.<listcomp>", file, 2), 0);
    run.log.cpu(list, 40, 400 * kMs);
    run.log.cpu(run.line(list, run.code("values", file, 4), 1), 45, 450 * kMs);
    run.log.cpu(run.line(0, run.code("other", "/app/other.py"), 9), 50, 500 * kMs);
    return run.look("python-loop");
  };
  const auto found = look(2);
  REQUIRE(found.size() == 1);
  CHECK(found.front().places.front().function == "flush");
  CHECK(found.front().places.front().line == 2);
  CHECK(found.front().saves == Approx(0.425));
  CHECK(look(20).empty());  // a function of its own
}

TEST_CASE("findings: functions of Python none of which is hot by itself", "[findings]") {
  FindingsRun run;
  SECTION("many share the time") {
    for (int i = 0; i < 10; ++i)
      run.log.cpu(run.line(0, run.code("f" + std::to_string(i), "/app/app.py"), 9), 15, 150 * kMs);
  }
  SECTION("little time") { run.log.cpu(run.train(50), 45, 450 * kMs); }
  // Catches sorted() and its like, which no other loop makes faster.
  SECTION("what the interpreter does for it is one of its own functions") {
    run.log.cpu(run.train(50), 10, 100 * kMs);
    run.log.cpu(run.interpreter(run.train(50)), 110, 1'100 * kMs);
  }
  SECTION("a library is at work") {
    run.log.cpu(run.line(run.train(50), run.code("dot", "/v/site-packages/numpy/core.py"), 9), 120, 1'200 * kMs);
  }
  SECTION("processes share it") {
    run.log.cpu(run.train(50), 90, 900 * kMs);
    FindingsRun child;
    child.becomes_child(501, 500, 0, 2'000);
    child.log.cpu(child.train(50), 90, 900 * kMs);
    child.write_into(run);
  }
  CHECK(run.look("python-loop").empty());
}

// Catches the advice to search in another way where the function is a search.
TEST_CASE("findings: hot functions of Python that are searches", "[findings]") {
  const auto [body, found] = GENERATE(table<const char*, std::size_t>({
      {"    while heap:\n        node = heapq.heappop(heap)\n", 0},
      {"    for step in steps:\n        if find(step):\n            return step\n", 0},
      {"    for step in steps:\n        if self.find(step):\n            return step\n", 0},
      {"    return find(n - 1) + find(n - 2)\n", 1},
      {"    for x in values:\n        total += x\n    return find(total)\n", 1},
      {"    for x in values:\n        self.stats.find(x)\n", 1},
      {"    for x in values:\n        total += refind(x)  # heappop(x), find(x)\n", 1},
      {"    for x in values:\n        total += x\n", 1},
  }));
  INFO(body);
  FindingsRun run;
  const std::string file = (run.directory() / "search.py").string();
  std::ofstream(file) << std::string(9, '\n') << "def find(n):\n" << body;
  run.log.cpu(run.line(0, run.code("find", file, 10), 3), 120, 1'200 * kMs);
  CHECK(run.look("python-loop").size() == found);
}

// The same at the level of the module, whose functions are not its code.
TEST_CASE("findings: hot code of a module that is a search", "[findings]") {
  const auto [text, found] = GENERATE(table<const char*, std::size_t>({
      {"import heapq\nwhile heap:\n    node = heapq.heappop(heap)\n    cost += 1\n", 0},
      {"def first(heap):\n    return heapq.heappop(heap)\n\nwhile heap:\n    cost += 1\n", 1},
  }));
  INFO(text);
  FindingsRun run;
  const std::string file = (run.directory() / "search.py").string();
  std::ofstream(file) << text;
  run.log.cpu(run.line(0, run.code("<module>", file, 1), 3), 120, 1'200 * kMs);
  CHECK(run.look("python-loop").size() == found);
}

// Catches a cache of another function, and a decorator that is none.
TEST_CASE("findings: a hot function whose cache has no answer", "[findings]") {
  const auto [decorators, cached] = GENERATE(table<const char*, bool>({
      {"@functools.lru_cache(maxsize=128)\n", true},
      {"@once\n@cache\n", true},
      {"@once\n", false},
      {"", false},
  }));
  INFO(decorators);
  FindingsRun run;
  const std::string file = (run.directory() / "cost.py").string();
  std::ofstream(file) << "@cache\ndef other(n):\n    return n\n\n" << decorators << "def cost(n):\n    return n * n\n";
  run.log.cpu(run.line(0, run.code("cost", file, 5), 7), 120, 1'200 * kMs);
  const auto found = run.look("python-loop");
  REQUIRE(found.size() == 1);
  CHECK((found.front().title == "Calls that a cache has no answer for take much of the time") == cached);
  CHECK(has(found.front().seen, "cost is kept by functools; computing what was not at hand took 1.20 s") == cached);
  CHECK(found.front().advice.starts_with("See cost.cache_info()") == cached);
}

// Catches what a cached function calls, in C or in Python, left out of what its misses take.
TEST_CASE("findings: all that a cached function calls is part of its misses", "[findings]") {
  const auto saved = [](const char* decorator) {
    FindingsRun run;
    const std::string file = (run.directory() / "cost.py").string();
    std::ofstream(file) << "\n\n\n" << decorator << "\ndef cost(n):\n    return weigh(sum(n))\n";
    const auto line = run.line(0, run.code("cost", file, 4), 6);
    run.log.cpu(line, 60, 600 * kMs);
    run.log.cpu(run.log.node(line, run.log.native(run.log.module("/nowhere/libweights.so"), 0x100)), 20, 200 * kMs);
    run.log.cpu(test::below(run, line, "weigh", "/app/weights.py"), 20, 200 * kMs);
    run.log.cpu(run.train(50), 20, 200 * kMs);
    const auto found = run.look("python-loop");
    REQUIRE(found.size() == 1);
    return found.front().saves;
  };
  CHECK(saved("@functools.lru_cache") == Approx(0.5));
  CHECK(saved("@once") == Approx(0.3));
}

TEST_CASE("findings: a loop of one process, beside others that hardly take part in it", "[findings]") {
  FindingsRun run;
  run.log.cpu(run.train(50), 90, 900 * kMs);
  FindingsRun child;
  child.becomes_child(501, 500, 0, 2'000);
  child.log.cpu(child.train(50), 10, 100 * kMs);
  child.write_into(run);
  CHECK(run.look("python-loop").size() == 1);
}

namespace {

const char* const kRulesOfNames[] = {"regular-expressions", "garbage-collector"};

// 800 ms in an interpreter without names below line 7 of a file, and as much elsewhere, or other times.
void unnamed(FindingsRun& run, const std::string& file, std::uint64_t ms = 800, std::uint64_t other_ms = 800) {
  run.log.cpu(run.interpreter(run.line(0, run.code("clean", file), 7)), ms / 10, ms * kMs);
  run.log.cpu(run.line(0, run.code("other", "/app/other.py"), 9), other_ms / 10, other_ms * kMs);
}

}  // namespace

// Catches "not found" said of what nobody could see.
TEST_CASE("findings: what cannot be told of an interpreter without names", "[findings]") {
  FindingsRun run;
  unnamed(run, "/nowhere/app.py");
  const findings::Outcome outcome = run.look();
  for (const char* rule : kRulesOfNames) CHECK(FindingsRun::why_not(outcome, rule) == findings::kStripped);
  // These stand in files of Python, which have names.
  for (const char* rule : {"json", "pickling", "deepcopy", "logging", "compiling"}) {
    INFO(rule);
    CHECK_FALSE(FindingsRun::why_not(outcome, rule));
  }
  FindingsRun little;
  unnamed(little, "/nowhere/app.py", 80);
  for (const char* rule : kRulesOfNames) CHECK_FALSE(FindingsRun::why_not(little.look(), rule));
}

TEST_CASE("findings: the line tells what an interpreter without names does", "[findings]") {
  const auto [rule, call] = GENERATE(table<const char*, const char*>({
      {"regular-expressions", "    if pattern.match(text):"},
      {"garbage-collector", "    gc.collect()"},
      {"pickling", "    data = pickle.loads(text)"},
  }));
  const std::uint64_t half = GENERATE(1, 2);
  INFO(rule);
  FindingsRun run;
  const std::string file = run.directory() / "app.py";
  std::ofstream(file) << "\n\n\n\n\ndef clean(text):\n" << call << '\n';
  unnamed(run, file, 800 / half, 800 / half);
  const auto found = run.look(rule);
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.4 / static_cast<double>(half)));
  CHECK(found.front().places.front() == findings::Place{file, 7, "clean"});
}
