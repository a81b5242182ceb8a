#include "agent/core/quick_clock.hpp"

#include <cpuid.h>

#include <cstring>

#include "agent/core/hot_data.hpp"
#include "agent/core/raw.hpp"

namespace prof::clock {

alignas(64) PROF_HOT_DATA(0) constinit Quick quick_state{};
int by_kernel(clockid_t id, timespec* t) { return static_cast<int>(raw::call(SYS_clock_gettime, id, raw::word(t))); }
constinit std::atomic<Function*> function{by_kernel};
void use(Function* libc) { function.store(libc, std::memory_order_relaxed); }

namespace {

// The clock is read between two reads of the counter no further apart than this: then the moment is right within a
// quarter of a microsecond, and after kFirstNs the factor within 1/10,000.
constexpr std::uint64_t kCloseUnits = 1500;
constexpr unsigned kTries = 20;
constexpr std::uint64_t kFirstNs = 5'000'000;
constexpr std::uint64_t kMostNs = 500'000'000;  // between two comparisons
// A factor that moved by more than this part is no drift: the machine slept, or moved to another one.
constexpr std::uint64_t kDriftPart = 1000;
constexpr std::uint64_t kNever = UINT64_MAX;

struct Moment {
  std::uint64_t at = 0, ns = 0;
};

bool take(Moment& m) {
  for (unsigned i = 0; i < kTries; ++i) {
    const std::uint64_t before = __rdtsc();
    m.ns = monotonic();
    m.at = __rdtsc();
    if (m.at - before < kCloseUnits) return true;
  }
  return false;
}

bool counter_is_invariant() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d & 1U << 8) != 0;
}

bool kernel_trusts_it() {
  char text[16];
  const std::size_t n =
      raw::slurp("/sys/devices/system/clocksource/clocksource0/current_clocksource", text, sizeof(text));
  return n >= 3 && std::memcmp(text, "tsc", 3) == 0;
}

void give_up(Quick& q) {
  q.factor.store(kGone, std::memory_order_release);
  q.due.store(kNever, std::memory_order_relaxed);
}

void begin(Quick& q) {
  Moment m;
  if (!counter_is_invariant() || !kernel_trusts_it()) return give_up(q);
  if (!take(m)) return;
  q.at = m.at;
  q.ns = m.ns;
  q.due.store(m.ns + kFirstNs, std::memory_order_relaxed);
}

void compare(Quick& q) {
  Moment m;
  std::uint64_t before = q.factor.load(std::memory_order_relaxed);
  if (before == kGone || !take(m)) return;
  if (m.at <= q.at || m.ns < q.ns + kFirstNs) return give_up(q);
  __extension__ using Wide = unsigned __int128;
  const std::uint64_t age = m.ns - q.ns;
  const auto factor = static_cast<std::uint64_t>((Wide{age} << 32) / (m.at - q.at));
  const std::uint64_t moved = factor > before ? factor - before : before - factor;
  if (factor == 0 || (before != 0 && moved > before / kDriftPart)) return give_up(q);
  // Not if another thread has given it up meanwhile.
  if (!q.factor.compare_exchange_strong(before, factor, std::memory_order_release)) return;
  q.due.store(m.ns + (age < kMostNs ? age : kMostNs), std::memory_order_relaxed);
}

}  // namespace

void forbid_counter() {
  function.store(by_kernel, std::memory_order_relaxed);
  give_up(quick_state);
}

[[gnu::noinline]] std::uint64_t system_quick() { return monotonic(); }

// Whoever moves `due` does it: nobody waits, and a forked child, whose parent was just at it, does it a little later.
[[gnu::noinline]] void tune_now() {
  constexpr std::uint64_t kTurnNs = 1'000'000'000;
  Quick& q = quick_state;
  if (q.factor.load(std::memory_order_relaxed) == kGone) return;
  std::uint64_t due = q.due.load(std::memory_order_relaxed);
  if (due == kNever || !q.due.compare_exchange_strong(due, monotonic() + kTurnNs, std::memory_order_acquire)) return;
  if (q.at == 0)
    begin(q);
  else
    compare(q);
}

}  // namespace prof::clock
