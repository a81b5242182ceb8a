#include "report/page/trace_lanes.hpp"

#include <algorithm>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::kMs;

// Catches a limit that leaves out all events of one length where they are one too many.
TEST_CASE("page: as many events of a trace as there is room for, the longest, and the rest is counted") {
  FindingsRun run;
  const std::uint64_t frame = run.log.named(log::NameKind::Wait, "read", "pipe");
  std::vector<log::TraceEvent> events;
  for (std::uint64_t i = 0; i < 6; ++i) {
    log::TraceEvent event{};
    event.kind = static_cast<std::uint32_t>(log::TraceKind::Wait);
    event.frame = frame;
    event.start_ns = run.log.header.start_monotonic_ns + i * 10 * kMs;
    event.end_ns = event.start_ns + (i == 3 ? 9 : 2) * kMs;
    event.tid = 500;
    events.push_back(event);
  }
  run.log.trace(events, 6, 8);
  for (std::size_t most = 1; most <= 7; ++most) {
    INFO("at most " << most);
    page::Bundle bundle;
    const page::Json trace = page::trace_json(run.subject(), most, bundle);
    const std::size_t kept = std::min<std::size_t>(most, 6);
    CHECK(trace.at("events") == kept);
    CHECK(trace.at("left_out") == 6 - kept);
    CHECK(trace.at("overwritten") == 2);
    REQUIRE(trace.at("lanes").size() == 1);
    CHECK(trace.at("lanes").at(0).contains("begin"));
  }
}

TEST_CASE("page: a run without a trace has none") {
  FindingsRun run;
  page::Bundle bundle;
  CHECK(page::trace_json(run.subject(), 100, bundle).is_null());
}
