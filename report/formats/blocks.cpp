#include "report/formats/blocks.hpp"

#include <algorithm>

namespace prof::formats {
namespace {

std::uint64_t not_negative(std::int64_t value) { return value > 0 ? static_cast<std::uint64_t>(value) : 0; }

// value * part / whole, rounded down; part <= whole, whole > 0. The product of hostile figures may not fit.
std::uint64_t share(std::uint64_t value, std::uint64_t part, std::uint64_t whole) {
  __extension__ using Product = unsigned __int128;
  return static_cast<std::uint64_t>(static_cast<Product>(value) * part / whole);
}

}  // namespace

Blocks Blocks::part(std::uint64_t part) const { return part == 0 ? Blocks{} : Blocks{part, share(bytes, part, count)}; }

BlockPlan plan_blocks(const model::MemoryMetric& memory) {
  const std::uint64_t live_bytes = not_negative(memory.live_bytes());
  const std::uint64_t peak_bytes = not_negative(memory.peak_bytes);
  std::uint64_t live = not_negative(memory.live_allocations());
  if (live_bytes > 0) live = std::max<std::uint64_t>(live, 1);
  const std::uint64_t all = std::max(not_negative(memory.allocations()), live);
  const std::uint64_t freed_bytes = std::max(not_negative(memory.bytes), live_bytes) - live_bytes;
  std::uint64_t freed = all - live;

  BlockPlan plan;
  if (peak_bytes >= live_bytes) {
    plan.peak_kept = {live, live_bytes};
  } else {
    // Where no block was freed, those of the peak are still there.
    std::uint64_t kept = share(live, peak_bytes, live_bytes);
    if (kept == 0 && freed == 0 && peak_bytes > 0) kept = 1;
    plan.peak_kept = {kept, kept == 0 ? 0 : peak_bytes};
    plan.late = {live - kept, live_bytes - plan.peak_kept.bytes};
    if (plan.late.count == 0 && plan.late.bytes > 0) plan.late.count = 1;
  }
  const std::uint64_t temporary = not_negative(memory.temporary);
  if (const std::uint64_t rest = peak_bytes - plan.peak_kept.bytes; rest > 0) {
    freed = std::max<std::uint64_t>(freed, 1);
    // Of temporary blocks at most the last one was there at the peak; and the other bytes need a block, too.
    std::uint64_t most = freed > temporary ? freed - temporary : 1;
    if (freed_bytes > rest && most == freed && freed > 1) --most;
    const std::uint64_t of_freed = freed_bytes > rest ? share(freed, rest, freed_bytes) : freed;
    plan.peak_freed = {std::clamp<std::uint64_t>(of_freed, 1, most), rest};
  }
  // What is left came and went without being seen at the peak.
  const Blocks gone{freed - plan.peak_freed.count, freed_bytes - std::min(freed_bytes, plan.peak_freed.bytes)};
  plan.temporary = gone.part(std::min(temporary, gone.count));
  plan.passing = {gone.count - plan.temporary.count, gone.bytes - plan.temporary.bytes};
  plan.temporary_at_peak = temporary > gone.count && plan.peak_freed.count > 0;
  return plan;
}

}  // namespace prof::formats
