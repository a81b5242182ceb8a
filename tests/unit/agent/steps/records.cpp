// What becomes of the records of many steps, and in which steps details are recorded.
#include <memory>

#include "agent/contract/schedule.hpp"
#include "agent/steps/records.hpp"
#include "tests/support/logged_steps.hpp"

using namespace prof;

namespace {

// As torch/profiler/profiler.py has it, in other words.
bool recorded_by_torch(const steps::Schedule& s, std::uint64_t step) {
  if (step < s.skip_first) return false;
  std::uint64_t left = step - s.skip_first;
  for (std::uint64_t cycle = 0; s.repeat == 0 || cycle < s.repeat; ++cycle) {
    if (left < s.wait + s.warmup) return false;
    left -= s.wait + s.warmup;
    if (left < s.active) return true;
    left -= s.active;
  }
  return false;
}

void add(steps::Records& records, const Guard& guard, const log::StepRecord& step) {
  records.add(guard, step);
  if (const std::uint32_t wanted = records.wanted_room()) records.give_room(guard, steps::Records::take_room(wanted));
}

}  // namespace

TEST_CASE("agent: a schedule means what torch.profiler's does") {
  for (const std::uint64_t skip : {0, 3}) {
    for (const std::uint64_t wait : {0, 1, 4}) {
      for (const std::uint64_t warmup : {0, 2}) {
        for (const std::uint64_t active : {1, 3}) {
          for (const std::uint64_t repeat : {0, 1, 2}) {
            const steps::Schedule s{skip, wait, warmup, active, repeat};
            std::uint64_t windows = 0;
            for (std::uint64_t step = 0; step < 60; ++step) {
              INFO(skip << ' ' << wait << ' ' << warmup << ' ' << active << ' ' << repeat << " at " << step);
              CHECK(s.is_active(step) == recorded_by_torch(s, step));
              windows += s.ends_window(step);
            }
            if (repeat != 0) CHECK(windows == repeat);
          }
        }
      }
    }
  }
  CHECK_FALSE(steps::Schedule{}.is_active(0));
}

TEST_CASE("agent: a schedule is read in any order, and refused where it is none") {
  steps::Schedule s;
  REQUIRE(steps::parse_schedule("warmup=1,active=3,wait=5,repeat=2,skip_first=10", s));
  CHECK((s.skip_first == 10 && s.wait == 5 && s.warmup == 1 && s.active == 3 && s.repeat == 2));
  REQUIRE(steps::parse_schedule("active=1", s));
  CHECK((s.skip_first == 0 && s.wait == 0 && s.repeat == 0));
  for (const char* bad : {"", "active", "active=", "active=0", "wait=1", "active=1,", "active=1,wait=1,wait=2",
                          "active=1,pause=1", "active=-1", "active=1;wait=1", "active=1000000001"}) {
    INFO(bad);
    CHECK_FALSE(steps::parse_schedule(bad, s));
    CHECK(s.active == 1);
  }
}

// Catches records that are lost, counted twice or mixed up when they are merged, and a log that grows with the steps.
TEST_CASE("agent: many steps become few records that know them all") {
  const test::AgentGuard guard;
  const auto records = std::make_unique<steps::Records>();
  records->begin(guard, log::StepSource::Optimizer, 77, 12);
  const std::uint32_t before = test::logged_steps().chunks;
  std::uint64_t now = 1000, all_ns = 0;
  const auto ns_of = [](std::uint64_t n) { return n == 1234 ? 5'000'000 : 1000 + n % 7; };
  for (std::uint64_t n = 1; n <= 5000; ++n) {
    log::StepFigures figures{};
    figures.parts_ns[0] = ns_of(n);
    figures.blocked_ns[1] = n;
    add(*records, guard, steps::record_of(n, now, now + ns_of(n), 10, 20, figures));
    now += ns_of(n) + 1;
    all_ns += ns_of(n);
    if (n == 60) CHECK(test::logged_steps().records.size() == 60);
    if (n == 512) CHECK(test::logged_steps().records.size() == 512);
    if (n == 512) CHECK(test::logged_steps().header.per == 1);
    if (n == 513) CHECK(test::logged_steps().header.per == 2);
  }
  const test::LoggedSteps got = test::logged_steps();
  CHECK(got.chunks == before + 1);
  CHECK(got.header.records == log::kStepRecords);
  CHECK(got.header.per == 16);
  CHECK(got.header.frame == 77);
  CHECK(got.header.tid == 12);
  CHECK(got.header.source == log::StepSource::Optimizer);
  std::uint64_t next = 1, ns = 0, cpu = 0, blocked = 0, longest = 0, shortest = UINT64_MAX;
  for (const log::StepRecord& r : got.records) {
    CHECK(r.first == next);
    next += r.count;
    ns += r.ns;
    cpu += r.process_cpu_ns;
    blocked += r.sum.blocked_ns[1];
    CHECK(r.sum.parts_ns[0] == r.ns);
    CHECK(r.begin_ns < r.end_ns);
    CHECK(r.longest_figures.parts_ns[0] == r.longest_ns);
    if (r.shortest_ns < shortest) shortest = r.shortest_ns;
    if (r.longest_ns == 5'000'000) longest = r.longest;
  }
  CHECK(next == 5001);
  CHECK(ns == all_ns);
  CHECK(cpu == 5000 * 20);
  CHECK(blocked == 5000 * 5001 / 2);
  CHECK(longest == 1234);
  CHECK(shortest == 1000);

  // Steps that are found by something better put an end to these.
  records->begin(guard, log::StepSource::Profiler, 78, 13);
  CHECK(test::logged_steps().records.empty());
  CHECK(test::logged_steps().header.dropped == 5000);
  add(*records, guard, steps::record_of(1, 5, 9, 0, 0, {}));
  CHECK(test::logged_steps().records.size() == 1);
  CHECK(test::logged_steps().header.per == 1);
}
