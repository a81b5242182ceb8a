#include "agent/unwind/made_rows.hpp"

#include <atomic>

#include "agent/core/number_list.hpp"
#include "agent/core/pages.hpp"

namespace prof::made_rows {
namespace {

constexpr std::uint32_t kMostBlocks = 131072, kRowsOfBlock = 20;

struct Block {
  std::uint32_t next;  // number of the one with the rows behind these, or that nobody has either; 0: there is none
  std::uint32_t count;
  RowAt rows[kRowsOfBlock];
};

struct Pool {
  std::atomic<Block*> blocks;
  std::atomic<std::uint32_t> used;
  NumberList free;
};
PROF_WIPED constinit pages::Wiped<Pool> g_pool{};

Block* made_blocks() {
  Pool& p = g_pool.value;
  Block* known = p.blocks.load(std::memory_order_acquire);
  if (known != nullptr) return known;
  auto* made = static_cast<Block*>(pages::map_sparsely(sizeof(Block) * kMostBlocks));
  if (made == nullptr || p.blocks.compare_exchange_strong(known, made, std::memory_order_acq_rel)) return made;
  pages::unmap(made, sizeof(Block) * kMostBlocks);
  return known;
}

std::uint32_t take(Block* blocks) {
  Pool& p = g_pool.value;
  if (const std::uint32_t free = p.free.pop([&](std::uint32_t n) -> std::uint32_t& { return blocks[n - 1].next; }))
    return free;
  if (p.used.load(std::memory_order_relaxed) >= kMostBlocks) return 0;
  const std::uint32_t mine = p.used.fetch_add(1, std::memory_order_relaxed) + 1;
  return mine <= kMostBlocks ? mine : 0;
}

}  // namespace

std::uint32_t keep(const RowAt* rows, std::size_t count) {
  Block* const blocks = count != 0 ? made_blocks() : nullptr;
  if (blocks == nullptr) return 0;
  std::uint32_t first = 0;
  // From the last block to the first, so that each knows the one behind it.
  for (std::size_t left = count; left > 0;) {
    const std::uint32_t mine = take(blocks);
    if (mine == 0) {
      give_back(first);
      return 0;
    }
    Block& block = blocks[mine - 1];
    block.count = static_cast<std::uint32_t>((left - 1) % kRowsOfBlock + 1);
    left -= block.count;
    for (std::uint32_t i = 0; i < block.count; ++i) block.rows[i] = rows[left + i];
    block.next = first;
    first = mine;
  }
  return first;
}

void give_back(std::uint32_t number) {
  Block* const blocks = g_pool.value.blocks.load(std::memory_order_acquire);
  while (number != 0 && number <= kMostBlocks && blocks != nullptr) {
    const std::uint32_t next = blocks[number - 1].next;
    g_pool.value.free.push(number, [&](std::uint32_t n) -> std::uint32_t& { return blocks[n - 1].next; });
    number = next;
  }
}

bool find(std::uint32_t number, std::uint32_t offset, Row& row) {
  const Block* const blocks = g_pool.value.blocks.load(std::memory_order_acquire);
  bool found = false;
  if (blocks == nullptr) return false;
  for (std::uint32_t hops = 0; number != 0 && number <= kMostBlocks && hops < kMostBlocks; ++hops) {
    const Block& block = blocks[number - 1];
    for (std::uint32_t i = 0; i < block.count && i < kRowsOfBlock; ++i) {
      if (block.rows[i].offset > offset) return found;
      row = block.rows[i].row;
      found = true;
    }
    number = block.next;
  }
  return found;
}

void prepare() { pages::wipe_in_child(g_pool); }

}  // namespace prof::made_rows
