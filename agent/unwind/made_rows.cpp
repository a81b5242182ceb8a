#include "agent/unwind/made_rows.hpp"

#include "agent/core/block_chains.hpp"
#include "agent/core/pages.hpp"

namespace prof::made_rows {
namespace {

constexpr std::uint32_t kMostBlocks = 131072, kRowsOfBlock = 20;

struct Block {
  std::uint32_t next;
  std::uint32_t count;
  RowAt rows[kRowsOfBlock];
};

using Chains = BlockChains<Block, kMostBlocks>;
PROF_WIPED constinit pages::Wiped<Chains> g_chains{};

}  // namespace

std::uint32_t keep(const RowAt* rows, std::size_t count) {
  return g_chains.value.keep(count, kRowsOfBlock, [&](Block& block, std::size_t first, std::size_t of_block) {
    block.count = static_cast<std::uint32_t>(of_block);
    for (std::size_t i = 0; i < of_block; ++i) block.rows[i] = rows[first + i];
  });
}

void give_back(std::uint32_t number) { g_chains.value.give_back(number); }

bool find(std::uint32_t number, std::uint32_t offset, Row& row) {
  const Block* const blocks = g_chains.value.blocks();
  bool found = false;
  if (blocks == nullptr) return false;
  for (std::uint32_t hops = 0; Chains::is_number(number) && hops < kMostBlocks; ++hops) {
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

void prepare() { pages::wipe_in_child(g_chains); }

}  // namespace prof::made_rows
