#include "agent/calls/counter.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace prof::python::calls {
namespace {

constexpr std::uint64_t kLeastNs = 4'000'000;  // a reading is off by some 50 ns: 1 part in 10^5
constexpr std::uint64_t kUnit = std::uint64_t{1} << 32;

struct Reading {
  std::uint64_t ticks, ns;
};
Reading g_first{};
std::uint64_t g_rate = kUnit;

// The counter is read between two looks at the clock; of a few tries the one that was not interrupted is taken.
Reading reading() {
  Reading best{};
  std::uint64_t shortest = UINT64_MAX;
  for (unsigned i = 0; i < 5; ++i) {
    const std::uint64_t before = clock::monotonic();
    const std::uint64_t ticks = now();
    const std::uint64_t after = clock::monotonic();
    if (after - before >= shortest) continue;
    shortest = after - before;
    best = {ticks, before + shortest / 2};
  }
  return best;
}

}  // namespace

constinit bool g_has_counter = false;

void prepare_counter() {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kPowerManagement = 0x80000007, kInvariantCounter = 1U << 8;
  g_has_counter = __get_cpuid(kPowerManagement, &a, &b, &c, &d) != 0 && (d & kInvariantCounter) != 0;
#endif
  if (g_has_counter) g_first = reading();
}

std::uint64_t counter_rate() {
  if (!g_has_counter || g_rate != kUnit) return g_rate;
  Reading second = reading();
  while (second.ns - g_first.ns < kLeastNs) second = reading();
  const std::uint64_t ticks = second.ticks - g_first.ticks;
  if (second.ticks <= g_first.ticks) {
    g_has_counter = false;  // it stood still: another clock then
    return g_rate;
  }
  g_rate = static_cast<std::uint64_t>((static_cast<Wide>(second.ns - g_first.ns) << 32) / ticks);
  if (g_rate == kUnit || g_rate == 0) ++g_rate;
  return g_rate;
}

}  // namespace prof::python::calls
