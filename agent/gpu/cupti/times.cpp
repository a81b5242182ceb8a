#include "agent/gpu/cupti/times.hpp"

#include "agent/core/clock.hpp"
#include "agent/core/process.hpp"
#include "agent/core/raw.hpp"

namespace prof::gpu::cupti {
namespace {

constexpr std::uint64_t kSlack = 1'000'000'000;  // clocks were compared up to so long ago
constexpr std::uint64_t kApart = 10'000'000;     // ns between two comparisons, for a rate that can be trusted
__extension__ using Wide = __int128;

}  // namespace

Times::Pair Times::read(Timestamp clock) { return {clock(), clock::monotonic()}; }

void Times::use_client(Timestamp clock) {
  __atomic_store_n(&client_, nullptr, __ATOMIC_RELEASE);
  first_ = read(clock);
  __atomic_store_n(&client_, clock, __ATOMIC_RELEASE);
}

void Times::look() {
  if (const Timestamp client = __atomic_load_n(&client_, __ATOMIC_ACQUIRE)) {
    last_ = read(client);
    if (const std::uint64_t apart = last_.monotonic - first_.monotonic; apart < kApart) {
      const timespec rest{0, static_cast<long>(kApart - apart)};
      raw::call(SYS_nanosleep, raw::word(&rest), 0);
      last_ = read(client);
    }
  }
  now_ = clock::monotonic();
  realtime_ahead_ = clock::realtime() - now_;
}

std::uint64_t Times::of_client(std::uint64_t recorded) const {
  const std::uint64_t apart = last_.monotonic - first_.monotonic;
  if (client_ == nullptr || last_.monotonic <= first_.monotonic || last_.theirs <= first_.theirs) return 0;
  const auto difference = static_cast<Wide>(recorded) - static_cast<Wide>(first_.theirs);
  const Wide converted = difference * static_cast<Wide>(apart) / static_cast<Wide>(last_.theirs - first_.theirs) +
                         static_cast<Wide>(first_.monotonic);
  return converted > 0 && converted < INT64_MAX ? static_cast<std::uint64_t>(converted) : 0;
}

std::uint64_t Times::monotonic(std::uint64_t recorded) const {
  if (recorded == 0) return 0;
  const auto possible = [this](std::uint64_t t, std::uint64_t earliest) {
    return t + kSlack >= earliest && t <= now_ + kSlack;
  };
  const std::uint64_t start = process().start_monotonic_ns;
  if (const std::uint64_t t = of_client(recorded); t != 0 && possible(t, first_.monotonic)) return t;
  if (possible(recorded, start)) return recorded;
  const std::uint64_t t = recorded - realtime_ahead_;
  return possible(t, start) ? t : 0;
}

}  // namespace prof::gpu::cupti
