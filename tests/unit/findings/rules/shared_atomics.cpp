// The rule about atomics that several threads change, on libraries that the test compiles for itself.
#include "tests/unit/support/findings_run.hpp"
#include "tests/unit/support/native_library.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;

namespace {

constexpr const char* kAtomics = R"(
#include <atomic>
std::atomic<int> counter;
std::atomic<bool> ready;
#define ADD counter.fetch_add(1, std::memory_order_relaxed);
void count() { ADD ADD ADD ADD ADD ADD ADD ADD }
#define LOAD ready.load() &&
bool look() { return LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD true; }
)";

}  // namespace

TEST_CASE("findings: atomics that several threads change", "[findings]") {
  const test::NativeLibrary library(kAtomics, "libcounters.so", "-O1 -g");
  FindingsRun run;
  const std::uint32_t module = run.log.module(library.path());
  // In the midst of what is inlined into them.
  const auto adds = run.log.node(0, run.log.native(module, library.in("_Z5countv")));
  const auto loads = run.log.node(0, run.log.native(module, library.in("_Z4lookv")));
  run.log.thread(1);
  SECTION("half of it") {
    for (const std::uint32_t slot : {0U, 1U}) run.log.cpu(adds, 20, 200 * kMs, slot);
    const auto found = run.look("shared-atomics");
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(0.2));
  }
  SECTION("two of them") {
    for (const std::uint32_t slot : {0U, 1U}) {
      run.log.cpu(adds, 40, 400 * kMs, slot);
      run.log.cpu(loads, 20, 200 * kMs, slot);
    }
    const auto found = run.look("shared-atomics");
    REQUIRE(found.size() == 1);
    CHECK(has(found.front().seen, "2 threads computed 800 ms in it together, 66.7 % of all CPU time."));
    CHECK(has(found.front().places.front().function, "count"));
  }
  SECTION("one of them") {
    run.log.cpu(adds, 80, 800 * kMs, 0);
    run.log.cpu(loads, 80, 800 * kMs, 1);
    CHECK(run.look("shared-atomics").empty());
  }
  SECTION("atomics that are read") {
    for (const std::uint32_t slot : {0U, 1U}) run.log.cpu(loads, 80, 800 * kMs, slot);
    CHECK(run.look("shared-atomics").empty());
  }
}

namespace {

// What is left of an atomic's change by the optimiser is one instruction, and what a sample of it names is the next:
// the line's own code, as the test's functions have it.
constexpr const char* kLeftOnLines = R"(
struct Counters { long fetch_add(long x) { return x; } long load() { return 2; } };
Counters seen, missed;
int table[8];
int changes(int x) { return static_cast<int>(seen.fetch_add(1)) + x; }
int says_so(int x) { return table[x & 7] + x; }  // not seen.fetch_add(1)
int reads(int x) { return static_cast<int>(seen.load()) + x; }
volatile int step;
#define WORK step = x; step = x; step = x; step = x; step = x; step = x; step = x; step = x;
void ends_with_one(int x) {
  for (int i = 0; i < x; ++i) { WORK WORK WORK WORK
    step = i;

    seen.fetch_add(x);
  }
}
void begins_with_one(int x) {
  for (int i = 0; i < x; ++i) { WORK WORK WORK WORK
    seen.fetch_add(x);
    step = i;
  }
}
)";

}  // namespace

// Catches atomics in one cache line that no sample stands in.
TEST_CASE("findings: atomics whose samples stand on the line alone", "[findings]") {
  const test::NativeLibrary library(kLeftOnLines, "libcounters.so", "-O2 -g");
  const auto look = [&](const std::string& function, std::uint32_t threads, std::uint64_t ms) {
    FindingsRun run;
    run.log.thread(1);
    const auto at = run.log.node(0, run.log.native(run.log.module(library.path()), library.in(function)));
    for (std::uint32_t slot = 0; slot < threads; ++slot) run.log.cpu(at, ms / 10, ms * kMs, slot);
    run.log.cpu(run.train(31), 20, 200 * kMs);
    return run.look("shared-atomics");
  };
  for (const std::uint64_t half : {1, 2}) {
    const auto found = look("_Z7changesi", 2, 800 / half);
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(0.8 / static_cast<double>(half)));
    CHECK(has(found.front().places.front().function, "changes"));
  }
  // The processor goes on at the head of a loop that ends with one.
  const auto loop = look("ends_with_one", 2, 800);
  REQUIRE(loop.size() == 1);
  CHECK(loop.front().places.front().line == 14);
  CHECK(look("begins_with_one", 2, 800).empty());
  CHECK(look("_Z7changesi", 1, 800).empty());
  CHECK(look("_Z7changesi", 2, 50).empty());
  CHECK(look("_Z7says_soi", 2, 800).empty());
  CHECK(look("_Z5readsi", 2, 800).empty());
}
