#include "agent/gpu/block_table.hpp"

#include "agent/core/pages.hpp"

namespace prof::gpu {
namespace {
constexpr std::uint32_t kFirstCapacity = 1024;
constexpr std::uint32_t kLastCapacity = 1U << 22;
static_assert(BlockTable::kMost <= kLastCapacity / 4 * 3);
}  // namespace

std::uint32_t BlockTable::home(std::uint64_t address) const {
  return static_cast<std::uint32_t>((address * 0x9e3779b97f4a7c15ULL) >> 32) & (capacity_ - 1);
}

// The slot of `address`, or the empty one where it belongs.
Block& BlockTable::slot_of(std::uint64_t address) {
  std::uint32_t i = home(address);
  while (slots_[i].address != 0 && slots_[i].address != address) i = (i + 1) & (capacity_ - 1);
  return slots_[i];
}

bool BlockTable::enlarge() {
  const std::uint32_t capacity = capacity_ == 0 ? kFirstCapacity : capacity_ * 2;
  if (capacity > kLastCapacity) return false;
  auto* larger = static_cast<Block*>(pages::map(capacity * sizeof(Block), pages::InChild::Gone));
  if (larger == nullptr) return false;
  Block* const old = slots_;
  const std::uint32_t count = capacity_;
  slots_ = larger;
  capacity_ = capacity;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (old[i].address != 0) slot_of(old[i].address) = old[i];
  }
  if (old != nullptr) pages::unmap(old, count * sizeof(Block));
  return true;
}

BlockTable::Put BlockTable::put(const Block& block, Block& old) {
  if (capacity_ != 0) {
    Block& there = slot_of(block.address);
    if (there.address != 0) {
      old = there;
      there = block;
      return Put::Instead;
    }
  }
  if (count_ >= kMost || (count_ >= capacity_ / 4 * 3 && !enlarge())) return Put::Full;
  slot_of(block.address) = block;
  ++count_;
  return Put::New;
}

bool BlockTable::take(std::uint64_t address, Block& block) {
  if (capacity_ == 0) return false;
  Block* found = &slot_of(address);
  if (found->address == 0) return false;
  block = *found;
  --count_;
  // Those behind it close the gap, unless they would leave the way from their own home.
  auto gap = static_cast<std::uint32_t>(found - slots_);
  for (std::uint32_t i = (gap + 1) & (capacity_ - 1); slots_[i].address != 0; i = (i + 1) & (capacity_ - 1)) {
    const std::uint32_t from_home = (i - home(slots_[i].address)) & (capacity_ - 1);
    if (from_home < ((i - gap) & (capacity_ - 1))) continue;
    slots_[gap] = slots_[i];
    gap = i;
  }
  slots_[gap] = {};
  return true;
}

}  // namespace prof::gpu
