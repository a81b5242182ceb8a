// Ranges that end on another thread than they began on.
#include <memory>
#include <thread>
#include <vector>

#include "agent/range/started.hpp"
#include "tests/support/catch.hpp"

using namespace prof::range;

TEST_CASE("agent: a started range is taken once, by its id") {
  const auto ranges = std::make_unique<StartedRanges>();
  Open range{};
  CHECK_FALSE(ranges->take(1, range));
  std::vector<std::uint64_t> ids;
  for (std::uint32_t round = 0; round < 3; ++round) {
    for (std::uint32_t i = 0; i < StartedRanges::kMost; ++i) {
      range.payload = i;
      ids.push_back(ranges->put(range));
      REQUIRE((ids.back() != 0 && ids.back() != kNoStarted));
    }
    CHECK(ranges->put(range) == kNoStarted);
    for (std::uint32_t i = 0; i < StartedRanges::kMost; ++i) {
      REQUIRE(ranges->take(ids[i], range));
      REQUIRE(range.payload == i);
      REQUIRE_FALSE(ranges->take(ids[i], range));
    }
    CHECK_FALSE(ranges->take(0, range));
    CHECK_FALSE(ranges->take(kNoStarted, range));
    ids.clear();
  }
}

TEST_CASE("agent: started ranges of several threads stay apart") {
  const auto ranges = std::make_unique<StartedRanges>();
  std::vector<std::thread> threads;
  std::atomic<std::uint32_t> wrong{0};
  for (std::uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < 100'000; ++i) {
        Open range{};
        range.payload = t << 32 | i;
        const std::uint64_t id = ranges->put(range);
        range.payload = 0;
        if (!ranges->take(id, range) || range.payload != (t << 32 | i) || ranges->take(id, range)) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}
