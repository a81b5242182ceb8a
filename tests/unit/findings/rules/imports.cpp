// The rule about what modules of the program's own do while they are imported.
#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;

namespace {

// Line 3 of train() imports a module, whose own line 7 computes and waits for so long.
void import_module(FindingsRun& run, const std::string& file, std::uint64_t cpu_ms, std::uint64_t waits_ms) {
  log::ImportRecord record{};
  record.start_ns = run.log.header.start_monotonic_ns;
  record.total_ns = (cpu_ms + waits_ms) * kMs;
  run.log.import(record, "tables");
  const auto load = run.line(run.train(3), run.code("_load_unlocked", "<frozen importlib._bootstrap>"), 1);
  const auto module = run.line(load, run.code("<module>", file), 7);
  if (cpu_ms > 0) run.log.cpu(module, cpu_ms / 10, cpu_ms * kMs);
  if (waits_ms > 0) run.wait(module, "recv", "network", 10, waits_ms * kMs);
}

const findings::Place kImporter{"/app/train.py", 3, "train"}, kImported{"/app/tables.py", 7, "<module>"};

}  // namespace

TEST_CASE("findings: a module of the program that is at work while it is imported", "[findings]") {
  for (const std::uint64_t half : {1, 2}) {
    FindingsRun run;
    import_module(run, "/app/tables.py", 800 / half, 400 / half);
    const auto found = run.look("imports");
    REQUIRE(found.size() == 1);
    CHECK(found.front().title == "A module of the program is at work while it is imported");
    CHECK(found.front().saves == Approx(0.6 / static_cast<double>(half)));
    CHECK(found.front().places == std::vector<findings::Place>{kImporter, kImported});
    if (half == 1)
      CHECK(has(found.front().seen, "1.20 s (60.0 % of the run) went by in code of your own modules at the time"));
  }
}

TEST_CASE("findings: the waiting for a processor is part of what an import takes", "[findings]") {
  FindingsRun run;
  import_module(run, "/app/tables.py", 800, 0);
  run.queue(400);
  const auto found = run.look("imports");
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.6));
}

TEST_CASE("findings: what modules of the program import is not their own work", "[findings]") {
  FindingsRun run;
  import_module(run, "/app/tables.py", 300, 0);
  const auto load = run.line(run.train(3), run.code("_load_unlocked", "<frozen importlib._bootstrap>"), 1);
  const auto module = run.line(load, run.code("<module>", "/app/tables.py"), 2);
  const auto again = run.line(module, run.code("_load_unlocked", "<frozen importlib._bootstrap>"), 1);
  run.log.cpu(run.line(again, run.code("<module>", "/v/site-packages/numpy/__init__.py"), 4), 60, 600 * kMs);
  CHECK(run.look("imports").empty());
}

// Catches start-up told as slow on a busy machine.
TEST_CASE("findings: imports that take seconds, and imports that wait for a processor", "[findings]") {
  for (const std::uint64_t queue_ms : {0, 3'000}) {
    FindingsRun run;
    run.log.header.end_monotonic_ns = run.log.header.start_monotonic_ns + 10'000 * kMs;
    log::ImportRecord record{};
    record.start_ns = run.log.header.start_monotonic_ns;
    record.total_ns = 4'000 * kMs;
    run.log.import(record, "pandas");
    run.log.cpu(run.train(20), 300, 3'000 * kMs);
    run.queue(queue_ms);
    CHECK(run.look("imports").size() == (queue_ms == 0 ? 1U : 0U));
  }
}

TEST_CASE("findings: imports as programs have them", "[findings]") {
  FindingsRun run;
  SECTION("little") { import_module(run, "/app/tables.py", 450, 0); }
  SECTION("of a package") { import_module(run, "/v/site-packages/tables/__init__.py", 800, 0); }
  SECTION("the work is done later") {
    import_module(run, "/app/tables.py", 100, 0);
    run.log.cpu(run.train(20), 100, 1'000 * kMs);
  }
  SECTION("a small part of a long run") {
    run.log.header.end_monotonic_ns = run.log.header.start_monotonic_ns + 10'000 * kMs;
    import_module(run, "/app/tables.py", 900, 0);
  }
  CHECK(run.look("imports").empty());
}
