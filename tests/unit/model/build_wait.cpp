#include "report/model/build_wait.hpp"
#include "report/model/build_process.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_builder.hpp"
#include "tests/unit/support/parsed.hpp"

using namespace prof;
using test::LogBuilder;
using R = log::RecordClass;
using N = log::NameKind;

namespace {

using R = log::RecordClass;
using N = log::NameKind;

constexpr std::uint64_t kMilli = 1'000'000;

log::WaitTotalWords total(std::uint64_t calls, std::uint64_t ns) { return {calls, 0, ns, 0, ns, ns, 0, 0, 0}; }

}  // namespace

TEST_CASE("blocking calls: contexts, totals and CPU time in them, and totals are on no stack", "[read]") {
  LogBuilder log;
  const auto read = log.named(N::Wait, "read", "file");
  const auto main = log.node(0, log.native(log.module("m"), 0x100)), reading = log.node(main, read);
  log.record(R::Wait, reading, log::WaitWords{2 * log::kCountUnit, 50 * kMilli, 2}, 0);
  log.record(R::Wait, reading, log::WaitWords{log::kCountUnit, 9 * kMilli, 1}, 1);
  log.cpu(reading, 1, 10 * kMilli, 0);
  log.cpu(main, 7, 70 * kMilli, 0);
  const auto totals = log.node(0, log.special(log::SpecialFrame::Waits));
  log.record(R::WaitTotal, log.node(totals, read), total(5, 52 * kMilli), 0);
  log.record(R::WaitTotal, log.node(totals, read), total(1, 9 * kMilli), 1);
  const model::Process process = test::built(log);
  CHECK_FALSE(process.damage.any());
  CHECK(process.tree.nodes.size() == 3);
  REQUIRE(process.tree.waits.size() == 2);
  CHECK(process.tree.waits[0].metric == model::WaitMetric{2 * log::kCountUnit, 50 * kMilli, 10 * kMilli, 2});
  CHECK(process.tree.waits[0].metric.calls() == 2);
  CHECK(process.tree.waits[0].metric.blocked_ns() == 40 * kMilli);
  REQUIRE(process.tree.wait_totals.size() == 2);
  CHECK(process.tree.wait_totals[0].metric.cpu_ns == 10 * kMilli);
  CHECK(process.tree.wait_totals[1].metric.cpu_ns == 0);
  CHECK(process.waits_recorded);
  model::WaitTotal sum = process.tree.wait_totals[0].metric;
  sum += process.tree.wait_totals[1].metric;
  CHECK(sum.calls == 6);
  CHECK(sum.each.min_ns == std::int64_t{9 * kMilli});
  CHECK(sum.each.max_ns == std::int64_t{52 * kMilli});
}

TEST_CASE("few calls: their distribution is told by the least, the most and the sum", "[read]") {
  LogBuilder log;
  const auto root = log.node(0, log.special(log::SpecialFrame::Waits));
  const auto read = log.node(root, log.named(N::Wait, "read", "file"));
  log.record(R::WaitTotal, read, log::WaitTotalWords{3, 0, 60, 0, 10, 30, 0, 0, 0}, 0);
  log.record(R::WaitTotal, read, log::WaitTotalWords{2, 0, 1'010, 0, 10, 1'000, 0, 0, 0}, 1);
  log.record(R::WaitTotal, read, log::WaitTotalWords{4, 0, 40, 0, 10, 10, 0, 0, 0}, 2);
  const model::Process process = test::built(log);
  REQUIRE(process.tree.spreads.size() == 2);
  const auto& three = process.tree.spreads[0].metric.count;
  CHECK(three[log::spread_class(10)] == 1);
  CHECK(three[log::spread_class(20)] == 1);
  CHECK(three[log::spread_class(30)] == 1);
  CHECK(process.tree.spreads[1].metric.count[log::spread_class(1'000)] == 1);
}

TEST_CASE("CPU time in a call that was in no sample of waits counts against the others", "[read]") {
  LogBuilder log;
  const auto read = log.named(N::Wait, "read", "file");
  const auto module = log.module("m");
  const auto seen = log.node(log.node(0, log.native(module, 0x100)), read);
  const auto unseen = log.node(log.node(0, log.native(module, 0x200)), read);
  log.record(R::Wait, seen, log::WaitWords{log::kCountUnit, 50 * kMilli, 1});
  log.cpu(unseen, 2, 20 * kMilli);
  model::WaitMetric sum;
  for (const auto& row : test::built(log).tree.waits) sum += row.metric;
  CHECK(sum.blocked_ns() == 30 * kMilli);
}

TEST_CASE("a call of an API waits where its node says so, and nowhere else", "[read]") {
  LogBuilder log;
  const auto call = log.named(N::Api, "cudaMemcpy", "CUDA runtime");
  const auto module = log.module("m");
  const auto waits = log.node(log.node(0, log.native(module, 0x100)), call);
  const auto runs = log.node(log.node(0, log.native(module, 0x200)), call);
  log.record(R::Wait, waits, log::WaitWords{log::kCountUnit, 50 * kMilli, 1});
  log.cpu(waits, 1, 10 * kMilli);
  log.cpu(runs, 1, 10 * kMilli);
  const model::Process process = test::built(log);
  REQUIRE(process.tree.waits.size() == 1);
  CHECK(process.tree.waits[0].metric.blocked_ns() == 40 * kMilli);
}

TEST_CASE("code made at run time is not taken for a call where two names of the log are one", "[read]") {
  LogBuilder log;
  const auto one = log.named(N::MadeCode, "Lambda.run"), again = log.named(N::MadeCode, "Lambda.run");
  const auto other = log.named(N::MadeCode, "Page.fill"), read = log.named(N::Wait, "read", "file");
  log.cpu(log.node(0, one), 1, kMilli, 0);
  log.cpu(log.node(0, again), 1, kMilli, 0);
  log.cpu(log.node(0, other), 1, kMilli, 0);
  const auto totals = log.node(0, log.special(log::SpecialFrame::Waits));
  log.record(R::WaitTotal, log.node(totals, read), total(1, 9 * kMilli), 0);
  const model::Process process = test::built(log);
  CHECK_FALSE(process.damage.any());
  REQUIRE(process.tree.wait_totals.size() == 1);
  const model::Frame& call = process.tree.frames[process.tree.wait_totals[0].frame];
  REQUIRE(call.kind == model::Frame::Kind::Named);
  CHECK(process.names[call.name].name == "read");
  CHECK(process.tree.nodes.size() == 3);  // the root, and each function once
}

TEST_CASE("rows of waiting on nodes that cannot have them are dropped and counted", "[read]") {
  LogBuilder log;
  const auto read = log.named(N::Wait, "read", "file"), file = log.named(N::File, "/a", "file");
  const auto native = log.native(log.module("m"), 0x100);
  const auto main = log.node(0, native);
  log.record(R::Wait, main, log::WaitWords{log::kCountUnit, 5, 1});
  log.record(R::WaitTotal, main, total(1, 5));
  const auto waits = log.node(0, log.special(log::SpecialFrame::Waits));
  log.record(R::WaitTotal, log.node(waits, file), total(1, 5));
  const auto files = log.node(0, log.special(log::SpecialFrame::Files));
  log.record(R::File, log.node(files, read), log::FileWords{});
  const auto locks = log.node(0, log.special(log::SpecialFrame::Locks));
  log.record(R::Lock, log.node(locks, file), log::LockWords{1, 1, 1, 1, 0, 0, 0, 0, 0, 0});
  log.record(R::Lock, log.node(locks, native), log::LockWords{99, 1, 1, 1, 0, 0, 0, 0, 0, 0});
  const model::Process process = test::built(log);
  CHECK(process.tree.waits.empty());
  CHECK(process.tree.wait_totals.empty());
  CHECK(process.tree.files.empty());
  CHECK(process.tree.locks.empty());
  CHECK(process.damage.bad_references == 6);
}

TEST_CASE("files and locks: rows of threads, and of the longest wait who held it", "[read]") {
  LogBuilder log;
  const auto module = log.module("m");
  const auto main = log.node(0, log.native(module, 0x100)), other = log.node(0, log.native(module, 0x200));
  log::FileWords words{};
  words.reads = 3;
  words.read_bytes = 300;
  words.read_ns = 30;
  words.read_max_ns = 20;
  words.polls = 1;
  words.poll_ns = 5;
  const auto file = log.node(log.node(0, log.special(log::SpecialFrame::Files)), log.named(N::File, "/a", "file"));
  log.record(R::File, file, words, 0);
  words.read_max_ns = 90;
  log.record(R::File, file, words, 1);
  const auto lock = log.node(log.node(0, log.special(log::SpecialFrame::Locks)), log.native(module, 0x5000));
  log.record(R::Lock, lock, log::LockWords{1, 3, 60, 40, 1001, main, other, 0, main, 0}, 0);
  log.record(R::Lock, lock, log::LockWords{1, 2, 90, 80, 1002, other, 0, 1, other, 1004}, 1);
  const model::Process process = test::built(log);
  REQUIRE(process.tree.files.size() == 2);
  model::FileMetric use = process.tree.files[0].metric;
  use += process.tree.files[1].metric;
  CHECK(use.reads == 6);
  CHECK(use.read_max_ns == 90);
  CHECK(use.calls() == 8);
  CHECK(use.ns() == 70);
  REQUIRE(process.tree.locks.size() == 2);
  model::LockMetric held = process.tree.locks[0].metric;
  held += process.tree.locks[1].metric;
  CHECK(held.waits == 5);
  CHECK(held.max_ns == 80);
  CHECK(held.longest_holder == 1002);
  CHECK(held.longest_waiter == process.tree.locks[1].metric.longest_waiter);
  CHECK(held.created == process.tree.locks[0].metric.created);
  CHECK(held.created);
  CHECK(held.failed == 1);
}

TEST_CASE("sums of waiting over hostile records stay in range", "[read]") {
  LogBuilder log;
  const auto read = log.named(N::Wait, "read", "file");
  const auto reading = log.node(0, read);
  const auto totals = log.node(log.node(0, log.special(log::SpecialFrame::Waits)), read);
  constexpr std::uint64_t kMost = UINT64_MAX;
  for (std::uint32_t slot = 0; slot < 3; ++slot) {
    log.record(R::Wait, reading, log::WaitWords{kMost, kMost, kMost}, slot);
    log.record(R::WaitTotal, totals, log::WaitTotalWords{kMost, kMost, kMost, kMost, kMost, 0, kMost, kMost, kMost},
               slot);
    log.cpu(reading, kMost, kMost, slot);
  }
  const model::Process process = test::built(log);
  model::WaitMetric sum;
  for (const auto& row : process.tree.waits) sum += row.metric;
  CHECK(sum.ns == INT64_MAX);
  CHECK(sum.blocked_ns() == 0);
  CHECK(sum.calls() > 0);
  model::WaitTotal all;
  for (const auto& row : process.tree.wait_totals) all += row.metric;
  CHECK(all.calls == INT64_MAX);
  CHECK(all.self_ns() == 0);
}

TEST_CASE("mounts: escapes, sources with blanks, lines without sense", "[model]") {
  std::vector<model::Mount> mounts;
  model::read_mounts("/ ext4 /dev/vda1\n/data\\040set nfs4 host:/x\\134y\n\nnonsense\n/last tmpfs", mounts);
  REQUIRE(mounts.size() == 3);
  CHECK(mounts[0].source == "/dev/vda1");
  CHECK(mounts[1].path == "/data set");
  CHECK(mounts[1].source == "host:/x\\y");
  CHECK(mounts[2].type == "tmpfs");
  CHECK(mounts[2].source.empty());
}
