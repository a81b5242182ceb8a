// When findings were seen.
#include "report/findings/when.hpp"

#include "tests/unit/support/findings_run.hpp"
#include "tests/unit/support/processes_run.hpp"

using namespace prof;
using test::add;
using test::FindingsRun;
using test::kMs;
using test::ProcessesRun;

namespace {

using Times = std::vector<std::pair<std::int64_t, std::int64_t>>;  // ms from the start of the first process

Times times_of(const findings::Finding& finding, std::uint64_t start_ns) {
  Times out;
  const auto ms = [&](std::uint64_t ns) { return static_cast<std::int64_t>(ns - start_ns) / 1'000'000; };
  for (const findings::Span& span : finding.when)
    out.emplace_back(ms(span.begin_monotonic_ns), ms(span.end_monotonic_ns));
  return out;
}

}  // namespace

TEST_CASE("when: a slow step, and what is told of all steps", "[findings]") {
  FindingsRun run;
  test::write_steps(run, 30, [](std::uint64_t number, log::StepRecord& step) {
    if (number == 20) add(step, log::StepPart::Other, 500 * kMs);
    add(step, log::StepPart::Data, 30 * kMs);
  });
  const findings::Outcome all = run.look();
  const auto of = [&](const char* rule) {
    for (const findings::Finding& finding : all.findings) {
      if (finding.rule == rule) return times_of(finding, run.log.header.start_monotonic_ns);
    }
    return Times{{-1, -1}};
  };
  // Steps of 40 ms from the first 100 ms on, the twentieth of 540.
  CHECK(of("slow-steps") == Times{{860, 1400}});
  const Times data = of("waiting-for-data");
  REQUIRE(data.size() == 1);
  CHECK(data.front().first >= 100);
  CHECK(data.front().second == 1800);
}

TEST_CASE("when: processes that a finding is about", "[findings]") {
  ProcessesRun run;
  run.shell();
  for (std::uint64_t i = 0; i < 4; ++i) run.child("sleep 1", 400 * i, 400, 1);
  run.child("sort words", 0, 200, 200);
  const auto found = run.look("sleep-commands");
  REQUIRE(found.size() == 1);
  CHECK(found.front().when.size() == 4);
  for (const findings::Span& span : found.front().when)
    CHECK(span.end_monotonic_ns - span.begin_monotonic_ns == 400 * kMs);
}

TEST_CASE("when: the last seconds of a process, and no more than it lived", "[findings]") {
  model::Run run;
  run.processes.resize(1);
  run.processes[0].start_monotonic_ns = 5'000'000'000;
  const auto of = [&](std::uint64_t end_ns, double seconds) {
    const findings::Span span = findings::last_seconds(run, 0, end_ns, seconds);
    return std::pair(span.begin_monotonic_ns, span.end_monotonic_ns);
  };
  CHECK(of(9'000'000'000, 1.5) == std::pair<std::uint64_t, std::uint64_t>(7'500'000'000, 9'000'000'000));
  CHECK(of(9'000'000'000, 1e30) == std::pair<std::uint64_t, std::uint64_t>(5'000'000'000, 9'000'000'000));
  CHECK(of(1, 1) == std::pair<std::uint64_t, std::uint64_t>(1, 1));
}
