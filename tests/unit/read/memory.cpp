#include <algorithm>

#include "report/read/raw_log.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_builder.hpp"

using namespace prof;
using test::ByteVector;
using test::LogBuilder;

namespace {

read::RawLog parsed_memory(const LogBuilder& log) {
  const ByteVector bytes = log.bytes();
  return read::parse(bytes, bytes);
}

log::MemoryRecord resident(std::uint64_t rss, std::uint64_t sequence = 2) {
  log::MemoryRecord record{};
  record.sequence = sequence;
  record.rss = rss;
  return record;
}

std::vector<log::SeriesPoint> points(std::initializer_list<std::uint64_t> slots) {
  std::vector<log::SeriesPoint> out;
  for (const std::uint64_t slot : slots) out.push_back({slot, 0, static_cast<std::int64_t>(slot * 10), 0, 0, 0, 0, 0});
  return out;
}

// A word of the first chunk of a type, counted from the start of its content.
std::uint64_t& word_of(ByteVector& bytes, log::ChunkType type, std::size_t index) {
  for (std::size_t at = log::kHeaderBytes; at < bytes.size(); at += log::kGranule) {
    auto* chunk = reinterpret_cast<log::ChunkHeader*>(bytes.data() + at);
    if (chunk->magic == log::kChunkMagic && chunk->type == type)
      return reinterpret_cast<std::uint64_t*>(chunk + 1)[index];
  }
  FAIL("no such chunk");
  std::abort();
}

}  // namespace

TEST_CASE("records of every kind of memory go to their own list", "[read]") {
  LogBuilder log;
  const auto node = log.node(0, log.native(log.module("/bin/a"), 0x10));
  const log::HeapWords words = test::memory_words(log::kCountUnit, 64, 0, 0, 0, 0, 1);
  log.memory(log::RecordClass::Heap, node, words, 2);
  log.memory(log::RecordClass::Python, node, words);
  log.once(node, 100, 1);
  log.once(node, 200, 1, 0, 0, log::RecordClass::PythonOnce);
  log.record(log::RecordClass::HeapSizes, node, log::HeapSizesWords{{1, 2}});
  log.record(log::RecordClass::PythonSizes, node, log::HeapSizesWords{{3}});
  log.growth(node, {1, 2, 3});
  log.growth(node, {4}, 0, log::RecordClass::PythonGrowth);
  log.growth(node, {5, 6}, 0, log::RecordClass::MapGrowth);
  log.record(log::RecordClass::Copy, node, log::CopyWords{log::kCountUnit, 4096, 1}, 0, log::RegionKind::Signal);
  const read::RawLog raw = parsed_memory(log);

  REQUIRE(raw.heap.words.size() == 1);
  CHECK(raw.heap.words[0].slot == 2);
  CHECK(raw.heap.words[0].region == log::region_of(2, log::RegionKind::Ordinary));
  CHECK(raw.python.words.size() == 1);
  REQUIRE(raw.heap.once.size() == 1);
  CHECK(raw.heap.once[0].words.words.bytes_flags >> log::kOnceFlagBits == 100);
  REQUIRE(raw.python.once.size() == 1);
  CHECK(raw.heap.sizes.at(0).words.count[1] == 2);
  CHECK(raw.python.sizes.at(0).words.count[0] == 3);
  CHECK(raw.heap.growth.at(0).words.live[2] == 3);
  CHECK(raw.python.growth.at(0).words.live[0] == 4);
  CHECK(raw.maps.growth.at(0).words.live[1] == 6);
  REQUIRE(raw.copies.size() == 1);
  CHECK(raw.copies[0].words.bytes == 4096);
  CHECK(raw.copies[0].region == log::region_of(0, log::RegionKind::Signal));
  CHECK_FALSE(raw.damage.any());
}

TEST_CASE("a block that came but once: its free is that of the earlier copy", "[read]") {
  const auto log_with = [](std::uint64_t freed_epoch, std::uint64_t flags) {
    LogBuilder log;
    log.once(log.node(0, log.native(log.module("/bin/a"), 0x10)), 100, 1, freed_epoch, flags);
    return log.bytes();
  };
  const ByteVector live = log_with(0, log::kOnceReallocated);
  const ByteVector freed = log_with(3, log::kOnceReallocated | log::kOnceTemporary | log::kOnceShortLived);

  const auto torn = read::parse(live, freed).heap.once.at(0).words;
  CHECK_FALSE(torn.freed);
  CHECK(torn.words.epochs >> 32 == 3);  // it was there at the peak all the same
  CHECK((torn.words.bytes_flags & 0xff) == log::kOnceReallocated);

  const auto whole = read::parse(freed, freed).heap.once.at(0).words;
  CHECK(whole.freed);
  CHECK((whole.words.bytes_flags & log::kOnceTemporary) != 0);

  LogBuilder unwritten;
  unwritten.once(unwritten.node(0, unwritten.native(unwritten.module("/bin/a"), 0x10)), 100, 0);
  CHECK(parsed_memory(unwritten).heap.once.empty());
}

TEST_CASE("temporary blocks are counted with the frees of the earlier copy", "[read]") {
  const auto log_with = [](std::uint64_t count) {
    LogBuilder log;
    log::HeapWords words{};
    words.count = words.temporary = words.short_lived = words.reallocations = count;
    log.memory(log::RecordClass::Heap, log.node(0, log.native(log.module("/bin/a"), 0x10)), words);
    return log.bytes();
  };
  const auto words = read::parse(log_with(5), log_with(9)).heap.words.at(0).words;
  CHECK(words.count == 9);
  CHECK(words.reallocations == 9);
  CHECK(words.temporary == 5);
  CHECK(words.short_lived == 5);
}

TEST_CASE("the series of points is that of the active array", "[read]") {
  for (const std::uint64_t active : {0, 1}) {
    LogBuilder log;
    log.series(points({0, 3, 7}), 2, active);
    const read::RawLog raw = parsed_memory(log);
    REQUIRE(raw.series);
    CHECK(raw.series->slot_ns == 400'000'000);
    CHECK(raw.series->start_ns == log.header.start_monotonic_ns);
    REQUIRE(raw.series->points.size() == 3);
    CHECK(raw.series->points[2].slot == 7);
    CHECK(raw.series->points[2].heap_live == 70);
    CHECK_FALSE(raw.damage.any());
  }
}

TEST_CASE("a series that contradicts itself is left out and counted", "[read]") {
  LogBuilder log;
  log.series(points({1, 2}));
  const ByteVector sound = log.bytes();
  const auto broken = [&](std::size_t word, std::uint64_t value) {
    ByteVector bytes = sound;
    word_of(bytes, log::ChunkType::Series, word) = value;
    const read::RawLog raw = read::parse(bytes, bytes);
    CHECK(raw.damage.bad_records == 1);
    CHECK_FALSE(raw.series);
  };
  CHECK(read::parse(sound, sound).series);
  broken(0, std::uint64_t{1} << 32 | 3);                        // more points than there are
  broken(0, std::uint64_t{1} << 32 | 2 << 16 | 2);              // of a third array
  broken(0, std::uint64_t{1} << 32 | std::uint64_t{60} << 24);  // slots of 292 years
  broken(2, 0);                                                 // slots of no time
  broken(3, std::uint64_t{64} << 32 | 0xffffffff);              // an array behind the chunk
  broken(3, 2);                                                 // points of no bytes

  LogBuilder backwards;
  backwards.series(points({5, 5, 4, 6}));
  const read::RawLog raw = parsed_memory(backwards);
  CHECK(raw.series->points.size() == 2);
  CHECK(raw.damage.bad_records == 2);
  LogBuilder far;
  far.series(points({UINT64_MAX / 2}));
  CHECK(parsed_memory(far).series->points.empty());
}

TEST_CASE("a memory record in the making is taken from the earlier copy", "[read]") {
  const auto log_with = [](const log::MemoryRecord& last) {
    LogBuilder log;
    log.resident(last, resident(900));
    return log.bytes();
  };
  const ByteVector whole = log_with(resident(100)), torn = log_with(resident(200, 3));
  const read::RawLog both = read::parse(whole, torn);
  CHECK(both.memory_last->rss == 100);
  CHECK(both.memory_high->rss == 900);
  CHECK_FALSE(read::parse(torn, torn).memory_last);
  const ByteVector never = log_with(resident(0, 0));
  CHECK_FALSE(read::parse(never, never).memory_last);
}
