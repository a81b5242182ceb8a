// The queue of what one thread left to another.
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "agent/core/queue.hpp"
#include "tests/support/catch.hpp"

using namespace prof;

TEST_CASE("agent: a queue gives back what was put in, in its order, and says when it is full") {
  const auto queue = std::make_unique<Queue<std::uint64_t, 8>>();
  const SignalsHeld held;
  std::uint64_t put = 0, taken = 0, value = 0;
  for (unsigned round = 0; round < 100; ++round) {
    CHECK(queue->empty());
    CHECK_FALSE(queue->ready());
    CHECK_FALSE(queue->pop(value));
    for (unsigned i = 0; i < 1 + round % 8; ++i) REQUIRE(queue->push(put++, held));
    if (round % 8 == 7) REQUIRE_FALSE(queue->push(0, held));
    CHECK(queue->ready());
    while (queue->pop(value)) REQUIRE(value == taken++);
    REQUIRE(taken == put);
  }
}

TEST_CASE("agent: nothing is lost in a queue between threads, and each one's own order is kept") {
  constexpr std::uint64_t kEach = 200'000, kThreads = 3;
  const auto queue = std::make_unique<Queue<std::uint64_t, 64>>();
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      const SignalsHeld held;
      for (std::uint64_t i = 1; i <= kEach;) {
        if (queue->push(t << 32 | i, held))
          ++i;
        else
          std::this_thread::yield();
      }
    });
  }
  std::uint64_t last[kThreads] = {}, value = 0;
  for (std::uint64_t taken = 0; taken < kThreads * kEach;) {
    if (!queue->pop(value)) {
      std::this_thread::yield();
      continue;
    }
    ++taken;
    REQUIRE((value & 0xffffffff) == ++last[value >> 32]);
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(queue->empty());
}
