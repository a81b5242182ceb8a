#include <algorithm>

#include "report/model/build_process.hpp"
#include "report/read/raw_log.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_builder.hpp"

using namespace prof;
using test::ByteVector;
using test::LogBuilder;

namespace {

read::RawLog parsed(const ByteVector& bytes) { return read::parse(bytes, bytes); }
read::RawLog parsed(const LogBuilder& log) { return parsed(log.bytes()); }
model::Process built(const LogBuilder& log) { return model::build_process(parsed(log), "log", 0); }

// The content of the first chunk of a type.
template <typename Record>
Record& first_of(ByteVector& bytes, log::ChunkType type) {
  for (std::size_t at = log::kHeaderBytes; at < bytes.size(); at += log::kGranule) {
    auto* chunk = reinterpret_cast<log::ChunkHeader*>(bytes.data() + at);
    if (chunk->magic == log::kChunkMagic && chunk->type == type) return *reinterpret_cast<Record*>(chunk + 1);
  }
  FAIL("no such chunk");
  std::abort();
}

log::TraceEvent event(std::uint64_t start, std::uint64_t end) {
  log::TraceEvent out{};
  out.kind = static_cast<std::uint32_t>(log::TraceKind::Api);
  out.start_ns = start;
  out.end_ns = end;
  return out;
}

}  // namespace

TEST_CASE("names: two records of one content are one, and frames with them too", "[read]") {
  LogBuilder log;
  const auto first = log.name(log::NameKind::Api, "cudaMalloc", "CUDA runtime");
  const auto second = log.name(log::NameKind::Api, "cudaMalloc", "CUDA runtime");
  const auto driver = log.name(log::NameKind::Api, "cudaMalloc", "CUDA driver");
  const auto a = log.node(0, log.named(first)), b = log.node(0, log.named(second)), c = log.node(0, log.named(driver));
  for (const auto node : {a, b, c}) log.record(log::RecordClass::Api, node, log::ApiWords{1, 0, 10, 10, 10, 0, 0, 0});
  const model::Process process = built(log);
  CHECK(process.names.size() == 2);
  REQUIRE(process.tree.api.size() == 2);
  CHECK(process.tree.api[0].metric.calls == 2);
  CHECK_FALSE(process.damage.any());
}

TEST_CASE("names that do not fit their record, and names that are not there", "[read]") {
  LogBuilder log;
  const auto name = log.name(log::NameKind::Kernel, "kernel");
  log.record(log::RecordClass::Device, log.node(0, log.named(name)), log::DeviceWords{1, 5, 5, 5, 0, 0});
  log.record(log::RecordClass::Device, log.node(0, log.named(log::kMaxNames - 1)), log::DeviceWords{1, 5, 5, 5, 0, 0});
  ByteVector bytes = log.bytes();
  CHECK(built(log).damage.bad_references == 1);
  first_of<log::NameRecord>(bytes, log::ChunkType::Names).group_bytes = UINT32_MAX;
  const read::RawLog raw = parsed(bytes);
  CHECK(raw.names.empty());
  CHECK(raw.damage.bad_records == 1);
  const model::Process process = model::build_process(raw, "log", 0);
  REQUIRE(process.tree.device.size() == 1);  // nobody can tell them apart
  CHECK(process.tree.device[0].metric.count == 2);
  CHECK(process.tree.frames[process.tree.nodes[process.tree.device[0].node].frame].name == model::kNoName);
}

// Catches a maker of records that was stopped for good, and with it all that others made after it.
TEST_CASE("a record that was never finished hides nothing behind it", "[read]") {
  LogBuilder log;
  log.name(log::NameKind::Kernel, "left");
  const auto name = log.name(log::NameKind::Kernel, "kernel");
  log.record(log::RecordClass::Device, log.node(0, log.named(name)), log::DeviceWords{1, 5, 5, 5, 0, 0});
  ByteVector bytes = log.bytes();
  auto& left = first_of<log::NameRecord>(bytes, log::ChunkType::Names);
  const std::uint32_t length = left.bytes;
  left = {};
  left.bytes = length | log::kUnfinished;
  const read::RawLog raw = parsed(bytes);
  CHECK(raw.names.size() == 1);
  CHECK_FALSE(model::build_process(raw, "log", 0).damage.any());
  for (const std::uint32_t wrong : {log::kUnfinished, 12U | log::kUnfinished, 0xfffffff8U | log::kUnfinished}) {
    left.bytes = wrong;
    const read::RawLog spoilt = parsed(bytes);
    CHECK(spoilt.names.empty());
  }
}

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
  const model::Process process = built(log);
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

TEST_CASE("the least of no time at all is none", "[read]") {
  LogBuilder log;
  const auto node = log.node(0, log.named(log::NameKind::Kernel, "k"));
  log.record(log::RecordClass::Device, node, log::DeviceWords{3, 0, 0, 0, 0, 3}, 0);
  log.record(log::RecordClass::Device, node, log::DeviceWords{2, 30, 10, 20, 0, 0}, 1);
  const model::Process process = built(log);
  REQUIRE(process.tree.device.size() == 2);
  CHECK_FALSE(process.tree.device[0].metric.each.min_ns);
  model::DeviceMetric sum = process.tree.device[0].metric;
  sum += process.tree.device[1].metric;
  CHECK(sum.each.min_ns == 10);
  CHECK(sum.timed() == 2);
}

TEST_CASE("sums over hostile records stay in range", "[read]") {
  LogBuilder log;
  const auto node = log.node(0, log.named(log::NameKind::Api, "f", "cuBLAS"));
  for (std::uint32_t slot = 0; slot < 3; ++slot) {
    log.record(log::RecordClass::Api, node,
               log::ApiWords{UINT64_MAX, UINT64_MAX, UINT64_MAX, 0, UINT64_MAX, UINT64_MAX, UINT64_MAX, 1}, slot);
    log.record(log::RecordClass::Idle, node, log::IdleWords{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, 1, 1, 1, 1},
               slot);
  }
  const model::Process process = built(log);
  model::ApiMetric sum;
  for (const auto& row : process.tree.api) sum += row.metric;
  CHECK(sum.calls == INT64_MAX);
  CHECK(sum.flops == INT64_MAX);
  model::IdleMetric idle;
  for (const auto& row : process.tree.idle) idle += row.metric;
  CHECK(idle.synchronising_ns == INT64_MAX);
}

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
  const read::RawLog raw = parsed(log);
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
  const read::RawLog raw = parsed(log);
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
  const read::RawLog whole = parsed(bytes);
  REQUIRE(whole.trace->events.size() == 4);
  CHECK(whole.trace->events.front().start_ns == 3);
  CHECK(whole.trace->events.back().start_ns == 6);
  CHECK(model::build_process(whole, "log", 0).tree.trace->overwritten == 3);

  auto* events = reinterpret_cast<log::TraceEvent*>(&first_of<log::TraceHeader>(bytes, log::ChunkType::Trace) + 1);
  events[0].sequence = 0;
  events[1].end_ns = 0;
  const read::RawLog torn = parsed(bytes);
  CHECK(torn.trace->events.size() == 2);
  CHECK(torn.trace->torn == 1);
  CHECK(torn.damage.bad_records == 1);
  first_of<log::TraceHeader>(bytes, log::ChunkType::Trace).events = UINT32_MAX;
  CHECK_FALSE(parsed(bytes).trace);
}

TEST_CASE("medians: within their class, never outside of what was seen", "[model]") {
  model::Spread spread;
  spread.count[log::spread_class(1000)] = 10;
  const auto middle = model::median_ns(spread, {});
  REQUIRE(middle);
  CHECK(*middle >= static_cast<double>(log::spread_floor(log::spread_class(1000))));
  CHECK(*middle <= static_cast<double>(log::spread_floor(log::spread_class(1000) + 1)));
  CHECK(model::median_ns(spread, {990, 1001}) >= 990.0);
  CHECK(model::median_ns(spread, {1000, 1000}) == 1000.0);
  spread.count[log::spread_class(1'000'000)] = 11;
  CHECK(*model::median_ns(spread, {}) > 800'000);
  spread.count[0] = 100;
  CHECK(*model::median_ns(spread, {}) < 4);
  CHECK_FALSE(model::median_ns(model::Spread{}, {}));
  model::Spread last;
  last.count[log::kSpreadClasses - 1] = 1;
  CHECK(*model::median_ns(last, {}) > 0);
}

TEST_CASE("what the agent says of CUDA", "[model]") {
  LogBuilder log;
  log.info(log::InfoKey::Cuda,
           "state=host\nreason=no libcupti was found\ncupti=26\ndriver=12040\nnote=a\noverhead_ms=x");
  const model::Process host = built(log);
  REQUIRE(host.cuda);
  CHECK(host.cuda->reason == "no libcupti was found");
  CHECK(host.cuda->driver == "12.4");
  CHECK(host.cuda->cupti == "26");
  CHECK(host.cuda->overhead_ns == 0);
  CHECK(model::saw_cuda(host));
  CHECK_FALSE(model::saw_devices(host));
  log.info(log::InfoKey::Cuda, "state=active\ncupti=130001\nnote=a\nnote=b\noverhead_ms=3");
  const model::Process active = built(log);
  CHECK(active.cuda->reason.empty());
  CHECK(active.cuda->cupti == "13.0.1");
  CHECK(active.cuda->notes == std::vector<std::string>{"a", "b"});
  CHECK(active.cuda->overhead_ns == 3'000'000);
  CHECK(model::saw_devices(active));
}
