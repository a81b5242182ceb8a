#include "report/model/build_process.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_builder.hpp"

using namespace prof;
using model::MemoryMetric;
using test::LogBuilder;

namespace {

constexpr std::uint64_t kUnit = log::kCountUnit;

model::Process process_of(const LogBuilder& log) {
  const test::ByteVector bytes = log.bytes();
  return model::build_process(read::parse(bytes, bytes), "1.proflog", 4096);
}

struct ExactLog : LogBuilder {
  ExactLog() {
    header.heap_mode = log::HeapMode::Exact;
    header.heap.epoch = 5;
    node = LogBuilder::node(0, native(module("/bin/a"), 0x10));
  }
  // Moments passed, all 100 ms << shift apart.
  void passed(std::uint64_t moments, std::uint64_t shift = 0) {
    header.heap.checkpoint = shift << 32 | moments << shift;
  }
  std::uint32_t node = 0;
};

log::HeapWords words(std::uint64_t count, std::uint64_t bytes, std::uint64_t largest, std::uint64_t freed_bytes = 0) {
  log::HeapWords out{};
  out.count = count * kUnit;
  out.bytes = bytes;
  out.largest = largest;
  out.freed_bytes = freed_bytes;
  return out;
}

MemoryMetric row(const model::MemoryRows& rows, std::size_t i) {
  REQUIRE(i < rows.size());
  return (*std::next(rows.begin(), static_cast<std::ptrdiff_t>(i))).metric;
}

std::vector<std::int64_t> first(const model::Growth& growth, std::size_t row = 0) {
  const auto& live = growth.rows.at(row).live;
  return {live.begin(), live.begin() + growth.moments};
}

}  // namespace

TEST_CASE("a context's first block and its later ones are one row", "[model]") {
  ExactLog log;
  log.once(log.node, 100, 2, 0, log::kOnceReallocated);
  log::HeapWords more = words(3, 50, 20, 10);
  more.temporary = 2;
  more.short_lived = 3;
  more.moved_bytes = 7;
  log.memory(log::RecordClass::Heap, log.node, more);
  log.memory(log::RecordClass::Heap, log.node, words(1, 400, 400), 1);
  const model::Process process = process_of(log);
  REQUIRE(process.tree.heap.size() == 2);  // one for each slot
  const MemoryMetric metric = row(process.tree.heap, 0);
  CHECK(metric.allocations() == 4);
  CHECK(metric.bytes == 150);
  CHECK(metric.live_bytes() == 140);
  CHECK(metric.largest == 100);
  CHECK(metric.temporary == 2);
  CHECK(metric.short_lived == 3);
  CHECK(metric.reallocations == 1);
  CHECK(metric.moved_bytes == 7);
  MemoryMetric both = metric;
  both += row(process.tree.heap, 1);
  CHECK(both.largest == 400);
  CHECK(both.bytes == 550);
}

TEST_CASE("a block that came but once is live at the peak if it came before it and left after it", "[model]") {
  const auto peak_of = [](std::uint64_t epoch, std::uint64_t freed_epoch) {
    ExactLog log;
    log.once(log.node, 100, epoch, freed_epoch);
    return process_of(log).heap_peak_bytes;
  };
  CHECK(peak_of(4, 0) == 100);
  CHECK(peak_of(4, 5) == 100);
  CHECK(peak_of(4, 4) == 0);
  CHECK(peak_of(5, 0) == 0);
  CHECK(peak_of(5, 5) == 0);
}

TEST_CASE("a freed block that came but once is no longer live", "[model]") {
  ExactLog log;
  log.once(log.node, 100, 2, 3, log::kOnceTemporary | log::kOnceShortLived);
  const MemoryMetric metric = row(process_of(log).tree.heap, 0);
  CHECK(metric.live_bytes() == 0);
  CHECK(metric.live_allocations() == 0);
  CHECK(metric.freed_bytes == 100);
  CHECK(metric.temporary == 1);
  CHECK(metric.short_lived == 1);
}

TEST_CASE("sizes: by record, before regions are added up", "[model]") {
  ExactLog log;
  log.memory(log::RecordClass::Heap, log.node, words(3, 90, 32));         // all of class 1
  log.memory(log::RecordClass::Heap, log.node, words(2, 8000, 5000), 1);  // of several classes
  log.record(log::RecordClass::HeapSizes, log.node, log::HeapSizesWords{{0, 1, 0, 0, 0, 0, 0, 0, 0, 1}}, 1);
  log.once(log.node, 20, 1);  // class 1
  const auto sizes = process_of(log).tree.heap_sizes;
  REQUIRE(sizes.size() == 3);
  CHECK(sizes[0].size_class == 1);
  CHECK(sizes[0].allocations == 4);
  CHECK(sizes[0].bytes == 110);
  CHECK(sizes[1].slot == 1);
  CHECK(sizes[1].size_class == 1);
  CHECK(sizes[1].allocations == 1);
  CHECK_FALSE(sizes[1].bytes);
  CHECK(sizes[2].size_class == 9);
  log.header.heap_mode = log::HeapMode::Sampled;
  CHECK(process_of(log).tree.heap_sizes.empty());
}

TEST_CASE("size classes are powers of two from 16 bytes on", "[model]") {
  CHECK(log::size_class(0) == 0);
  CHECK(log::size_class(16) == 0);
  CHECK(log::size_class(17) == 1);
  CHECK(log::size_class(32) == 1);
  CHECK(log::size_class(33) == 2);
  CHECK(log::size_class(UINT64_MAX) == log::kSizeClasses - 1);
}

TEST_CASE("growth: regions are brought to the same moments and added up", "[model]") {
  ExactLog log;
  log.passed(4, 1);  // moments of 200 ms: 0.2, 0.4, 0.6, 0.8 s
  log.memory(log::RecordClass::Heap, log.node, words(9, 100, 10, 10));
  log.growth(log.node, {1, 2, 3, 4, 5, 6});  // every 100 ms, up to 0.6 s; 90 from then on
  log.memory(log::RecordClass::Heap, log.node, words(9, 1000, 10), 1);
  log.growth(log.node, {100, 200, 300, 400}, 1, log::RecordClass::HeapGrowth, 1);
  const model::Process process = process_of(log);
  const model::Growth& growth = process.tree.heap_growth;
  CHECK(growth.interval_ns == 200'000'000);
  CHECK(growth.moments == 4);
  REQUIRE(growth.rows.size() == 1);
  CHECK(first(growth) == std::vector<std::int64_t>{102, 204, 306, 490});
}

TEST_CASE("growth: a hostile clock or record makes no moments of its own", "[model]") {
  ExactLog log;
  log.memory(log::RecordClass::Heap, log.node, words(1, 70, 10));
  log.growth(log.node, {1, 2});
  CHECK(process_of(log).tree.heap_growth.rows.empty());  // no moment passed
  log.header.heap.checkpoint = std::uint64_t{40} << 32 | 7;
  CHECK(process_of(log).tree.heap_growth.rows.empty());
  log.header.heap.checkpoint = UINT32_MAX;
  CHECK(process_of(log).tree.heap_growth.moments == log::kCheckpoints);
  log.header.heap.checkpoint = 3;
  CHECK(first(process_of(log).tree.heap_growth) == std::vector<std::int64_t>{1, 2, 70});

  ExactLog odd;
  odd.passed(2);
  odd.memory(log::RecordClass::Heap, odd.node, words(1, 70, 10));
  odd.record(log::RecordClass::HeapGrowth, odd.node, log::GrowthWords{UINT64_MAX, {1}});
  CHECK(first(process_of(odd).tree.heap_growth) == std::vector<std::int64_t>{0, 0});
  odd.growth(odd.node + 7, {1});  // of a context without figures
  CHECK(process_of(odd).damage.bad_references == 1);
}

TEST_CASE("sums over hostile figures stay in range", "[model]") {
  ExactLog log;
  log::HeapWords huge{};
  std::memset(static_cast<void*>(&huge), 0xff, sizeof huge);
  huge.checkpoint = 0;
  for (std::uint32_t slot = 0; slot < 3; ++slot) log.memory(log::RecordClass::Heap, log.node, huge, slot);
  log.record(log::RecordClass::HeapSizes, log.node, log::HeapSizesWords{{UINT64_MAX, UINT64_MAX}});
  log.once(log.node, UINT64_MAX, 1);
  log.record(log::RecordClass::Copy, log.node, log::CopyWords{UINT64_MAX, UINT64_MAX, 1});
  log.record(log::RecordClass::Copy, log.node, log::CopyWords{UINT64_MAX, UINT64_MAX, 1});
  const model::Process process = process_of(log);
  MemoryMetric sum;
  for (const auto& row : process.tree.heap) sum += row.metric;
  CHECK(sum.bytes == INT64_MAX);
  CHECK(sum.temporary == INT64_MAX);
  CHECK(sum.largest == INT64_MAX);
  CHECK(process.tree.heap_sizes.front().allocations == INT64_MAX);
  CHECK(process.tree.copies.at(0).metric.bytes == INT64_MAX);
}

TEST_CASE("Python's allocators and copies have rows and clocks of their own", "[model]") {
  ExactLog log;
  log.header.python.epoch = 3;
  log.header.python.peak_ns = 77;
  log.header.maps.peak_ns = 66;
  log::HeapWords objects = words(2, 64, 32);
  objects.epoch = 3;
  objects.at_peak = 48;
  log.memory(log::RecordClass::Python, log.node, objects);
  log.record(log::RecordClass::Copy, log.node, log::CopyWords{3 * kUnit / 2, 3000, 1});
  log.info(log::InfoKey::Options, "PROF_HEAP=exact\nPROF_COPIES=on\nPROF_PYTHON_ALLOC=off");
  log.thread(0).foreign_frees = 4;
  log.thread(0).copies = 10;
  const model::Process process = process_of(log);
  CHECK(process.python_peak_bytes == 48);
  CHECK(process.python_peak_monotonic_ns == 77);
  CHECK(process.map_peak_monotonic_ns == 66);
  CHECK(row(process.tree.python, 0).allocations() == 2);
  CHECK(process.tree.copies.at(0).metric.copies() == 2);
  CHECK(process.totals.foreign_frees == 4);
  CHECK(process.totals.copies == 10);
  CHECK(process.copies_counted);
  CHECK_FALSE(process.python_counted);
}

TEST_CASE("memory over time and by kind", "[model]") {
  LogBuilder log;
  log.series({{0, 10, 20, 3, 4, 500, 400, 6, 200}, {2, 90, -5, 3, 4, 500, 900, 7, 800}}, 1);
  log::MemoryRecord last{}, high{};
  last.sequence = high.sequence = 2;
  last.rss = 1000;
  last.heap_live = -1;
  last.parts[static_cast<std::size_t>(log::MemoryPart::Stacks)].pss = 12;
  high.rss = UINT64_MAX;
  log.resident(last, high);
  const model::Process process = process_of(log);
  REQUIRE(process.series.size() == 2);
  CHECK(process.series[0].heap_high == 20);  // never less than what was there at the end of the slot
  CHECK(process.series[0].rss_high == 500);
  CHECK(process.series[0].rss_file == 200);
  CHECK(process.series[1].rss_file == 800);
  CHECK(process.series[1].heap_live == 0);
  CHECK(process.series[1].heap_high == 90);
  CHECK(process.series[1].begin_monotonic_ns == log.header.start_monotonic_ns + 400'000'000);
  CHECK(process.series[1].end_monotonic_ns == log.header.start_monotonic_ns + 600'000'000);
  REQUIRE(process.memory_last);
  CHECK(process.memory_last->rss == 1000);
  CHECK(process.memory_last->heap_live == 0);
  CHECK(process.memory_last->part(log::MemoryPart::Stacks).pss == 12);
  CHECK(process.memory_high->rss == UINT64_MAX);
}
