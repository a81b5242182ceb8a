#include "report/model/build_process.hpp"
#include "report/model/build_wait.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_builder.hpp"
#include "tests/unit/support/parsed.hpp"

using namespace prof;
using test::LogBuilder;

TEST_CASE("a call that was not over counts until the end of its thread, and has no stack", "[model]") {
  LogBuilder log;
  const auto poll = log.named(log::NameKind::Wait, "epoll_wait", "poll");
  log.record(log::RecordClass::WaitTotal, log.node(log.node(0, log.special(log::SpecialFrame::Waits)), poll),
             log::WaitTotalWords{2, 0, 10'000'000, 0, 10'000'000, 10'000'000, 0, 0, 0}, 0);
  log.thread(0);
  log.thread(1).state = static_cast<std::uint32_t>(log::ThreadState::Ended);
  log.thread(2);
  log::ThreadUseRecord open{};
  open.open_frame = log::named_frame(1, 0);
  open.open_since = log.header.start_monotonic_ns + 500'000'000;
  log::ThreadUseRecord late = open;
  late.open_since = UINT64_MAX;
  log.thread_uses({open, open, late});
  std::vector<model::Process> processes{test::built(log)};
  for (model::Thread& thread : processes[0].threads) {
    thread.end_monotonic_ns = thread.start_monotonic_ns + 2'000'000'000;
  }
  model::count_open_calls(processes);
  const model::Tree& tree = processes[0].tree;
  REQUIRE(tree.wait_totals.size() == 2);
  CHECK(tree.wait_totals[0].metric.calls == 3);
  CHECK(tree.wait_totals[0].metric.open == 1);
  CHECK(tree.wait_totals[0].metric.ns == 1'510'000'000);
  CHECK(tree.wait_totals[0].metric.each.max_ns == std::int64_t{1'500'000'000});
  CHECK(tree.wait_totals[1].slot == 2);
  CHECK(tree.wait_totals[1].metric.ns == 0);
  REQUIRE(tree.waits.size() == 2);
  CHECK(tree.nodes[tree.waits[0].node].parent == 0);
  CHECK(tree.waits[0].metric.ns == 1'500'000'000);
}

TEST_CASE("a call that was not over stands below its caller, where that was seen before it", "[model]") {
  LogBuilder log;
  const auto poll = log.named(log::NameKind::Wait, "epoll_wait", "poll");
  const auto other = log.named(log::NameKind::Wait, "recv", "network");
  const auto caller = log.node(0, log.named(log::NameKind::MadeCode, "caller"));
  const auto here = log.node(caller, poll), elsewhere = log.node(caller, other);
  log::ThreadUseRecord open{};
  open.open_frame = log::named_frame(1, 0);
  open.open_since = open.open_node_since = log.header.start_monotonic_ns + 500'000'000;
  open.open_node = here;
  log::ThreadUseRecord before = open;  // of a call that is over
  --before.open_node_since;
  log::ThreadUseRecord wrong = open;
  wrong.open_node = elsewhere;
  log::ThreadUseRecord nowhere = open;
  nowhere.open_node = UINT64_MAX;
  log.thread_uses({open, before, wrong, nowhere});
  for (std::uint32_t slot = 0; slot < 4; ++slot) log.thread(slot);
  std::vector<model::Process> processes{test::built(log)};
  for (model::Thread& thread : processes[0].threads)
    thread.end_monotonic_ns = thread.start_monotonic_ns + 2'000'000'000;
  model::count_open_calls(processes);
  const model::Tree& tree = processes[0].tree;
  std::size_t below_caller = 0, below_root = 0;
  for (const auto& row : tree.waits) (tree.nodes[row.node].parent == 0 ? below_root : below_caller) += 1;
  CHECK(below_caller == 1);
  CHECK(below_root == 3);
  CHECK(processes[0].threads[0].use.open_node.has_value());
  CHECK_FALSE(processes[0].threads[1].use.open_node.has_value());
  CHECK_FALSE(processes[0].threads[2].use.open_node.has_value());
  CHECK_FALSE(processes[0].threads[3].use.open_node.has_value());
  CHECK(processes[0].damage.bad_references == 1);
}

TEST_CASE("who did not note its end lived until its last call began", "[read]") {
  LogBuilder log;
  log.thread(0);
  log::ThreadUseRecord use{};
  use.open_since = log.header.last_monotonic_ns + 700'000'000;
  use.open_frame = log::named_frame(log.name(log::NameKind::Wait, "epoll_wait", "poll"), 0);
  log.thread_uses({use});
  CHECK(test::built(log).end_monotonic_ns == log.header.end_monotonic_ns);
  log.header.end = log::End::Running;
  CHECK(test::built(log).end_monotonic_ns == use.open_since);
}
