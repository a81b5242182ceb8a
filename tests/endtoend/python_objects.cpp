// Python's own allocators (PROF_PYTHON_ALLOC): what objects hold, and that programs do not notice.
#include <string>
#include <utility>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/interpreters.hpp"
#include "tests/support/log_file.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof;
using namespace prof::test;

namespace {

// Unlike other Python victims with its PYTHON... variables in force: some choose the allocator.
Command objects(const Interpreter& interpreter, std::vector<std::string> args) {
  const std::string script = (source_dir() / "tests/victims/python/objects.py").string();
  args.insert(args.begin(), {interpreter.program.string(), "-s", "-B", "-W", "ignore", script});
  return Command(std::move(args));
}

struct HeldObjects {
  double objects, malloc;  // bytes at the end
  std::uint64_t python_allocations;
  Outcome run;
};

// Runs a program that ends while it holds that many floats and texts.
HeldObjects held(const Interpreter& interpreter, const std::string& floats, const std::string& texts,
                 const std::string& heap, const std::string& allocator = {}) {
  TempDir temp;
  Command command = objects(interpreter, {"hold", floats, texts});
  command.profiled(temp / "run").set("PROF_HEAP", heap).set("PROF_PYTHON_ALLOC", "1");
  if (!allocator.empty()) command.set("PYTHONMALLOC", allocator);
  const Outcome run = command.run();
  INFO(run);
  REQUIRE(run.ok());
  const auto logs = logs_in(temp / "run");
  REQUIRE(logs.size() == 1);
  const LogFile file(logs[0]);
  return {static_cast<double>(file.header.python.live), static_cast<double>(file.header.heap.live),
          file.sum(&log::ThreadRecord::python_allocations), run};
}

// Without the GIL Python has all its memory from an allocator of its own, which takes no block from malloc.
bool has_allocator_of_its_own(const Interpreter& interpreter) {
  return interpreter.build.find('t') != std::string::npos;
}

// What the allocator is asked for: the list is among it there.
double bytes_of_floats(const Interpreter& interpreter, const HeldObjects& held, int count) {
  const auto bytes = static_cast<double>(held.run.fact("float_bytes"));
  return has_allocator_of_its_own(interpreter) ? bytes + 8.0 * count : bytes;
}

}  // namespace

// Catches blocks that are counted twice, by Python's allocator and by malloc, which it takes the large ones from.
TEST_CASE("objects are counted to the byte where they came from: Python's own allocator or malloc") {
  for (const Interpreter& interpreter : interpreters()) {
    DYNAMIC_SECTION(interpreter.program.string() << " " << interpreter.version) {
      const HeldObjects none = held(interpreter, "0", "0", "exact");
      const HeldObjects floats = held(interpreter, "50000", "0", "exact");
      const HeldObjects texts = held(interpreter, "0", "5000", "exact");
      const double float_bytes = bytes_of_floats(interpreter, floats, 50000);
      const auto text_bytes = static_cast<double>(texts.run.fact("text_bytes"));
      CHECK(floats.objects - none.objects == Approx(float_bytes).margin(0.03 * float_bytes));  // a list grows ahead
      CHECK(floats.python_allocations - none.python_allocations >= 50000);
      if (has_allocator_of_its_own(interpreter)) {
        CHECK(floats.malloc - none.malloc == Approx(0).margin(100'000));
        CHECK(texts.objects - none.objects == Approx(text_bytes).margin(0.01 * text_bytes));
        continue;
      }
      CHECK(floats.malloc - none.malloc == Approx(50000 * 8).margin(100'000));  // the list itself
      // A debug build has malloc give room around each block, too.
      const double around = interpreter.build.find('d') != std::string::npos ? 64.0 * 5000 : 0;
      CHECK(texts.malloc - none.malloc == Approx(text_bytes).margin(100'000 + around));
      CHECK(texts.objects - none.objects == Approx(0).margin(20'000));
    }
  }
}

TEST_CASE("objects are estimated where they are sampled") {
  for (const Interpreter& interpreter : interpreters()) {
    DYNAMIC_SECTION(interpreter.program.string() << " " << interpreter.version) {
      const HeldObjects none = held(interpreter, "0", "0", "sampled:4K");
      const HeldObjects floats = held(interpreter, "500000", "0", "sampled:4K");
      const double float_bytes = bytes_of_floats(interpreter, floats, 500000);
      CHECK(floats.objects - none.objects == Approx(float_bytes).epsilon(0.12));
    }
  }
}

// Catches allocators that are put in the place of those that the user chose.
TEST_CASE("where Python is told to use malloc, malloc has it all") {
  for (const Interpreter& interpreter : interpreters()) {
    if (has_allocator_of_its_own(interpreter)) continue;
    DYNAMIC_SECTION(interpreter.program.string() << " " << interpreter.version) {
      const HeldObjects floats = held(interpreter, "50000", "0", "exact", "malloc");
      CHECK(floats.objects == 0);
      CHECK(floats.python_allocations == 0);
      CHECK(floats.malloc > static_cast<double>(floats.run.fact("float_bytes")));
    }
  }
}

// Catches hooks that do not survive others in front of them, forks, interpreters that end, and blocks that change
// hands.
TEST_CASE("programs do not notice that their objects are counted") {
  for (const Interpreter& interpreter : all_interpreters()) {
    for (const char* kind : {"tracing", "forking", "sub_interpreters", "threads", "growing"}) {
      for (const char* heap : {"sampled:1K", "exact"}) {
        DYNAMIC_SECTION(interpreter.program.string() << " " << interpreter.version << ": " << kind << ", " << heap) {
          TempDir temp;
          const BothWays both = run_both_ways(
              objects(interpreter, {kind}).set("PROF_HEAP", heap).set("PROF_PYTHON_ALLOC", "1"), temp / "run");
          REQUIRE(both.alone.ok());
          CHECK_FALSE(both.alone.out.empty());
          check_same(both);
        }
      }
    }
  }
}

TEST_CASE("Python's debug allocators and a trace from the start go with counted objects") {
  for (const Interpreter& interpreter : all_interpreters()) {
    for (const auto& [name, value] : {std::pair{"PYTHONMALLOC", "debug"}, std::pair{"PYTHONMALLOC", "malloc_debug"},
                                      std::pair{"PYTHONTRACEMALLOC", "5"}}) {
      if (has_allocator_of_its_own(interpreter) && std::string(value) == "malloc_debug") continue;
      DYNAMIC_SECTION(interpreter.program.string() << " " << interpreter.version << ": " << name << "=" << value) {
        TempDir temp;
        const BothWays both = run_both_ways(
            objects(interpreter, {"growing"}).set(name, value).set("PROF_PYTHON_ALLOC", "1"), temp / "run");
        REQUIRE(both.alone.ok());
        check_same(both);
      }
    }
  }
}
