// The table of device memory's blocks against a map.
#include <map>
#include <random>

#include "agent/gpu/block_table.hpp"
#include "tests/support/catch.hpp"

using namespace prof::gpu;

namespace {

bool equal(const Block& a, const Block& b) {
  return a.address == b.address && a.bytes == b.bytes && a.place == b.place && a.device == b.device;
}

}  // namespace

TEST_CASE("agent: blocks are found again, whatever was put and taken in between") {
  BlockTable table;
  std::map<std::uint64_t, Block> truth;
  std::mt19937_64 random(20261121);
  for (std::uint32_t step = 0; step < 200'000; ++step) {
    // Few addresses, in rows as allocators hand them out: many clashes, many gaps to close.
    const std::uint64_t address = 0x7f00'0000'0000 + (random() % 3000) * 512;
    Block found{};
    if (random() % 2 == 0) {
      const Block block{address, random() % 4096 + 1, step, step % 8};
      const auto before = truth.find(address);
      REQUIRE(table.put(block, found) == (before == truth.end() ? BlockTable::Put::New : BlockTable::Put::Instead));
      if (before != truth.end()) REQUIRE(equal(found, before->second));
      truth[address] = block;
    } else {
      const auto before = truth.find(address);
      REQUIRE(table.take(address, found) == (before != truth.end()));
      if (before != truth.end()) {
        REQUIRE(equal(found, before->second));
        truth.erase(before);
      }
    }
    REQUIRE(table.count() == truth.size());
  }
  for (const auto& [address, block] : truth) {
    Block found{};
    REQUIRE(table.take(address, found));
    REQUIRE(equal(found, block));
  }
  REQUIRE(table.count() == 0);
}

TEST_CASE("agent: an empty table of blocks has none") {
  BlockTable table;
  Block found{};
  CHECK_FALSE(table.take(4096, found));
}

TEST_CASE("agent: a full table of blocks says so and keeps what it has") {
  BlockTable table;
  Block old{};
  std::uint64_t address = 512;
  for (std::uint32_t i = 0; i < BlockTable::kMost; ++i, address += 512) {
    if (table.put({address, 1, i, 0}, old) != BlockTable::Put::New) FAIL("no room for block " << i);
  }
  CHECK(table.put({address, 1, 0, 0}, old) == BlockTable::Put::Full);
  CHECK(table.put({512, 2, 0, 0}, old) == BlockTable::Put::Instead);
  REQUIRE(table.take(512, old));
  CHECK(old.bytes == 2);
  CHECK(table.put({address, 1, 0, 0}, old) == BlockTable::Put::New);
}
