// How often a process is looked at.
#include "agent/core/allowance.hpp"
#include "tests/support/catch.hpp"

using namespace prof;

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr Allowance kAllowance{2'000'000, 200};

struct Looks {
  std::uint64_t count = 0, spent_ns = 0;
};

// Ten occasions a second, in a process that uses `share` of a processor.
Looks live(std::uint64_t seconds, double share, std::uint64_t cost_ns) {
  Looks looks;
  for (std::uint64_t age = 0; age < seconds * kSecond; age += kSecond / 10) {
    const auto worked = static_cast<std::uint64_t>(share * static_cast<double>(age));
    if (!affordable(kAllowance, looks.spent_ns, age, worked)) continue;
    ++looks.count;
    looks.spent_ns += cost_ns;
  }
  return looks;
}

}  // namespace

// Catches looks whose number follows from the time that passes alone.
TEST_CASE("agent: an idle process pays next to nothing for being looked at") {
  constexpr std::uint64_t kHour = 3600;
  for (const std::uint64_t cost : {20'000, 150'000, 10'000'000}) {
    const Looks looks = live(kHour, 0, cost);
    CAPTURE(cost, looks.count);
    CHECK(looks.spent_ns <= kAllowance.at_once_ns + kHour * kSecond / kIdleShare + cost);
    CHECK(looks.count >= kHour * kSecond / kIdleShare / cost);
  }
}

TEST_CASE("agent: a process at work is looked at on each occasion") {
  CHECK(live(60, 1, 150'000).count == 600);
  CHECK(live(60, 0.5, 150'000).count == 600);
  const Looks dear = live(60, 1, 20'000'000);
  CHECK(dear.spent_ns <= 60 * kSecond / 200 + 60 * kSecond / kIdleShare + kAllowance.at_once_ns + 20'000'000);
}

TEST_CASE("agent: the first looks come whatever the process does") { CHECK(live(1, 0, 150'000).count == 10); }
