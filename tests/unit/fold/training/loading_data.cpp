#include <algorithm>

#include "report/findings/evidence.hpp"
#include "report/findings/rules/look.hpp"
#include "report/fold/training/loading_cause.hpp"
#include "report/fold/training/loading_data.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_builder.hpp"
#include "tests/support/sheets.hpp"
#include "tests/unit/support/loading_run.hpp"
#include "tests/unit/support/sheet_cells.hpp"

using namespace prof;
using fold::Loader;
using test::LoadingRun;
using test::Plan;
using Cause = Loader::Cause;

namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kSecond = 1'000 * kMs;

// A parent that reads what its child sends by a pipe, and orders it by another one. Times in ms of 10,000.
model::Run piped_run(bool main_reads, log::Origin child_origin) {
  model::Run run;
  run.processes.resize(2);
  for (std::size_t i = 0; i < 2; ++i) {
    model::Process& process = run.processes[i];
    process.pid = static_cast<std::uint32_t>(200 + i);
    process.start_monotonic_ns = kSecond;
    process.end_monotonic_ns = 11 * kSecond;
    process.waits_recorded = true;
    process.cpus = 4;
    process.argv = {i == 0 ? "./loader" : "./child"};
    process.names = {{log::NameKind::File, "pipe:[1]", "pipe"}, {log::NameKind::File, "pipe:[2]", "pipe"}};
    process.tree.frames.resize(2);
    for (std::uint32_t name = 0; name < 2; ++name) {
      process.tree.frames[name].kind = model::Frame::Kind::Named;
      process.tree.frames[name].name = name;
    }
    process.threads.resize(2);
    for (std::uint32_t slot = 0; slot < 2; ++slot) {
      process.threads[slot].slot = slot;
      process.threads[slot].main = slot == 0;
      process.threads[slot].start_monotonic_ns = process.start_monotonic_ns;
      process.threads[slot].end_monotonic_ns = process.end_monotonic_ns;
    }
  }
  run.processes[1].parent = 0;
  run.processes[1].origin = child_origin;
  run.processes[1].cpu_ns = 9'000 * static_cast<std::uint64_t>(kMs);
  model::FileMetric read, ordered, sent, orders;
  read.reads = 10;
  read.read_bytes = 1 << 20;
  read.read_ns = 1'000 * kMs;
  read.poll_ns = 5'000 * kMs;
  ordered.writes = 10;
  ordered.write_bytes = 100;
  sent.writes = 10;
  sent.write_bytes = 1 << 20;
  sent.write_ns = 20 * kMs;
  orders.reads = 10;
  orders.read_ns = 500 * kMs;
  run.processes[0].tree.files = {{0, main_reads ? 0U : 1U, read}, {1, 0, ordered}};
  run.processes[1].tree.files = {{0, 0, sent}, {1, 0, orders}};
  // The child's time: 9 s of CPU, half a second in reads of its orders.
  model::Process& child = run.processes[1];
  child.names.push_back({log::NameKind::Wait, "read", "pipe"});
  child.tree.frames.push_back(child.tree.frames[0]);
  child.tree.frames.back().name = 2;
  child.tree.nodes = {{}, {0, 2}};
  child.tree.cpu = {{1, 0, {900, 9'000 * kMs}}};
  child.tree.waits = {{1, 0, {log::kCountUnit, 500 * kMs, 0, 1}}};
  return run;
}

}  // namespace

TEST_CASE("data loading: the loop's time, its waiting, and each worker's", "[fold]") {
  const LoadingRun run(
      {.workers = {{.cpu = 1'000, .file = 8'500, .idle = 300, .sending = 50}, {.cpu = 900}}, .pins = true});
  const Loader loader = run.loader();
  CHECK(loader.kind == Loader::Kind::Torch);
  CHECK(run.symbols.function(run.symbols.location(loader.location).function).name == "train");
  CHECK(loader.wait.ns() == 8'000 * kMs);
  CHECK(loader.wait.cpu_ns == 10 * kMs);
  CHECK(loader.loop_ns == 10'030 * kMs);  // neither the import nor the other thread
  CHECK(loader.starting_ns == 30 * kMs);
  REQUIRE(loader.pinning);
  CHECK(loader.pinning->ns() == 300 * kMs);
  CHECK(loader.cpus == 4.0);
  REQUIRE(loader.workers.size() == 2);
  CHECK(loader.workers_at_once == 2);
  const fold::LoadingTime& first = loader.workers[0].time;
  CHECK(run.run.processes[loader.workers[0].process].pid == 101);
  CHECK(first.wall_ns == 10 * kSecond);
  CHECK(first.idle_ns == 300 * kMs);
  CHECK(first.work.cpu_ns == 1'000 * kMs);
  CHECK(first.work.blocked_ns(log::WaitClass::File) == 8'500 * kMs);
  CHECK(first.work.blocked_ns() == 8'500 * kMs);
  CHECK(first.sending_ns == 50 * kMs);  // without waiting for something to send
  CHECK(first.storage_ns == 8'500 * kMs);
  CHECK(first.rest_ns() == 200 * kMs);
  CHECK(loader.all.wall_ns == 20 * kSecond);
  CHECK(loader.cpus_used == Approx(0.1 + 0.09 + 0.331).epsilon(0.01));
}

TEST_CASE("data loading: the cause that the figures tell", "[fold]") {
  const auto cause = [](const Plan& plan) { return LoadingRun(plan).loader().cause; };
  CHECK(cause({.computing = 9'800, .waiting = 200, .workers = {{.cpu = 9'900}}}) == Cause::FastEnough);
  CHECK(cause({.workers = {{.cpu = 1'000, .file = 8'500}, {.cpu = 900, .file = 9'000}}}) == Cause::SlowDisk);
  CHECK(cause({.workers = {}}) == Cause::TooFewWorkers);
  CHECK(cause({.workers = {{.cpu = 9'900}}}) == Cause::TooFewWorkers);
  CHECK(cause({.workers = {{.cpu = 9'900}, {.cpu = 9'800}}, .cpus = "allowed=2"}) == Cause::SlowDecoding);
  CHECK(cause({.workers = {{.cpu = 9'900}, {.cpu = 9'800}}, .cpus = "allowed=64\nquota=2.000"}) == Cause::SlowDecoding);
  // The processors are there, but others use them.
  CHECK(cause({.workers = {{.cpu = 5'000, .queued = 4'900}}}) == Cause::SlowDecoding);
  CHECK(cause({.workers = {{.cpu = 9'900}}, .cpus = ""}) == Cause::TooFewWorkers);
  // Half of the time files, the other half computing: at work all the time while processors are free.
  CHECK(cause({.workers = {{.cpu = 5'200, .file = 4'800}}}) == Cause::TooFewWorkers);
  CHECK(cause({.workers = {{.cpu = 1'000, .idle = 8'900}}}) == Cause::Unclear);
  CHECK(cause({.workers = {{.cpu = 1'000, .sending = 8'900}}}) == Cause::Pickling);
  CHECK(cause({.workers = {{.cpu = 1'000}}}) == Cause::Unclear);  // most of it is not accounted for
}

TEST_CASE("data loading: how many workers would keep up", "[fold]") {
  const auto needed = [](const Plan& plan) { return fold::workers_needed(LoadingRun(plan).loader()); };
  CHECK(needed({.computing = 5'000, .waiting = 4'970, .workers = {{.cpu = 9'900}}}) == 2);
  CHECK(needed({.computing = 2'000, .waiting = 7'970, .workers = {{.cpu = 9'900}, {.cpu = 9'900}}}) == 10);
  CHECK(needed({.computing = 2'000, .waiting = 7'970}) == 4);
  Loader none;
  CHECK_FALSE(fold::workers_needed(none));
  none.loop_ns = none.wait.cpu_ns = 5;
  CHECK_FALSE(fold::workers_needed(none));
}

// Catches waiting for a processor, while the loop loads by itself, that is taken for nobody's time.
TEST_CASE("data loading: a loop that has to wait for a processor", "[fold]") {
  const LoadingRun run({.computing = 3'000, .waiting = 1'010, .waiting_cpu = 1'000, .queued = 4'000});
  const Loader loader = run.loader();
  // Four seconds over five of CPU time, of which the loader had one.
  CHECK(loader.wait.ready_ns == 800 * kMs);
  CHECK(loader.wait.ns() == 1'810 * kMs);
  CHECK(loader.loop_ns == (3'000 + 2'400 + 30 + 1'810) * kMs);
}

TEST_CASE("loaders by pipes: a parent that reads what its children send", "[fold]") {
  model::Run run = piped_run(true, log::Origin::Forked);
  const symbols::Symbols symbols = symbols::symbolize(run);
  const auto all = fold::loaders(run, symbols, {});
  REQUIRE(all.size() == 1);
  const Loader& loader = all.front();
  CHECK(loader.kind == Loader::Kind::Pipes);
  CHECK(loader.process == 0);
  CHECK(loader.wait.ns() == 6'000 * kMs);
  CHECK(loader.loop_ns == 10 * kSecond);
  REQUIRE(loader.workers.size() == 1);
  CHECK(loader.workers[0].time.idle_ns == 500 * kMs);
  CHECK(loader.workers[0].time.work.blocked_ns() == 0);
  CHECK(loader.workers[0].time.work.cpu_ns == 9'000 * kMs);
  CHECK(loader.workers[0].time.sending_ns == 20 * kMs);
  CHECK(loader.cause == Cause::TooFewWorkers);
  const fold::Selection selection;
  const auto sheets = test::sheets_of("loading", show::Subject{run, symbols, selection}, {});
  CHECK(sheets.front().title == "Data loading: processes that send to pid 200");

  // What a thread does that only reads says nothing of the program's waiting.
  run = piped_run(false, log::Origin::Forked);
  const auto aside = fold::loaders(run, symbols, {});
  REQUIRE(aside.size() == 1);
  CHECK(aside.front().cause == Cause::Unclear);

  // Who sends work and waits for the answer is no loop that wants for data.
  const auto speaks_of_data = [&symbols](const model::Run& of) {
    const findings::Outcome outcome = findings::look_for_all(findings::Evidence(of, symbols, {}));
    return std::any_of(outcome.findings.begin(), outcome.findings.end(),
                       [](const findings::Finding& found) { return found.rule == "waiting-for-data"; });
  };
  CHECK(speaks_of_data(piped_run(true, log::Origin::Forked)));
  model::Run answers = piped_run(true, log::Origin::Forked);
  answers.processes[1].tree.cpu[0].metric.ns = 300 * kMs;  // hardly at work: why it is waited for is unclear
  REQUIRE(fold::loaders(answers, symbols, {}).front().cause == Cause::Unclear);
  CHECK_FALSE(speaks_of_data(answers));

  // Another program's output is no data of a loader; neither is what has another name, or is next to nothing.
  run = piped_run(true, log::Origin::Started);
  CHECK(fold::loaders(run, symbols, {}).empty());
  run = piped_run(true, log::Origin::Forked);
  run.processes[1].names[0].name = "pipe:[3]";
  CHECK(fold::loaders(run, symbols, {}).empty());
  run = piped_run(true, log::Origin::Forked);
  run.processes[1].tree.files[0].metric.write_bytes = 1000;
  CHECK(fold::loaders(run, symbols, {}).empty());
}
