#include "report/read/raw_log.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_builder.hpp"
#include "tests/unit/support/parsed.hpp"

using namespace prof;
using test::ByteVector;
using test::LogBuilder;

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
  const read::RawLog raw = test::parsed(log);

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
  CHECK(test::parsed(unwritten).heap.once.empty());
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
