// The tables of locks' addresses.
#include <map>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "agent/wait/address_table.hpp"
#include "tests/support/catch.hpp"

using namespace prof::wait;

TEST_CASE("agent: locks that were waited for are found by their address, up to a number of them") {
  const auto table = std::make_unique<LockNodes>();
  CHECK(table->find(0x7f0000001000) == 0);
  std::uint32_t node = 0;
  // As in an array of locks, and as pages apart: addresses that differ in few bits.
  for (; !table->full(); ++node) table->insert(0x7f0000001000 + node % 2 * 0x10000000 + node / 2 * 40, node + 1);
  CHECK(node == LockNodes::kMost);
  for (std::uint32_t i = 0; i < node; ++i) {
    if (table->find(0x7f0000001000 + i % 2 * 0x10000000 + i / 2 * 40) != i + 1) FAIL("lost: " << i);
  }
  CHECK(table->find(0x7f0000001004) == 0);
  table->clear();
  CHECK_FALSE(table->full());
  CHECK(table->find(0x7f0000001000) == 0);
}

// Catches a table that fills up, where a search for what is not there would have no end.
TEST_CASE("agent: many threads that find room for one more lock leave room all the same") {
  const auto table = std::make_unique<LockNodes>();
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < 4; ++t) {
    threads.emplace_back([&table, t] {
      for (std::uint32_t i = 0; i < 4 * LockNodes::kMost; ++i) table->insert((t * 1000000 + i) * 8, i + 1);
    });
  }
  for (std::thread& t : threads) t.join();
  CHECK(table->full());
  CHECK(table->find(0x7f0000001000) == 0);
}

TEST_CASE("agent: a lock that several threads meet at once is kept once") {
  const auto table = std::make_unique<LockNodes>();
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < 4; ++t) {
    threads.emplace_back([&table] {
      for (std::uint32_t i = 0; i < LockNodes::kMost - 1; ++i) table->insert(0x1000 + i * 8, i + 1);
    });
  }
  for (std::thread& t : threads) t.join();
  CHECK_FALSE(table->full());
  for (std::uint32_t i = 0; i < LockNodes::kMost - 1; ++i) {
    if (table->find(0x1000 + i * 8) != i + 1) FAIL("lost: " << i);
  }
}

TEST_CASE("agent: where a lock was made is known until it is no more") {
  const auto sites = std::make_unique<LockSites>();
  std::map<std::uintptr_t, std::uint32_t> truth;
  std::mt19937_64 random(20261121);
  std::uint32_t found = 0, asked = 0;
  for (std::uint32_t step = 0; step < 200'000; ++step) {
    const std::uintptr_t address = 0x7ffc00000000 + random() % 2000 * 40;
    if (random() % 3 != 0) {
      sites->put(address, step % 0xffffff + 1);
      truth[address] = step % 0xffffff + 1;
    } else {
      sites->erase(address);
      truth.erase(address);
      REQUIRE(sites->find(address) == 0);
    }
    const std::uintptr_t other = 0x7ffc00000000 + random() % 2000 * 40;
    const std::uint32_t node = sites->find(other);
    if (truth.find(other) == truth.end()) {
      REQUIRE(node == 0);
    } else {
      ++asked;
      // It may have had to make room for another lock, but is never taken for one.
      if (node != 0) REQUIRE(node == truth[other]);
      found += node != 0 ? 1 : 0;
    }
  }
  CHECK(found > asked * 9 / 10);
}

// Catches nodes of strands that lose their uppermost bit.
TEST_CASE("agent: the node of a lock may be any") {
  constexpr std::uint32_t kLast = prof::log::kStrandNodes + prof::log::kStrandNumbers - 1;
  const auto table = std::make_unique<LockNodes>();
  const auto sites = std::make_unique<LockSites>();
  for (const std::uint32_t node : {1U, prof::log::kStrandNodes - 1, prof::log::kStrandNodes + 1, kLast}) {
    const std::uintptr_t address = 0x7f0000001000 + node * std::uintptr_t{64};
    table->insert(address, node);
    sites->put(address, node);
    CHECK(table->find(address) == node);
    CHECK(sites->find(address) == node);
  }
}
