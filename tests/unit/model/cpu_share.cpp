#include <map>
#include <utility>

#include "report/model/load.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_builder.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/unit/support/logs_of_processes.hpp"

using namespace prof;
using test::log_of;
using test::LogBuilder;
using test::TempDir;

TEST_CASE("samples and unsampled time together are the CPU time", "[model]") {
  LogBuilder log = log_of(10, 0xa, 0);
  const auto node = log.node(0, log.native(log.module("/bin/a"), 0x10));
  log.cpu(node, 10, 700, 0);
  log.cpu(node, 3, 200, 1);
  log.thread(0).cpu_ns = 720;
  log.thread(1).cpu_ns = 150;  // its first sample stands for threads that had none
  TempDir dir;

  SECTION("some of it fell between the samples") {
    log.header.cpu_ns = 1000;
    log.write(dir / "a.proflog");
    const model::Run run = model::load(dir.path());
    const model::Process& process = run.processes[0];
    CHECK(test::sampled_cpu_ns(process) == 1000);
    CHECK(process.threads[1].cpu_ns == 150);
    const model::Tree& tree = process.tree;
    std::int64_t of_thread_0 = 0, of_none = 0;
    for (const auto& row : tree.cpu) {
      if (tree.frames[tree.nodes[row.node].frame].kind != model::Frame::Kind::Unsampled) continue;
      (row.slot == 0 ? of_thread_0 : of_none) += row.metric.ns;
      CHECK(row.metric.samples == 0);
    }
    CHECK(of_thread_0 == 20);
    CHECK(of_none == 80);
  }
  SECTION("the process was killed after its last look at the clock") {
    log.header.cpu_ns = 400;
    log.thread(1).cpu_ns = 200;
    log.write(dir / "a.proflog");
    const model::Run run = model::load(dir.path());
    CHECK(run.processes[0].cpu_ns == 900);
    CHECK(test::sampled_cpu_ns(run.processes[0]) == 900);
  }
  SECTION("more was estimated for threads without a sample than there was") {
    log.cpu(node, 1, 100, 1);
    log.header.cpu_ns = 910;
    log.write(dir / "a.proflog");
    const model::Run run = model::load(dir.path());
    CHECK(run.processes[0].cpu_ns == 910);
    CHECK(test::sampled_cpu_ns(run.processes[0]) == 910);
    std::map<std::uint32_t, std::int64_t> by_slot;
    for (const auto& row : run.processes[0].tree.cpu) by_slot[row.slot] += row.metric.ns;
    CHECK(by_slot == decltype(by_slot){{0, 700}, {1, 210}});
  }
}

// Catches reports in which what the profiler used itself is shown as the program's unknown.
TEST_CASE("CPU time of the profiler's own helpers and threads is its own, and not unsampled", "[model]") {
  LogBuilder log = log_of(10, 0xa, 0);
  const auto node = log.node(0, log.native(log.module("/bin/a"), 0x10));
  log.cpu(node, 10, 600, 0);
  log.thread(0).cpu_ns = 650;
  log.thread(0).agent_ns = 40;
  log.thread(1).cpu_ns = 30;
  log.thread(1).agent_ns = 5000;  // what was estimated is more than there was
  log.thread(1).flags = log::kThreadAgent | log::kThreadUnsampled;
  log.header.cpu_ns = 1000;
  log.header.helper_cpu_ns = 200;
  TempDir dir;
  log.write(dir / "a.proflog");
  const model::Run run = model::load(dir.path());
  const model::Process& process = run.processes[0];
  std::map<std::pair<model::Frame::Kind, std::uint32_t>, std::int64_t> rest;
  for (const auto& row : process.tree.cpu) {
    const model::Frame::Kind kind = process.tree.frames[process.tree.nodes[row.node].frame].kind;
    if (kind != model::Frame::Kind::Native) rest[{kind, row.slot}] += row.metric.ns;
  }
  using enum model::Frame::Kind;
  CHECK(rest == decltype(rest){{{Unsampled, 0}, 50},
                               {{Unsampled, model::kNoSlot}, 120},
                               {{Profiler, 1}, 30},
                               {{Profiler, model::kNoSlot}, 200}});
  CHECK(test::sampled_cpu_ns(process) == 1000);
  CHECK(process.threads[1].counters.agent_ns == 30);
  CHECK(run.totals.agent_ns == 40 + 30 + 200);
}

TEST_CASE("an image without a known predecessor has all the CPU time of its process", "[model]") {
  TempDir dir;
  LogBuilder log = log_of(10, 0xa, 0);
  log.header.start_cpu_ns = 4000;  // loading the program
  log.header.cpu_ns = 9000;
  log.write(dir / "a.proflog");
  CHECK(model::load(dir.path()).processes[0].cpu_ns == 9000);
}
