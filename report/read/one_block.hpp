// One block in few bits, as a record of one allocation has it.
#pragma once

#include <cstdint>

#include "agent/contract/format.hpp"

namespace prof::read {

// Of a `block` and the lower half of a `life`, see BlockLife; all zeros if there is no block (yet).
inline log::HeapOnceWords once_words(std::uint32_t block, std::uint32_t life) {
  if ((life & log::kBlockKinds) == 0) return {};
  const std::uint64_t bytes = log::block_bytes(block), epoch = log::block_epoch(block), age = log::block_freed(life);
  std::uint64_t flags = 0;
  if ((life & log::kBlockReallocated) != 0) flags |= log::kOnceReallocated;
  if ((life & log::kBlockTemporary) != 0) flags |= log::kOnceTemporary;
  if ((life & log::kBlockShortLived) != 0) flags |= log::kOnceShortLived;
  const std::uint64_t freed_epoch = age == 0 ? 0 : epoch + age - 1;
  return {bytes << log::kOnceFlagBits | flags, freed_epoch << 32 | epoch};
}

}  // namespace prof::read
