// The tree of hashes against a map, and between threads.
#include <memory>
#include <random>
#include <thread>
#include <unordered_map>
#include <vector>

#include "agent/core/hash_tree.hpp"
#include "tests/support/catch.hpp"

using namespace prof;

TEST_CASE("agent: hashes keep the number that they got first") {
  const auto tree = std::make_unique<HashTree>();
  std::unordered_map<std::uint64_t, std::uint32_t> truth;
  std::mt19937_64 random(26);
  for (std::uint32_t number = 1; number <= 60'000; ++number) {
    // Some differ in their lowest bits only.
    const std::uint64_t hash = number % 3 == 0 ? 0x1234'5678'9abc'0000 + random() % 512 : random();
    const auto known = truth.find(hash);
    REQUIRE(tree->find(hash) == (known == truth.end() ? 0 : known->second));
    REQUIRE(tree->insert(hash, number) == truth.emplace(hash, number).first->second);
  }
  for (const auto& [hash, number] : truth) REQUIRE(tree->find(hash) == number);
}

// Catches trees in which one of two threads that put something in at the same place loses it.
TEST_CASE("agent: threads that put the same hashes into a tree agree about their numbers") {
  constexpr std::uint32_t kThreads = 4, kHashes = 50'000;
  const auto tree = std::make_unique<HashTree>();
  std::vector<std::uint32_t> got[kThreads];
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937_64 random(1);  // the same in all
      for (std::uint32_t i = 0; i < kHashes; ++i) got[t].push_back(tree->insert(random(), t * kHashes + i + 1));
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::mt19937_64 random(1);
  for (std::uint32_t i = 0; i < kHashes; ++i) {
    const std::uint32_t number = tree->find(random());
    REQUIRE((number - 1) % kHashes == i);
    for (const auto& mine : got) REQUIRE(mine[i] == number);
  }
}
