#include "report/model/build_process.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_builder.hpp"
#include "tests/unit/support/parsed.hpp"

using namespace prof;
using test::LogBuilder;

TEST_CASE("totals by stream, distributions and open ranges are on no stack", "[read]") {
  LogBuilder log;
  using enum log::RecordClass;
  const auto kernel = log.named(log::NameKind::Kernel, "k");
  const auto streams = log.node(0, log.special(log::SpecialFrame::Streams));
  const auto stream = log.node(streams, log.named(log::NameKind::Stream, "7"));
  log.record(Device, log.node(stream, kernel), log::DeviceWords{2, 20, 10, 10, 0, 0});
  const auto spreads = log.node(0, log.special(log::SpecialFrame::Spreads));
  log::SpreadWords spread{};
  spread.count[log::spread_class(10)] = 2;
  log.record(Spread, log.node(spreads, kernel), spread, 0);
  log.record(Spread, log.node(spreads, kernel), spread, 1);
  const auto open = log.node(0, log.special(log::SpecialFrame::OpenRanges));
  log.record(Range, log.node(open, log.named(log::NameKind::Range, "r")), log::RangeWords{1, 3, 3, 3});
  log.record(Spread, stream, spread);  // no distribution of anything
  const model::Process process = test::built(log);
  CHECK(process.tree.nodes.size() == 1);
  REQUIRE(process.tree.streams.size() == 1);
  CHECK(process.tree.streams[0].metric.ns == 20);
  REQUIRE(process.tree.spreads.size() == 2);
  CHECK(process.tree.spreads[0].slot == 0);
  REQUIRE(process.tree.open_ranges.size() == 1);
  CHECK(process.tree.open_ranges[0].metric.ns == 3);
  CHECK(process.tree.device.empty());
  CHECK(process.damage.bad_references == 1);
}

TEST_CASE("what the agent says of CUDA", "[model]") {
  LogBuilder log;
  log.info(log::InfoKey::Cuda,
           "state=host\nreason=no libcupti was found\ncupti=26\ndriver=12040\nnote=a\noverhead_ms=x");
  const model::Process host = test::built(log);
  REQUIRE(host.cuda);
  CHECK(host.cuda->reason == "no libcupti was found");
  CHECK(host.cuda->driver == "12.4");
  CHECK(host.cuda->cupti == "26");
  CHECK(host.cuda->overhead_ns == 0);
  CHECK(model::saw_cuda(host));
  CHECK_FALSE(model::saw_devices(host));
  log.info(log::InfoKey::Cuda, "state=active\ncupti=130001\nnote=a\nnote=b\noverhead_ms=3");
  const model::Process active = test::built(log);
  CHECK(active.cuda->reason.empty());
  CHECK(active.cuda->cupti == "13.0.1");
  CHECK(active.cuda->notes == std::vector<std::string>{"a", "b"});
  CHECK(active.cuda->overhead_ns == 3'000'000);
  CHECK(model::saw_devices(active));
}
