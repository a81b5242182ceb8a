#include "report/fold/waiting/waits.hpp"

#include <algorithm>
#include <cmath>

#include "report/fold/line_tree.hpp"
#include "report/fold/time/functions.hpp"
#include "report/fold/time/lines.hpp"
#include "report/fold/waiting/accounting.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/support/wait_run.hpp"

using namespace prof;
using fold::WallSplit;
using log::WaitClass;
using test::WaitRun;

namespace {

constexpr std::int64_t kMs = 1'000'000;

fold::CallTree tree_of(const WaitRun& wait) { return fold::line_tree(wait.run, wait.symbols, wait.selection); }

std::vector<fold::WaitRow> calls_of(const WaitRun& wait) {
  return fold::wait_calls(wait.run, tree_of(wait), wait.selection);
}

const fold::WaitRow& row_named(const std::vector<fold::WaitRow>& rows, const std::string& name) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.name == name; });
  REQUIRE(found != rows.end());
  return *found;
}

WallSplit split_of(const WaitRun& wait, std::uint32_t pid, std::uint32_t slot) {
  for (const fold::ThreadWall& thread : fold::thread_walls(wait.run, wait.selection)) {
    if (wait.run.processes[thread.process].pid == pid && thread.thread->slot == slot) return thread.split;
  }
  FAIL("no such thread");
  return {};
}

std::int64_t sum_of(const WallSplit& split) {
  return split.cpu_ns + split.blocked() + split.run_queue_ns + split.residual_ns;
}

}  // namespace

TEST_CASE("blocking calls by function: exact, those that are not over and those that had not to wait", "[fold]") {
  const WaitRun wait;
  const auto rows = calls_of(wait);
  REQUIRE(rows.size() == 6);
  CHECK(rows[0].total.ns == 1'500 * kMs);
  const fold::WaitRow& read = row_named(rows, "read");
  CHECK(read.what == WaitClass::File);
  CHECK(read.total.calls == 1'000);
  CHECK(read.total.failed == 2);
  CHECK(read.total.bytes == 1 << 20);
  CHECK(read.total.cpu_ns == 100 * kMs);
  REQUIRE(read.median_ns);
  CHECK(*read.median_ns == Approx(10'000).epsilon(0.15));
  REQUIRE(read.deviation_ns);
  // 998 calls of 10 us and two of 200 ms.
  CHECK(*read.deviation_ns == Approx(200.0 * kMs * std::sqrt(0.002)).epsilon(0.1));
  const fold::WaitRow& poll = row_named(rows, "epoll_wait");
  CHECK(poll.total.open == 1);
  CHECK(poll.total.ns == 1'500 * kMs);
  CHECK(*poll.median_ns == Approx(1'500.0 * kMs));
  const fold::WaitRow& lock = row_named(rows, "pthread_mutex_lock");
  CHECK(lock.total.calls == 0);
  CHECK(lock.total.uncontended == 50);
  CHECK_FALSE(lock.median_ns);
}

TEST_CASE("blocking calls of a thread, and of stacks", "[fold]") {
  WaitRun wait;
  wait.selection.threads = {"1002"};
  const auto of_thread = calls_of(wait);
  REQUIRE(of_thread.size() == 1);
  CHECK(of_thread[0].name == "pthread_cond_wait");
  wait.selection.threads.clear();
  wait.selection.focus.emplace("train");
  const auto of_stacks = calls_of(wait);
  REQUIRE(of_stacks.size() == 2);
  CHECK(of_stacks[0].name == "nanosleep");
  CHECK(of_stacks[1].total.calls == 4);
  CHECK(of_stacks[1].total.ns == 500 * kMs);
  CHECK_FALSE(of_stacks[1].total.each.max_ns);
}

TEST_CASE("deviation: of a distribution, at most what the classes' width adds", "[fold]") {
  model::Spread spread;
  CHECK_FALSE(fold::deviation_ns(spread, {}));
  spread.count[log::spread_class(1'000'000)] = 50;
  CHECK(*fold::deviation_ns(spread, {1'000'000, 1'000'000}) == 0);
  CHECK(*fold::deviation_ns(spread, {}) < 0.08 * 1'000'000);
  spread.count[log::spread_class(3'000'000)] = 50;
  CHECK(*fold::deviation_ns(spread, {}) == Approx(1'000'000).epsilon(0.1));
  model::Spread odd;
  odd.count[0] = INT64_MAX;
  odd.count[log::kSpreadClasses - 1] = INT64_MAX;
  odd.count[5] = -3;
  CHECK(std::isfinite(*fold::deviation_ns(odd, {7, 3})));
}

TEST_CASE("places that waited: the line of Python that asked, and calls of APIs that wait for a GPU", "[fold]") {
  const WaitRun wait;
  const auto places = fold::wait_places(tree_of(wait));
  const auto at = [&](std::uint32_t line, WaitClass what) {
    for (const fold::WaitPlace& place : places) {
      const bool known = place.location != fold::kNobody;
      if (known && wait.symbols.location(place.location).line == line && place.what == what) return place.wait;
    }
    return model::WaitMetric{};
  };
  CHECK(at(30, WaitClass::Sleep).blocked_ns() == 700 * kMs);
  CHECK(at(20, WaitClass::File).blocked_ns() == 400 * kMs);
  CHECK(at(20, WaitClass::File).calls() == 4);
  CHECK(at(40, WaitClass::Gpu).blocked_ns() == 50 * kMs);
  const auto nobody = std::find_if(places.begin(), places.end(),
                                   [](const fold::WaitPlace& place) { return place.location == fold::kNobody; });
  REQUIRE(nobody != places.end());  // whoever is in epoll_wait: its stack was not seen
  CHECK(nobody->what == WaitClass::Poll);
}

TEST_CASE("blocked time in functions: of the call, of who called, and CPU in a call is not its caller's", "[fold]") {
  const WaitRun wait;
  const fold::CallTree tree = fold::build_call_tree(wait.run, wait.symbols);
  CHECK(tree.waits_known());
  CHECK(model::value_of(tree.total(), model::Measure::Blocked) == (400 + 700 + 50 + 1'500 + 1'500) * kMs);
  CHECK(model::value_of(tree.total(), model::Measure::WallTime) ==
        tree.total().cpu.ns + model::value_of(tree.total(), model::Measure::Blocked));
  for (const fold::FunctionRow& row : fold::functions(tree)) {
    const symbols::Function& function = wait.symbols.function(row.function);
    if (function.name == "read") {
      CHECK(function.language == symbols::Language::Wait);
      CHECK(function.module == "libc (file)");
      CHECK(row.self.cpu.ns == 100 * kMs);
      CHECK(row.self.wait.blocked_ns() == 400 * kMs);
    }
    if (function.name == "train") {
      CHECK(row.self.cpu.ns == 500 * kMs);
      CHECK(row.self.wait.empty());
      CHECK(row.cumulative.wait.blocked_ns() == 1'150 * kMs);
      CHECK(row.cumulative.cpu.ns == 600 * kMs);
    }
    if (function.name == "libwork.so+0x100") CHECK(row.self.cpu.ns == 0);
  }
  std::int64_t all = 0;
  for (const fold::ModuleRow& row : fold::modules(tree)) all += row.self.cpu.ns;
  CHECK(all == tree.total().cpu.ns);
}

TEST_CASE("blocked time in lines: the line's own, and that of native code that it called", "[fold]") {
  const WaitRun wait;
  const fold::Lines lines = fold::lines(wait.run, wait.symbols, wait.selection);
  CHECK(lines.waits_known);
  const auto line = [&](std::uint32_t number) {
    const auto found = std::find_if(lines.rows.begin(), lines.rows.end(), [&](const auto& row) {
      return row.line == number && row.language == symbols::Language::Python;
    });
    REQUIRE(found != lines.rows.end());
    return *found;
  };
  CHECK(line(20).wait.blocked_ns() == 400 * kMs);
  CHECK(line(20).native_ns == 100 * kMs);
  CHECK(line(30).wait.blocked_ns() == 700 * kMs);
  CHECK(line(30).cum_wait.blocked_ns() == 700 * kMs);
  CHECK(line(10).wait.blocked_ns() == 0);
}

TEST_CASE("wall time is its parts", "[fold]") {
  const WaitRun wait;
  const WallSplit main = split_of(wait, 500, 0);
  CHECK(main.wall_ns == 2'000 * kMs);
  CHECK(main.cpu_ns == 600 * kMs);
  CHECK(main.of(WaitClass::File) == 400 * kMs);
  CHECK(main.of(WaitClass::Sleep) == 700 * kMs);
  CHECK(main.of(WaitClass::Gpu) == 50 * kMs);
  CHECK(main.run_queue_ns == 30 * kMs);
  CHECK(main.residual_ns == 220 * kMs);
  CHECK_FALSE(main.scaled);
  CHECK(sum_of(main) == main.wall_ns);
}

TEST_CASE("a wait that nobody saw is residual, a call that is not over is no residual", "[fold]") {
  const WaitRun wait;
  const WallSplit worker = split_of(wait, 500, 1);
  CHECK(worker.cpu_ns == 0);
  CHECK(worker.of(WaitClass::Poll) == 1'500 * kMs);
  CHECK(worker.residual_ns == 500 * kMs);
  CHECK_FALSE(worker.run_queue_known);
  const WallSplit silent = split_of(wait, 501, 0);
  CHECK_FALSE(silent.blocked_known);
  CHECK(silent.blocked() == 0);
  CHECK(silent.residual_ns == 1'900 * kMs);
}

TEST_CASE("a call that waited for a CPU at its end has that time, and the run queue the rest of it", "[fold]") {
  const WallSplit joiner = split_of(WaitRun(), 500, 3);
  CHECK(joiner.of(WaitClass::Lock) == 900 * kMs);
  CHECK(joiner.run_queue_ns == 100 * kMs);
  CHECK(joiner.residual_ns == 0);
  CHECK_FALSE(joiner.scaled);
}

TEST_CASE("calls that cannot have taken so long are made to fit", "[fold]") {
  const WaitRun wait;
  const WallSplit other = split_of(wait, 500, 2);
  CHECK(other.scaled);
  CHECK(other.cpu_ns == 1'000 * kMs);
  CHECK(other.run_queue_ns == 0);
  CHECK(other.of(WaitClass::Lock) == Approx(1'000.0 * kMs).epsilon(1e-6));
  CHECK(sum_of(other) == other.wall_ns);
  WallSplit all;
  for (const fold::ThreadWall& thread : fold::thread_walls(wait.run, wait.selection)) all += thread.split;
  CHECK(all.wall_ns == 10'000 * kMs);
  CHECK(sum_of(all) == all.wall_ns);
  CHECK(all.scaled);
  CHECK_FALSE(all.blocked_known);
}
