#include "report/read/raw_log.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_builder.hpp"
#include "tests/unit/support/parsed.hpp"

using namespace prof;
using test::ByteVector;
using test::LogBuilder;

namespace {

log::MemoryRecord resident(std::uint64_t rss, std::uint64_t sequence = 2) {
  log::MemoryRecord record{};
  record.sequence = sequence;
  record.rss = rss;
  return record;
}

std::vector<log::SeriesPoint> points(std::initializer_list<std::uint64_t> slots) {
  std::vector<log::SeriesPoint> out;
  for (const std::uint64_t slot : slots) out.push_back({slot, 0, static_cast<std::int64_t>(slot * 10), 0, 0, 0, 0, 0, 0});
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

TEST_CASE("the series of points is that of the active array", "[read]") {
  for (const std::uint64_t active : {0, 1}) {
    LogBuilder log;
    log.series(points({0, 3, 7}), 2, active);
    const read::RawLog raw = test::parsed(log);
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
  const read::RawLog raw = test::parsed(backwards);
  CHECK(raw.series->points.size() == 2);
  CHECK(raw.damage.bad_records == 2);
  LogBuilder far;
  far.series(points({UINT64_MAX / 2}));
  CHECK(test::parsed(far).series->points.empty());
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
