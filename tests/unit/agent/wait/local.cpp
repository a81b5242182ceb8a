// Where a thread is in its blocking calls, and the totals of each function.
#include <algorithm>
#include <memory>

#include "agent/capture/window.hpp"
#include "agent/tree/context.hpp"
#include "agent/wait/functions.hpp"
#include "agent/wait/local.hpp"
#include "agent/wait/open_call.hpp"
#include "agent/wait/sampling.hpp"
#include "tests/support/agent_log.hpp"
#include "tests/support/catch.hpp"

using namespace prof;
using namespace prof::test;
using wait::WaitClass;

namespace {

constexpr std::uintptr_t kLow = 0x7f0000000000, kHigh = kLow + (8 << 20);
constexpr std::uintptr_t kOther = 0x550000000000;  // a stack of a handler or a coroutine

struct Thread {
  std::unique_ptr<ThreadState> state = std::make_unique<ThreadState>();
  log::ThreadUseRecord use{};
  Thread() {
    state->bounds = {kLow, kHigh};
    wait::local(*state).use = &use;
  }
  ThreadState& operator*() { return *state; }
  wait::Local& local() { return wait::local(*state); }
};

}  // namespace

TEST_CASE("agent: a call inside of another one gives the thread back to it, and takes its time away") {
  Thread t;
  wait::Outer none{}, outer{};
  wait::begin_open_call(*t, kHigh - 1000, 11, 101, 5000, none);
  CHECK(none.at == 0);
  CHECK(t.local().caller == 11);
  CHECK(t.use.open_frame == 101);
  CHECK(t.use.open_since == 5000);
  for (const std::uintptr_t at : {kHigh - 2000, kOther}) {  // on the same stack, and in a handler on its own one
    wait::begin_open_call(*t, at, 12, 102, 6000, outer);
    CHECK(outer.at == kHigh - 1000);
    CHECK(t.use.open_frame == 102);
    CHECK(wait::end_open_call(*t, at, 300, outer) == 0);
    CHECK(t.local().caller == 11);
    CHECK(t.local().frame == 101);
    CHECK(t.use.open_frame == 101);
    CHECK(t.use.open_since == 5000);
  }
  CHECK(wait::end_open_call(*t, kHigh - 1000, 5000, none) == 600);
  CHECK(t.local().caller == 0);
  CHECK(t.local().at == 0);
  CHECK(t.use.open_frame == 0);
}

TEST_CASE("agent: a call that was left by a jump is around no later one") {
  struct Case {
    std::uintptr_t left, next;
    bool around;
  };
  const Case cases[] = {
      {kHigh - 2000, kHigh - 1000, false},            // the stack was cut down
      {kHigh - 2000, kHigh - 2000, false},            // and has grown again to the same place
      {kHigh - 1000, kHigh - 2000, true},             // may be around it
      {kOther, kHigh - 1000, false},                  // left in a handler on its own stack
      {kHigh - 1000, kOther, true},                   // a handler, called in it
      {kOther, kOther - 1000, true},                  // likewise, on the same stack
      {kOther - 1000, kOther, false},                 // a coroutine that was cut down
      {kOther, kOther + 2 * wait::kSameStack, true},  // a handler that interrupted a coroutine
  };
  for (const Case& c : cases) {
    INFO(std::hex << c.left << ' ' << c.next);
    Thread t;
    wait::Outer none{}, outer{};
    wait::begin_open_call(*t, c.left, 11, 101, 5000, none);
    t.local().nested_ns = 40;
    wait::begin_open_call(*t, c.next, 12, 102, 6000, outer);
    CHECK((outer.at != 0) == c.around);
    CHECK(wait::end_open_call(*t, c.next, 300, outer) == 0);
    CHECK(t.local().at == (c.around ? c.left : 0));
    CHECK(t.local().nested_ns == (c.around ? 340U : 0U));
    CHECK(t.use.open_frame == (c.around ? 101U : 0U));
  }
}

TEST_CASE("agent: the outer call does not believe what a call that was left inside of it says") {
  Thread t;
  wait::Outer none{}, outer{};
  wait::begin_open_call(*t, kHigh - 1000, 11, 101, 5000, none);
  wait::begin_open_call(*t, kHigh - 2000, 12, 102, 6000, outer);
  CHECK(wait::end_open_call(*t, kHigh - 1000, 9000, none) == 0);
}

TEST_CASE("agent: each function and class has its totals, and a distribution from the fourth call on") {
  const AgentGuard guard;
  static constinit wait::Function function{"agent_unit_read"};
  bool news = false;
  wait::FunctionCounters* file = wait::counters_of(guard, function, WaitClass::File, news);
  REQUIRE(file != nullptr);
  CHECK(news);
  wait::FunctionCounters* pipe = wait::counters_of(guard, function, WaitClass::Pipe, news);
  REQUIRE(pipe != nullptr);
  CHECK(pipe->totals != file->totals);
  CHECK(pipe->frame != file->frame);
  CHECK(wait::counters_of(guard, function, WaitClass::File, news) == file);
  CHECK(!news);

  const std::uint64_t times[] = {500, 20, 3000, 7000, 100};
  for (unsigned i = 0; i < 5; ++i) {
    wait::count_call(guard, *file, times[i], i == 2 ? 1000 : 0, i == 1 ? EAGAIN : 0, 10);
    CHECK((file->spread != nullptr) == (i >= wait::kWithoutSpread));
  }
  CHECK(file->totals->calls == 5);
  CHECK(file->totals->failed == 1);
  CHECK(file->totals->last_errno == EAGAIN);
  CHECK(file->totals->bytes == 40);
  CHECK(file->totals->total_ns == 10620);
  CHECK(file->totals->nested_ns == 1000);
  CHECK(file->totals->min_ns == 20);
  CHECK(file->totals->max_ns == 7000);
  for (const std::uint64_t ns : times) CHECK(file->spread->count[log::spread_class(ns)] == 1);
  CHECK(pipe->totals->calls == 0);
}

// Catches a bias where both rules meet: what is chosen anyway must not use up the gap of what is not.
TEST_CASE("agent: contexts of short and of long calls together have the sum of all times") {
  const std::uint8_t stretched = GENERATE(as<std::uint8_t>{}, 0, 3);
  Thread t;
  (*t).random = 4711;
  wait::local(*t).stretched = stretched;
  const std::uint64_t sure = log::kWaitSure << stretched;
  wait::begin_sampling(*t);
  double all = 0, estimate = 0, calls = 0, counted = 0;
  std::uint64_t lengths = 42;
  for (int i = 0; i < 2'000'000; ++i) {
    const std::uint64_t r = heap::next_random(lengths);
    const std::uint64_t ns = r % 100 == 0 ? sure + r % 1000 : 20 + r % (5000 << stretched);
    all += static_cast<double>(ns);
    ++calls;
    heap::Weight w{};
    if (!wait::chosen(*t, ns, w)) {
      if (ns >= sure) FAIL("a long call without a context");
      continue;
    }
    if (ns >= sure && (w.bytes != ns || w.count != log::kCountUnit)) FAIL("a long call is an estimate");
    estimate += static_cast<double>(w.bytes);
    counted += static_cast<double>(w.count) / static_cast<double>(log::kCountUnit);
  }
  CHECK(estimate == Approx(all).epsilon(0.01));
  CHECK(counted == Approx(calls).epsilon(0.02));
}

// Catches a limit that swings, or goes up in a thread that waits long and rarely.
TEST_CASE("agent: contexts of calls keep to their share of a thread's time") {
  CHECK(wait::next_stretch(0, 1'000, 200'000, 0) == 0);
  CHECK(wait::next_stretch(0, 1'001, 200'000, 0) == 1);
  CHECK(wait::next_stretch(0, 1'000, 200'000, 1'000'001) == 0);
  CHECK(wait::next_stretch(0, 1'000, 0, 1'000'000) == 0);
  CHECK(wait::next_stretch(0, 1'001, 0, 1'000'000) == 1);
  CHECK(wait::next_stretch(6, 1'001, 0, 1'000'000) == 6);
  CHECK(wait::next_stretch(2, 251, 200'000, 0) == 2);
  CHECK(wait::next_stretch(2, 249, 200'000, 0) == 1);
  CHECK(wait::next_stretch(0, 0, 200'000, 0) == 0);

  // A thread whose stacks take 2 us, and that works 50 us between two waits of 0.3 ms: the cost settles below its
  // share.
  Thread t;
  (*t).random = 4711;
  std::uint64_t stacks = 0, cpu = 0, wall = 0;
  for (int calls = 0, since = 0; calls < 20'000; ++calls) {
    cpu += 50'000;
    wall += 350'000;
    heap::Weight w{};
    if (!wait::chosen(*t, 300'000, w)) continue;
    stacks += 2'000;
    if (++since < 64) continue;
    wait::local(*t).stretched = wait::next_stretch(wait::local(*t).stretched, stacks, cpu, wall);
    if (calls > 10'000) CHECK(stacks <= std::max(cpu / 200, wall / 1000) * 5 / 4);
    stacks = cpu = wall = 0;
    since = 0;
  }
  CHECK(wait::local(*t).stretched >= 3);
  CHECK(wait::local(*t).stretched <= 5);
}

TEST_CASE("agent: without a window all time lies within it") {
  CHECK(capture::within(100, 350) == 250);
  CHECK(capture::within(350, 100) == 0);
}
