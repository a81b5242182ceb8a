// The table of live blocks: exact under growth, removal and concurrency.
#include <memory>
#include <random>
#include <thread>
#include <unordered_map>
#include <vector>

#include "agent/heap/live_table.hpp"
#include "tests/support/catch.hpp"

using namespace prof::heap;

namespace {

const void* block(std::uint64_t i) { return reinterpret_cast<const void*>((i + 1) * 48 & ~std::uint64_t{15}); }

}  // namespace

TEST_CASE("agent: live table finds what it was given, once, and nothing else") {
  const auto filtered = GENERATE(Filtered::Yes, Filtered::No);
  std::mt19937_64 random(7);
  std::unordered_map<std::uint64_t, LiveBlock> ledger;
  for (int round = 0; round < 300'000; ++round) {
    const std::uint64_t i = random() % 50'000;
    const auto known = ledger.find(i);
    LiveBlock found{};
    if (known == ledger.end()) {
      CHECK_FALSE(take(block(i), found, filtered));
      const LiveBlock live{static_cast<std::uint32_t>(random()), static_cast<Kind>(random() % 3),
                           static_cast<std::uint8_t>(random()), random() % kMostBytes};
      REQUIRE(remember(block(i), live, filtered) == Remembered::Yes);
      ledger.emplace(i, live);
    } else {
      if (filtered == Filtered::Yes) REQUIRE(maybe_live(block(i)));
      REQUIRE(take(block(i), found, filtered));
      REQUIRE(found.place == known->second.place);
      REQUIRE(found.kind == known->second.kind);
      REQUIRE(found.tag == known->second.tag);
      REQUIRE(found.bytes == known->second.bytes);
      ledger.erase(known);
    }
  }
  for (const auto& [i, live] : ledger) {
    LiveBlock found{};
    REQUIRE(take(block(i), found, filtered));
    CHECK(found.place == live.place);
  }
  LiveBlock found{};
  CHECK_FALSE(take(block(3), found, filtered));
}

TEST_CASE("agent: live table tells when a block's free went past it, and what it cannot hold") {
  LiveBlock found{};
  REQUIRE(remember(block(7'000'000), {1, Kind::Malloc, 0, 10}, Filtered::No) == Remembered::Yes);
  CHECK(remember(block(7'000'000), {2, Kind::Malloc, 0, 20}, Filtered::No) == Remembered::Instead);
  REQUIRE(take(block(7'000'000), found, Filtered::No));
  CHECK(found.bytes == 20);
  CHECK_FALSE(take(block(7'000'000), found, Filtered::No));
  CHECK(remember(block(7'000'001), {1, Kind::Malloc, 0, kMostBytes}, Filtered::No) == Remembered::No);
}

TEST_CASE("agent: live table loses nothing between threads that hand blocks to each other") {
  constexpr std::uint64_t kBlocks = 200'000;
  std::vector<std::unique_ptr<std::atomic<bool>>> ready;
  for (std::uint64_t i = 0; i < kBlocks; ++i) ready.push_back(std::make_unique<std::atomic<bool>>(false));
  std::atomic<std::uint64_t> taken{0}, wrong{0};
  std::thread giver([&] {
    for (std::uint64_t i = 0; i < kBlocks; ++i) {
      if (remember(block(1'000'000 + i), {static_cast<std::uint32_t>(i), Kind::Malloc, 0, i}, Filtered::No) !=
          Remembered::Yes) {
        ++wrong;
      }
      ready[i]->store(true, std::memory_order_release);
    }
  });
  std::thread taker([&] {
    for (std::uint64_t i = 0; i < kBlocks; ++i) {
      while (!ready[i]->load(std::memory_order_acquire)) std::this_thread::yield();
      LiveBlock found{};
      if (take(block(1'000'000 + i), found, Filtered::No) && found.place == i)
        ++taken;
      else
        ++wrong;
    }
  });
  giver.join();
  taker.join();
  CHECK(taken == kBlocks);
  CHECK(wrong == 0);
}
