// When and why a GPU had nothing to do, and which function gave it what.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "tests/support/catch.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::test;

namespace {

struct Times {
  long long span_ns = 0, busy_ns = 0, gaps = 0;
};

// Of a device, by the ledger.
Times times_of(const Ledger& ledger, int device) {
  std::vector<std::pair<long long, long long>> work;
  for (const Json& line : ledger.of("work")) {
    if (line.at("device").get<int>() != device) continue;
    work.emplace_back(line.at("start").get<long long>(), line.at("end").get<long long>());
  }
  std::sort(work.begin(), work.end());
  REQUIRE_FALSE(work.empty());
  Times times;
  long long end = work.front().first;
  for (const auto& [from, to] : work) {
    if (from > end) ++times.gaps;
    times.busy_ns += std::max(0LL, to - std::max(from, end));
    end = std::max(end, to);
  }
  times.span_ns = end - work.front().first;
  return times;
}

long long ns(const Json& seconds) { return std::llround(seconds.get<double>() * 1e9); }

// Nanoseconds of one cause of idle time, charged to lines of a function.
long long idle_of(const Report& report, const std::string& function, const std::string& cause) {
  long long total = 0;
  for (const Json& row : report.section("idle").at("sites")) {
    if (row.at("site").at("name") == function) total += ns(row.at(cause));
  }
  return total;
}

Report run(const TempDir& temp, const std::string& kind, int count) {
  check_survives(with_gpu(Command::victim("gpu_work12", {kind, std::to_string(count)}), temp / "ledger"), temp / "run");
  return Report::of(temp / "run");
}

}  // namespace

// Catches a device that is called busy while two streams overlap twice, and gaps that are charged to what was before
// them.
TEST_CASE("a device's busy and idle times are those of the ledger") {
  for (const char* kind : {"streams", "threads", "gaps"}) {
    INFO(kind);
    TempDir temp;
    const Report report = run(temp, kind, 60);
    const Times truth = times_of(Ledger(temp / "ledger"), 0);
    const Json& device = report.section("devices").at(0);
    CHECK(ns(device.at("span_s")) == truth.span_ns);
    CHECK(ns(device.at("busy_s")) == truth.busy_ns);
    const Json& idle = report.section("idle");
    CHECK(ns(idle.at("total_s")) == truth.span_ns - truth.busy_ns);
    CHECK(idle.at("gaps").get<long long>() == truth.gaps);
    long long parts = 0;
    for (const char* part : {"synchronising_s", "waiting_s", "launching_s", "python_s", "native_s"}) {
      parts += ns(idle.at(part));
    }
    CHECK(std::llabs(parts - ns(idle.at("total_s"))) < 10);
  }
}

// Catches work that is taken for idle time, since CUPTI keeps back the records of the thread that asked for it.
TEST_CASE("work that CUPTI tells of long after later work of another thread is no idle time") {
  TempDir temp;
  const Outcome outcome =
      with_gpu(Command::victim("gpu_thread13", {"apart"}), temp / "ledger", {13}).profiled(temp / "run").run();
  INFO(outcome);
  REQUIRE(outcome.ok());
  const Report report = Report::of(temp / "run");
  const Times truth = times_of(Ledger(temp / "ledger"), 0);
  REQUIRE(truth.busy_ns > 4'000'000'000);
  CHECK(ns(report.section("devices").at(0).at("busy_s")) == truth.busy_ns);
  CHECK(ns(report.section("idle").at("total_s")) == truth.span_ns - truth.busy_ns);
  CHECK(report.section("idle").at("gaps").get<long long>() == truth.gaps);
}

TEST_CASE("idle time of a GPU is charged to the launch that ended it, by what its thread did") {
  constexpr int kCount = 40;
  TempDir temp;
  const Report report = run(temp, "gaps", kCount);
  // Before launch_short the program computes 3 ms of CPU time, before launch_long it sleeps 2 ms.
  CHECK(idle_of(report, "launch_short", "native_s") > kCount * 2'900'000LL);
  CHECK(idle_of(report, "launch_long", "waiting_s") > (kCount - 1) * 1'900'000LL);
  CHECK(idle_of(report, "launch_long", "native_s") < kCount * 1'000'000LL);
  CHECK(idle_of(report, "launch_short", "python_s") == 0);
}

TEST_CASE("each stream has its own totals") {
  TempDir temp;
  const Report report = run(temp, "streams", 90);
  std::map<std::string, Tally> truth;
  for (const Json& line : Ledger(temp / "ledger").of("work")) {
    Tally& tally = truth[std::to_string(line.at("stream").get<int>())];
    ++tally.count;
    tally.total_ns += line.at("end").get<long long>() - line.at("start").get<long long>();
  }
  REQUIRE(truth.size() == 4);
  std::set<std::string> seen;
  for (const Json& row : report.section("streams")) {
    const auto name = row.at("stream").get<std::string>();
    INFO("stream " << name);
    REQUIRE(truth.contains(name));
    CHECK(row.at("kernels").get<long long>() == truth[name].count);
    CHECK(ns(row.at("kernels_s")) == truth[name].total_ns);
    seen.insert(name);
  }
  CHECK(seen.size() == 4);
}

TEST_CASE("functions have the device time of what they launched") {
  TempDir temp;
  const Report report = run(temp, "streams", 100);
  std::map<std::string, long long> of;
  for (const Json& row : report.section("functions")) {
    of[row.at("name").get<std::string>()] += ns(row.at("cumgpu_s"));
  }
  CHECK(of["launch_short"] == 100 * 20'000);
  CHECK(of["launch_long"] == 25 * 300'000);
  CHECK(of["in_streams"] == of["launch_short"] + of["launch_long"]);
  CHECK(of["main"] == of["in_streams"]);
}

TEST_CASE("GPU figures are the same in exact heap mode and with exact Python calls on") {
  TempDir temp;
  check_survives(with_gpu(Command::victim("gpu_work12", {"threads", "100"}), temp / "ledger")
                     .set("PROF_HEAP", "exact")
                     .set("PROF_PYTHON", "calls"),
                 temp / "run");
  check_gpu_truth(Report::of(temp / "run"), Ledger(temp / "ledger"));
}
