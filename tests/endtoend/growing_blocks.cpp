// Blocks that are no smaller than any before: the mark of data that grows by being copied.
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::test;

namespace {

struct Seen {
  long long samples = 0, growing = 0;
};
Seen seen_below(const Report& report, const std::string& function) {
  Seen out;
  for (const Json& site : report.section("heap").at("sites")) {
    bool below = false;
    for (const Json& frame : site.at("stack")) below |= is_function(frame.at("name").get<std::string>(), function);
    if (!below) continue;
    out.samples += site.at("samples").get<long long>();
    out.growing += site.at("growing").get<long long>();
  }
  return out;
}

}  // namespace

TEST_CASE("blocks that grow are told from those that stay alike and those of any size") {
  const std::string heap = GENERATE(as<std::string>{}, "sampled", "exact");
  TempDir temp;
  const Outcome run = Command::victim("growing_blocks").set("PROF_HEAP", heap).profiled(temp / "run").run();
  INFO(run);
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  const Seen grow = seen_below(report, "grow"), stay = seen_below(report, "stay"), vary = seen_below(report, "vary");
  REQUIRE(grow.samples > 200);
  CHECK(grow.growing >= grow.samples - 1);
  REQUIRE(stay.samples > 200);
  CHECK(stay.growing >= stay.samples - 1);
  REQUIRE(vary.samples > 200);
  CHECK(vary.growing < 25);
  CHECK(vary.growing > 1);
}

// Catches blocks that stay a sample while realloc moves them counted twice, or not at all, and those that are lost.
TEST_CASE("a block that grows by realloc is told as it is, in either mode") {
  const std::string heap = GENERATE(as<std::string>{}, "sampled", "exact");
  TempDir temp;
  const Outcome run = Command::victim("grow_by_realloc").set("PROF_HEAP", heap).profiled(temp / "run").run();
  INFO(run);
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  double live = 0, peak = 0, bytes = 0;
  for (const Json& site : report.section("heap").at("sites")) {
    live += site.at("live_bytes").get<double>();
    peak += site.at("peak_bytes").get<double>();
    bytes += site.at("allocated_bytes").get<double>();
  }
  constexpr double kMiB = 1 << 20;
  CHECK(live == Approx(20 * kMiB).margin(kMiB));
  CHECK(peak == Approx(80 * kMiB).margin(2 * kMiB));
  // Each step is a block of its own: 8,192 of 24 MiB on average, twice.
  CHECK(bytes == Approx(2.0 * 8'192 * 24 * kMiB).epsilon(0.01));
  const Json process = report.processes("grow_by_realloc").at(0);
  CHECK(process.at("allocations").get<double>() >= 2 * 8'192);
  CHECK(process.at("allocated_bytes").get<double>() == Approx(2.0 * 8'192 * 24 * kMiB).epsilon(0.01));
}
