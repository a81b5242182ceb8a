#include "report/model/build_process.hpp"
#include "report/read/raw_log.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_builder.hpp"
#include "tests/unit/support/parsed.hpp"

using namespace prof;
using test::ByteVector;
using test::LogBuilder;

namespace {

log::TraceEvent event(std::uint64_t start, std::uint64_t end) {
  log::TraceEvent out{};
  out.kind = static_cast<std::uint32_t>(log::TraceKind::Api);
  out.start_ns = start;
  out.end_ns = end;
  return out;
}

}  // namespace

TEST_CASE("devices: used ones alone, and none beyond what a machine has", "[read]") {
  LogBuilder log;
  log::DeviceRecord unused{}, used{};
  used.state = 1;
  used.first_ns = 100;
  used.last_ns = 50;
  used.busy_ns = 7;
  used.segments_live = -5;
  log.devices({unused, used});
  ByteVector content;
  test::append(content, used);
  log.chunk(log::ChunkType::Devices, content, 0, UINT64_MAX);
  const read::RawLog raw = test::parsed(log);
  REQUIRE(raw.devices.size() == 1);
  CHECK(raw.devices[0].index == 1);
  CHECK(raw.damage.bad_references == 1);
  const model::Process process = model::build_process(raw, "log", 0);
  CHECK(process.devices[0].span_ns() == 0);
  CHECK(process.devices[0].busy_ns == 0);
  CHECK(process.devices[0].segments_live == 0);
}

TEST_CASE("device series: what is not to be had has no value", "[read]") {
  LogBuilder log;
  log::DevicePoint point{};
  point.busy_percent = 30;
  point.power_mw = UINT32_MAX;
  log.device_series(2, {point});
  log.device_series(UINT32_MAX, {point});
  const read::RawLog raw = test::parsed(log);
  CHECK(raw.damage.bad_references == 1);
  const model::Process process = model::build_process(raw, "log", 0);
  REQUIRE(process.device_series.size() == 1);
  CHECK(process.device_series[0].device == 2);
  const model::DevicePoint& built_point = process.device_series[0].points.at(0);
  CHECK(built_point.busy_percent == 30U);
  CHECK_FALSE(built_point.power_mw);
  CHECK_FALSE(built_point.energy_mj);
  CHECK_FALSE(built_point.own_bytes);
}

TEST_CASE("trace: the ring from its oldest event on, without torn ones", "[read]") {
  LogBuilder log;
  log.named(log::NameKind::Api, "cudaFree", "CUDA runtime");
  log.trace({event(3, 4), event(4, 5), event(5, 6), event(6, 7)}, 4, 7);
  ByteVector bytes = log.bytes();
  const read::RawLog whole = test::parsed(bytes);
  REQUIRE(whole.trace->events.size() == 4);
  CHECK(whole.trace->events.front().start_ns == 3);
  CHECK(whole.trace->events.back().start_ns == 6);
  CHECK(model::build_process(whole, "log", 0).tree.trace->overwritten == 3);

  auto* events =
      reinterpret_cast<log::TraceEvent*>(&test::first_of<log::TraceHeader>(bytes, log::ChunkType::Trace) + 1);
  events[0].sequence = 0;
  events[1].end_ns = 0;
  const read::RawLog torn = test::parsed(bytes);
  CHECK(torn.trace->events.size() == 2);
  CHECK(torn.trace->torn == 1);
  CHECK(torn.damage.bad_records == 1);
  test::first_of<log::TraceHeader>(bytes, log::ChunkType::Trace).events = UINT32_MAX;
  CHECK_FALSE(test::parsed(bytes).trace);
}
