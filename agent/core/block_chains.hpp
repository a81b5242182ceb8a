// Records of any length in blocks of one size, chained by their numbers, from 1 on: a bounded table that is mapped with
// its first record and never moved, and whose blocks are used again. All zeros is an empty one. No lock.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "agent/core/number_list.hpp"
#include "agent/core/pages.hpp"

namespace prof {

// Memory for `count` of them behind `place`, made if there is none; null: there is none to be had. Any context.
template <class T>
T* made_sparsely(std::atomic<T*>& place, std::size_t count) {
  T* known = place.load(std::memory_order_acquire);
  if (known != nullptr) return known;
  auto* fresh = static_cast<T*>(pages::map_sparsely(sizeof(T) * count));
  if (fresh == nullptr || place.compare_exchange_strong(known, fresh, std::memory_order_acq_rel)) return fresh;
  pages::unmap(fresh, sizeof(T) * count);
  return known;
}

// A block has a std::uint32_t `next`: the number of the one behind it, or of one that nobody has either; 0: there is
// none.
template <class Block, std::uint32_t kMost>
class BlockChains {
 public:
  // Null: there is none yet. Any context.
  const Block* blocks() const { return blocks_.load(std::memory_order_acquire); }
  static bool is_number(std::uint32_t number) { return number != 0 && number <= kMost; }

  // A record of so many things, as many of them in a block: by which number. 0: there is no room, or there are none.
  // `fill(block, first, count)` writes those of a block, from the last block to the first, so that each knows the one
  // behind it. Ordinary code.
  template <class Fill>
  std::uint32_t keep(std::size_t things, std::size_t in_block, const Fill& fill) {
    Block* const blocks = things != 0 ? made_sparsely(blocks_, kMost) : nullptr;
    if (blocks == nullptr) return 0;
    std::uint32_t first = 0;
    for (std::size_t left = things; left > 0;) {
      const std::uint32_t mine = take(blocks);
      if (mine == 0) {
        give_back(first);
        return 0;
      }
      const std::size_t count = (left - 1) % in_block + 1;
      left -= count;
      fill(blocks[mine - 1], left, count);
      blocks[mine - 1].next = first;
      first = mine;
    }
    return first;
  }

  // Nobody asks for the record any more, or believes the answer. Ordinary code.
  void give_back(std::uint32_t number) {
    Block* const blocks = blocks_.load(std::memory_order_acquire);
    while (is_number(number) && blocks != nullptr) {
      const std::uint32_t next = blocks[number - 1].next;
      free_.push(number, [&](std::uint32_t n) -> std::uint32_t& { return blocks[n - 1].next; });
      number = next;
    }
  }

 private:
  std::uint32_t take(Block* blocks) {
    if (const std::uint32_t free = free_.pop([&](std::uint32_t n) -> std::uint32_t& { return blocks[n - 1].next; }))
      return free;
    if (used_.load(std::memory_order_relaxed) >= kMost) return 0;
    const std::uint32_t mine = used_.fetch_add(1, std::memory_order_relaxed) + 1;
    return mine <= kMost ? mine : 0;
  }

  std::atomic<Block*> blocks_;
  std::atomic<std::uint32_t> used_;
  NumberList free_;
};

}  // namespace prof
