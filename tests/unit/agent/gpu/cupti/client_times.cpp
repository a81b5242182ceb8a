// The clock of another client of CUPTI: its copies of records are by it, whatever CUPTI's own is.
#include <cstring>

#include "agent/core/clock.hpp"
#include "agent/gpu/cupti/client_times.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/support/cupti_buffers.hpp"

using namespace prof;
using namespace prof::gpu::cupti;
using namespace prof::test;

namespace {

constexpr std::uint64_t kAhead = 77'000'000'000'000'000;
std::uint64_t three_times_as_fast() { return 3 * clock::monotonic() + kAhead; }

bool close_to(std::uint64_t a, std::uint64_t b, std::uint64_t most = 3'000'000) {
  return (a > b ? a - b : b - a) <= most;
}

}  // namespace

TEST_CASE("agent: times are converted to a clock of any rate, before, between and after the two readings of it") {
  const ClockPair first = read_both(three_times_as_fast);
  CHECK(close_to(first.theirs, 3 * first.monotonic + kAhead));
  const std::uint64_t t = clock::monotonic();
  while (clock::monotonic() < t + 20'000'000) {
  }
  const ClientTimes times(three_times_as_fast, first);
  for (const std::uint64_t at : {t - 50'000'000, t, t + 10'000'000, t + 40'000'000})
    CHECK(close_to(times.theirs(at), 3 * at + kAhead));
  CHECK(times.theirs(0) == 0);                                     // no time
  CHECK(times.theirs(clock::realtime()) > t + 3'600'000'000'000);  // stays what it was
}

TEST_CASE("agent: a client without a clock gets CLOCK_REALTIME") {
  const ClientTimes times(nullptr, {});
  const std::uint64_t now = clock::monotonic();
  CHECK(close_to(times.theirs(now - 5'000'000'000), clock::realtime() - 5'000'000'000));
}

TEST_CASE("agent: all times of a record are converted, and nothing behind its end") {
  const ClientTimes times(nullptr, {});
  const std::uint64_t t = clock::monotonic();
  std::uint64_t pool[9] = {};
  const std::uint32_t kind = 50;
  std::memcpy(pool, &kind, sizeof(kind));
  pool[3] = t;  // bytes to keep
  pool[7] = t;
  times.convert(reinterpret_cast<std::uint8_t*>(pool), 64);
  CHECK(pool[3] == t);
  CHECK(close_to(pool[7], clock::realtime()));
  pool[7] = t;
  times.convert(reinterpret_cast<std::uint8_t*>(pool), 56);
  CHECK(pool[7] == t);
}
