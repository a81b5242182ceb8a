#include "agent/heap/small.hpp"

#include "tests/support/catch.hpp"

using namespace prof;
using heap::Kind;

namespace {

// The words of a record of one block, behind its header.
struct BlockRecord {
  std::uint64_t head = log::record_header(1, log::RecordClass::HeapBlock, log::kBlockWordCount);
  std::uint64_t word = 0, behind = 0;
};
struct OnceRecord {
  std::uint64_t head = log::record_header(1, log::RecordClass::HeapOnce, log::kHeapOnceWordCount);
  log::HeapOnceWords words{};
};

std::uint32_t block_in(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }
std::uint32_t life_in(std::uint64_t word) { return static_cast<std::uint32_t>(word); }

}  // namespace

TEST_CASE("agent: blocks have records of their own while they are few and small") {
  std::uint64_t word = heap::block_word(0, false, Kind::Malloc, 24, 7, true);
  REQUIRE(word != 0);
  CHECK(log::block_bytes(block_in(word)) == 24);
  CHECK(log::block_epoch(block_in(word)) == 7);
  CHECK((life_in(word) & 0xffff) == (log::kBlockMalloc | log::kBlockReallocated));
  std::uint32_t blocks = 1;
  for (; (word = heap::block_word(word, false, Kind::Malloc, 24, 8, false)) != 0; ++blocks) {
  }
  CHECK(blocks == heap::kMostBlocks);

  // No more of them than what a growth record would be made for.
  word = heap::block_word(0, false, Kind::Python, 1000, 1, false);
  REQUIRE(word != 0);
  CHECK((life_in(word) & 0xffff) == log::kBlockPython);
  CHECK(heap::block_word(word, false, Kind::Python, 25, 1, false) == 0);
  word = heap::block_word(word, false, Kind::Python, 24, 1, false);
  REQUIRE(word != 0);
  CHECK(heap::block_word(word, false, Kind::Python, 1, 1, false) == 0);
  CHECK(heap::block_word(word, false, Kind::Python, 0, 1, false) != 0);
  CHECK(heap::block_word(0, false, Kind::Malloc, 1025, 1, false) == 0);
  word = heap::block_word(0, true, Kind::Malloc, 65535, 1, false);
  REQUIRE(word != 0);
  CHECK(log::block_bytes(block_in(word)) == 65535);
  CHECK(heap::block_word(word, false, Kind::Malloc, 0, 1, false) == 0);
  CHECK(heap::block_word(0, true, Kind::Malloc, 65536, 1, false) == 0);
  CHECK(heap::block_word(0, false, Kind::Malloc, std::uint64_t{1} << 40, 1, false) == 0);
  CHECK(heap::block_word(0, false, Kind::Malloc, 8, 65535, false) != 0);
  CHECK(heap::block_word(0, false, Kind::Malloc, 8, 65536, false) == 0);
}

TEST_CASE("agent: a block's end is told by its epoch, unless that is too far away") {
  const std::uint32_t block = log::block_of(100, 60'000), held = log::kBlockMalloc | 0xabcd0000;
  const std::uint32_t life = heap::freed_life(block, held, Kind::Malloc, 60'000, {true, false});
  CHECK(life >> 16 == 0xabcd);
  CHECK(log::block_freed(life) == 1);
  CHECK((life & log::kBlockShortLived) != 0);
  CHECK((life & log::kBlockTemporary) == 0);
  CHECK(heap::freed_life(block, life, Kind::Malloc, 60'000, {}) == 0);
  CHECK(heap::freed_life(block, held, Kind::Python, 60'000, {}) == 0);
  CHECK(heap::freed_life(block, 0, Kind::Malloc, 60'000, {}) == 0);
  CHECK(log::block_freed(heap::freed_life(block, held, Kind::Malloc, 62'046, {false, true})) == 2047);
  CHECK(heap::freed_life(block, held, Kind::Malloc, 62'047, {}) == 0);
}

TEST_CASE("agent: a small record takes the free of its own block alone, and once") {
  BlockRecord block;
  block.word = heap::block_word(0, false, Kind::Malloc, 64, 3, false);
  CHECK_FALSE(heap::free_small(&block.word, Kind::Malloc, 65, 4, {}));
  const std::uint64_t writers = block.word & 0xffff0000;
  CHECK(heap::free_small(&block.word, Kind::Malloc, 64, 4, {false, true}));
  CHECK(log::block_freed(life_in(block.word)) == 2);
  CHECK((block.word & 0xffff0000) == writers);
  CHECK(log::block_bytes(block_in(block.word)) == 64);
  CHECK_FALSE(heap::free_small(&block.word, Kind::Malloc, 64, 5, {}));

  OnceRecord once;
  once.words = {64 << log::kOnceFlagBits, 3};
  auto* const words = reinterpret_cast<std::uint64_t*>(&once.words);
  CHECK(heap::is_small(words, Kind::Malloc));
  CHECK_FALSE(heap::is_small(words, Kind::Python));
  CHECK_FALSE(heap::free_small(words, Kind::Malloc, 65, 4, {}));
  CHECK(heap::free_small(words, Kind::Malloc, 64, 4, {true, true}));
  CHECK(once.words.bytes_flags == (64 << log::kOnceFlagBits | log::kOnceShortLived | log::kOnceTemporary));
  CHECK(once.words.epochs == (std::uint64_t{4} << 32 | 3));
  CHECK_FALSE(heap::free_small(words, Kind::Malloc, 64, 5, {}));
}
