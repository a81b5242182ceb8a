#include "agent/gpu/cupti/times.hpp"

#include "agent/core/clock.hpp"
#include "agent/core/process.hpp"

namespace prof::gpu::cupti {
namespace {

constexpr std::uint64_t kSlack = 1'000'000'000;  // clocks were compared up to so long ago

}  // namespace

void Times::look() {
  now_ = clock::monotonic();
  realtime_ahead_ = clock::realtime() - now_;
}

std::uint64_t Times::monotonic(std::uint64_t recorded) const {
  if (recorded == 0) return 0;
  const auto possible = [this](std::uint64_t t, std::uint64_t earliest) {
    return t + kSlack >= earliest && t <= now_ + kSlack;
  };
  const std::uint64_t start = process().start_monotonic_ns;
  if (possible(recorded, start)) return recorded;
  const std::uint64_t t = recorded - realtime_ahead_;
  return possible(t, start) ? t : 0;
}

}  // namespace prof::gpu::cupti
