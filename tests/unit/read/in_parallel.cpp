#include "report/read/in_parallel.hpp"

#include <atomic>
#include <stdexcept>
#include <vector>

#include "tests/support/catch.hpp"

using namespace prof;

TEST_CASE("each piece of work is done once, whatever the number of threads", "[read]") {
  for (const unsigned threads : {0U, 1U, 3U, 16U}) {
    for (const std::size_t count : {0U, 1U, 2U, 1'000U}) {
      std::vector<std::atomic<int>> done(count);
      read::in_parallel(count, threads, [&](std::size_t i) { ++done[i]; });
      for (const std::atomic<int>& times : done) REQUIRE(times == 1);
    }
  }
}

TEST_CASE("an exception of one piece of work comes out when all others are done", "[read]") {
  std::atomic<int> done = 0;
  const auto work = [&](std::size_t i) {
    if (i == 3) throw std::runtime_error("the third");
    ++done;
  };
  CHECK_THROWS_WITH(read::in_parallel(100, 4, work), "the third");
  CHECK(done == 99);
}
