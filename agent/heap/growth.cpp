#include "agent/heap/growth.hpp"

#include "agent/core/process.hpp"
#include "agent/log/conditions.hpp"
#include "agent/log/file.hpp"
#include "agent/thread/thread_state.hpp"
#include "agent/tree/region.hpp"

namespace prof::heap {
namespace {

struct Moments {
  std::uint32_t shift;
  std::uint32_t passed;  // how many, evenly spaced at 1 << shift units
};

Moments moments_of(std::uint64_t checkpoint, std::uint32_t shift) {
  const auto units = static_cast<std::uint32_t>(checkpoint);
  const std::uint32_t passed = shift < 32 ? units >> shift : 0;
  return {shift, passed < log::kCheckpoints ? passed : log::kCheckpoints};
}

// Drops every other moment until the distance is that of `shift`; returns how many are left.
std::uint32_t thin(log::GrowthWords& g, std::uint32_t from_shift, std::uint32_t filled, std::uint32_t shift) {
  for (; from_shift < shift; ++from_shift) {
    filled /= 2;
    for (std::uint32_t i = 0; i < filled; ++i) g.live[i] = g.live[2 * i + 1];
  }
  return filled;
}

}  // namespace

std::uint64_t* make_companion(const Guard& guard, log::HeapWords& record, Companion which,
                              log::RecordClass record_class, std::uint32_t words) {
  const std::uint32_t node = log::record_node((&record.count)[-1]);
  std::uint64_t* made = tree::region_of(guard).make(node, record_class, record_class, words);
  if (made == nullptr) {
    count_loss(log::Loss::RecordNoSpace);
    return nullptr;
  }
  record.companions |= std::uint64_t{place_of_record(made)} << static_cast<unsigned>(which);
  return made;
}

void keep_growth(const Guard& guard, log::HeapWords& r, Kind kind, std::uint64_t checkpoint) {
  const auto shift = static_cast<std::uint32_t>(checkpoint >> 32);
  const auto live = static_cast<std::int64_t>(r.bytes - r.freed_bytes);
  const std::uint64_t before = r.checkpoint;
  r.checkpoint = checkpoint;
  auto* g = reinterpret_cast<log::GrowthWords*>(companion(r, Companion::Growth));
  std::uint32_t filled = 0;
  if (g != nullptr) {
    filled = thin(*g, static_cast<std::uint32_t>(g->state >> 32), static_cast<std::uint32_t>(g->state), shift);
  } else {
    if (live <= log::kGrowthFrom && live >= -log::kGrowthFrom) return;
    g = reinterpret_cast<log::GrowthWords*>(
        make_companion(guard, r, Companion::Growth, classes_of(kind).growth, log::kGrowthWordCount));
    if (g == nullptr) return;
    filled = moments_of(before, shift).passed;  // those went by with less than was worth keeping
  }
  const Moments now = moments_of(checkpoint, shift);
  for (; filled < now.passed; ++filled) g->live[filled] = live;
  g->state = static_cast<std::uint64_t>(shift) << 32 | filled;
}

}  // namespace prof::heap
